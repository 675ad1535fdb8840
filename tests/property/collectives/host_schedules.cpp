// SPDX-License-Identifier: Apache-2.0
#include "host_schedules.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace a2a3::collectives {
namespace {

using Kind = Parameter::Kind;
using Element = Contract::Element;

constexpr std::int64_t kTile = 256;

std::uint64_t as_unsigned(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

std::uint64_t tiles(std::int64_t elements) {
  return as_unsigned((elements + kTile - 1) / kTile);
}

std::string copy_rows(const std::string& from, const std::string& to, std::int64_t count,
                      std::int64_t size) {
  std::string text;
  for (std::int64_t row = 0; row < count; ++row)
    text += copy_row(from, std::to_string(row), to, std::to_string(row), size);
  return text;
}

Parameter signal_of(std::vector<std::int64_t> shape) {
  return {Kind::window, "sig", std::move(shape), isa::DType::int32};
}

/// x is published into `win`, which the collective works on in place.
HostSchedule in_place(std::string name, std::function<std::int64_t(const Size&)> rows,
                      std::function<std::vector<std::int64_t>(const Size&)> signal,
                      std::function<std::string(const Size&)> call) {
  HostSchedule schedule;
  schedule.name = std::move(name);
  schedule.dtypes = {isa::DType::fp32};
  schedule.parameters = [rows, signal](const Size& at) {
    std::vector<Parameter> list{{Kind::in, "x", {rows(at), at.size}, at.dtype},
                                {Kind::out, "y", {rows(at), at.size}, at.dtype},
                                {Kind::window, "win", {rows(at), at.size}, at.dtype}};
    if (!signal(at).empty()) list.push_back(signal_of(signal(at)));
    return list;
  };
  schedule.publish = [rows](const Size& at) { return copy_rows("x", "win", rows(at), at.size); };
  schedule.call = std::move(call);
  schedule.consume = [rows](const Size& at) { return copy_rows("win", "y", rows(at), at.size); };
  return schedule;
}

/// x is published into `src`, which the collective moves to `win`.
HostSchedule out_of_place(std::string name, std::function<std::int64_t(const Size&)> rows_in,
                          std::function<std::int64_t(const Size&)> rows_out,
                          std::function<std::string(const Size&)> call) {
  HostSchedule schedule;
  schedule.name = std::move(name);
  schedule.dtypes = {isa::DType::fp32};
  schedule.parameters = [rows_in, rows_out](const Size& at) {
    return std::vector<Parameter>{{Kind::in, "x", {rows_in(at), at.size}, at.dtype},
                                  {Kind::out, "y", {rows_out(at), at.size}, at.dtype},
                                  {Kind::window, "src", {rows_in(at), at.size}, at.dtype},
                                  {Kind::window, "win", {rows_out(at), at.size}, at.dtype},
                                  signal_of({at.ranks})};
  };
  schedule.publish = [rows_in](const Size& at) {
    return copy_rows("x", "src", rows_in(at), at.size);
  };
  schedule.call = std::move(call);
  schedule.consume = [rows_out](const Size& at) {
    return copy_rows("win", "y", rows_out(at), at.size);
  };
  return schedule;
}

std::int64_t one(const Size& /*at*/) {
  return 1;
}
std::int64_t each_rank(const Size& at) {
  return at.ranks;
}
std::vector<std::int64_t> cell_per_rank(const Size& at) {
  return {at.ranks};
}

double sum(const Size& at, const Element& x, std::int64_t row, std::int64_t col) {
  double total = 0;
  for (std::int64_t rank = 0; rank < at.ranks; ++rank)
    total += x(rank, row, col);
  return total;
}

Traffic host_mesh_traffic(const Size& at, std::int64_t /*rank*/) {
  const std::int64_t read = at.bytes() == 4 ? at.size : (at.size + 15) / 16 * 16;
  const std::uint64_t moved = at.peers() * as_unsigned(read * at.bytes());
  return {moved, moved, 0, at.peers() * (1 + tiles(at.size)), at.peers()};
}

HostSchedule mesh(const std::string& name, const std::string& operands, bool has_signal,
                  std::function<double(double, double)> combine) {
  HostSchedule schedule = in_place(
      name, one,
      [has_signal](const Size& at) {
        return has_signal ? cell_per_rank(at) : std::vector<std::int64_t>{};
      },
      [operands](const Size&) { return "pld.tensor.allreduce(win" + operands + ")\n"; });
  schedule.dtypes.push_back(isa::DType::fp16);
  schedule.expected = [combine](const Size& at, const Element& x, std::int64_t, std::int64_t,
                                std::int64_t col) {
    double value = x(0, 0, col);
    for (std::int64_t rank = 1; rank < at.ranks; ++rank)
      value = combine(value, x(rank, 0, col));
    return value;
  };
  schedule.traffic = host_mesh_traffic;
  return schedule;
}

/// Tiles dealt to `lanes` cores of each device; the signal has a column to spare.
HostSchedule mesh_on_cores(std::int64_t lanes, bool has_signal) {
  HostSchedule schedule =
      mesh(fmt::format("meshOn{}Cores{}", lanes, has_signal ? "" : "WithoutSignal"),
           fmt::format("{}, core_num={}", has_signal ? ", sig" : "", lanes), has_signal,
           [](double a, double b) { return a + b; });
  if (has_signal) {
    const auto parameters = schedule.parameters;
    schedule.parameters = [parameters, lanes](const Size& at) {
      auto list = parameters(at);
      list.back().shape = {at.ranks, lanes + 1};
      return list;
    };
  }
  schedule.traffic = [lanes](const Size& at, std::int64_t rank) {
    Traffic traffic = host_mesh_traffic(at, rank);
    traffic.signals += at.peers() * as_unsigned(lanes - 1);
    traffic.clears *= as_unsigned(lanes);
    return traffic;
  };
  return schedule;
}

/// P rows, so that the rank count divides the length.
HostSchedule ring() {
  HostSchedule schedule = in_place(
      "ring", each_rank,
      [](const Size& at) {
        return std::vector<std::int64_t>{2 * (at.ranks - 1) + 1, at.ranks};
      },
      [](const Size&) { return "pld.tensor.allreduce(win, sig, mode=\"ring\")\n"; });
  schedule.expected = [](const Size& at, const Element& x, std::int64_t, std::int64_t row,
                         std::int64_t col) { return sum(at, x, row, col); };
  schedule.traffic = [](const Size& at, std::int64_t) {
    const std::uint64_t q = at.peers();
    const std::uint64_t moved = 2 * q * as_unsigned(at.size * at.bytes());
    return Traffic{moved, moved, 0, (2 * q + 1) * q, (2 * q + 1) * q};
  };
  return schedule;
}

HostSchedule host_barrier() {
  HostSchedule schedule = in_place("barrier", one, cell_per_rank,
                                   [](const Size&) { return "pld.tensor.barrier(sig)\n"; });
  schedule.expected = [](const Size&, const Element& x, std::int64_t rank, std::int64_t,
                         std::int64_t col) { return x(rank, 0, col); };
  schedule.traffic = [](const Size& at, std::int64_t) {
    return Traffic{0, 0, 0, at.peers(), at.peers()};
  };
  return schedule;
}

HostSchedule host_broadcast(bool last_root) {
  const auto root_of = [last_root](const Size& at) { return last_root ? at.ranks - 1 : 0; };
  HostSchedule schedule = in_place(
      last_root ? "broadcastFromTheLast" : "broadcastFromTheFirst", [](const Size&) { return 2; },
      cell_per_rank,
      [root_of](const Size& at) {
        return fmt::format("pld.tensor.broadcast(win, sig, root={})\n", root_of(at));
      });
  schedule.expected = [root_of](const Size& at, const Element& x, std::int64_t, std::int64_t row,
                                std::int64_t col) { return x(root_of(at), row, col); };
  schedule.traffic = [root_of](const Size& at, std::int64_t rank) {
    const std::uint64_t target = as_unsigned(2 * at.size * at.bytes());
    const std::uint64_t signals = at.peers() * tiles(2 * at.size);
    if (rank == root_of(at)) {
      return Traffic{0, at.peers() * target, target, signals, at.peers()};
    }
    return Traffic{target, 0, 0, signals, at.peers()};
  };
  return schedule;
}

HostSchedule host_reduce_scatter() {
  HostSchedule schedule = in_place("reduceScatter", each_rank, cell_per_rank, [](const Size&) {
    return "pld.tensor.reduce_scatter(win, sig)\n";
  });
  schedule.expected = [](const Size& at, const Element& x, std::int64_t rank, std::int64_t row,
                         std::int64_t col) {
    return row == rank ? sum(at, x, row, col) : x(rank, row, col);
  };
  schedule.traffic = [](const Size& at, std::int64_t) {
    const std::uint64_t moved = at.peers() * as_unsigned(at.size * at.bytes());
    return Traffic{moved, moved, 0, 2 * at.peers(), at.peers()};
  };
  return schedule;
}

HostSchedule host_allgather() {
  HostSchedule schedule = out_of_place("allgather", one, each_rank, [](const Size&) {
    return "pld.tensor.allgather(src, win, sig)\n";
  });
  schedule.expected = [](const Size&, const Element& x, std::int64_t, std::int64_t row,
                         std::int64_t col) { return x(row, 0, col); };
  schedule.traffic = [](const Size& at, std::int64_t) { return push_traffic(at, 1); };
  return schedule;
}

/// With the other shape that its signal may have.
HostSchedule host_all_to_all() {
  HostSchedule schedule = out_of_place("allToAll", each_rank, each_rank, [](const Size&) {
    return "pld.tensor.all_to_all(src, win, sig)\n";
  });
  const auto parameters = schedule.parameters;
  schedule.parameters = [parameters](const Size& at) {
    auto list = parameters(at);
    list.back().shape = {at.ranks, 1};
    return list;
  };
  schedule.expected = [](const Size&, const Element& x, std::int64_t rank, std::int64_t row,
                         std::int64_t col) { return x(row, rank, col); };
  schedule.traffic = [](const Size& at, std::int64_t) { return push_traffic(at, 1); };
  return schedule;
}

HostSchedule host_all_to_all_v() {
  const auto rows = [](const Size& at) { return at.ranks * kCapacity; };
  HostSchedule schedule = out_of_place("allToAllV", rows, rows, [](const Size&) {
    return "pld.tensor.all_to_all_v(src, win, sig, send, recv)\n";
  });
  const auto parameters = schedule.parameters;
  schedule.parameters = [parameters](const Size& at) {
    auto list = parameters(at);
    list.back().shape = {at.ranks, 1};
    list.push_back({Kind::in, "counts", {at.ranks, 1}, isa::DType::int32});
    list.push_back({Kind::out, "received", {at.ranks, 1}, isa::DType::int32});
    list.push_back({Kind::window, "send", {at.ranks, 1}, isa::DType::int32});
    list.push_back({Kind::window, "recv", {at.ranks, 1}, isa::DType::int32});
    return list;
  };
  const auto copy_counts = [](const Size& at, const std::string& from, const std::string& to) {
    return fmt::format("for q in pl.range({}):\n    pl.write({}, [q, 0], pl.read({}, [q, 0]))\n",
                       at.ranks, to, from);
  };
  const auto publish = schedule.publish;
  const auto consume = schedule.consume;
  schedule.publish = [publish, copy_counts](const Size& at) {
    return publish(at) + copy_counts(at, "counts", "send");
  };
  schedule.consume = [consume, copy_counts](const Size& at) {
    return consume(at) + copy_counts(at, "recv", "received");
  };
  move_whole_blocks(schedule);
  return schedule;
}

}  // namespace

const std::vector<HostSchedule>& host_schedules() {
  static const std::vector<HostSchedule> all{
      host_barrier(),
      host_broadcast(false),
      host_broadcast(true),
      mesh("mesh", ", sig", true, [](double a, double b) { return a + b; }),
      mesh("meshMax", ", sig, op=pld.ReduceOp.Max", true,
           [](double a, double b) { return std::max(a, b); }),
      mesh("meshMin", ", sig, op=pld.ReduceOp.Min", true,
           [](double a, double b) { return std::min(a, b); }),
      mesh("meshProd", ", sig, op=pld.ReduceOp.Prod", true,
           [](double a, double b) { return a * b; }),
      mesh("meshWithoutSignal", "", false, [](double a, double b) { return a + b; }),
      mesh_on_cores(2, true),
      mesh_on_cores(3, true),
      mesh_on_cores(2, false),
      ring(),
      host_allgather(),
      host_reduce_scatter(),
      host_all_to_all(),
      host_all_to_all_v()};
  return all;
}

}  // namespace a2a3::collectives
