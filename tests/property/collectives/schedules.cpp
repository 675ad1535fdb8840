// SPDX-License-Identifier: Apache-2.0
#include "schedules.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace a2a3::collectives {
namespace {

using Kind = Parameter::Kind;
using Element = Contract::Element;

std::uint64_t u(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

std::int64_t divide_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

Parameter signal_window(const Size& at) {
  return {Kind::window, "sig", {at.ranks, 1}, isa::DType::int32};
}

/// x, y and a window `win` of so many rows each.
std::vector<Parameter> with_window(const Size& at, std::int64_t in, std::int64_t out,
                                   std::int64_t window) {
  return {{Kind::in, "x", {in, at.size}, at.dtype},
          {Kind::out, "y", {out, at.size}, at.dtype},
          {Kind::window, "win", {window, at.size}, at.dtype},
          signal_window(at)};
}

std::string rows(const std::string& from, const std::string& to, std::int64_t count,
                 std::int64_t size) {
  std::string text;
  for (std::int64_t row = 0; row < count; ++row)
    text += copy_row(from, std::to_string(row), to, std::to_string(row), size);
  return text;
}

struct Reduction {
  const char* member;
  double (*combine)(double, double);
};
constexpr Reduction kReduces[] = {{"Sum", [](double a, double b) { return a + b; }},
                                  {"Max", [](double a, double b) { return std::max(a, b); }},
                                  {"Min", [](double a, double b) { return std::min(a, b); }},
                                  {"Prod", [](double a, double b) { return a * b; }}};

std::int64_t segment_begin(const Size& at, std::int64_t i) {
  if (at.bytes() == 4) return i * at.size / at.ranks;
  return std::min(at.size, 16 * divide_up(i * at.size, 16 * at.ranks));
}
std::int64_t segment_bytes(const Size& at, std::int64_t i) {
  const std::int64_t segment = (i + at.ranks) % at.ranks;
  return (segment_begin(at, segment + 1) - segment_begin(at, segment)) * at.bytes();
}

Traffic mesh_traffic(const Size& at, std::int64_t /*rank*/) {
  const std::int64_t chunk = 16384 / at.bytes();
  // FP16 reads whole 32-byte blocks.
  const std::int64_t read = at.bytes() == 4 ? at.size : divide_up(at.size, 16) * 16;
  const std::uint64_t moved = at.peers() * u(read * at.bytes());
  return {moved, moved, 0, at.peers() * u(1 + divide_up(at.size, chunk)), at.peers()};
}

Traffic ring_traffic(const Size& at, std::int64_t rank) {
  const std::int64_t whole = 2 * at.size * at.bytes();
  const std::int64_t longest = at.bytes() == 4
                                   ? divide_up(at.size, at.ranks)
                                   : std::min(at.size, divide_up(at.size, at.ranks) + 15);
  const std::int64_t block = 32 / at.bytes();
  const std::int64_t chunk = std::min(16384 / at.bytes(), divide_up(longest, block) * block);
  const std::uint64_t subs = u(divide_up(longest, chunk));
  const std::uint64_t q = at.peers();
  return {u(whole - segment_bytes(at, rank - 1) - segment_bytes(at, rank)),
          u(whole - segment_bytes(at, rank) - segment_bytes(at, rank + 1)), 0, 4 * subs * q * q,
          2 * q * q};
}

Schedule allreduce(const Reduction& reduce, bool ring) {
  Schedule schedule;
  schedule.name = std::string(ring ? "ring" : "mesh") + reduce.member;
  schedule.parameters = [ring](const Size& at) {
    auto parameters = with_window(at, 1, 1, 1);
    if (ring) parameters[3].shape = {std::max<std::int64_t>(1, 2 * (at.ranks - 1)), at.ranks};
    return parameters;
  };
  schedule.body = [reduce, ring](const Size& at) {
    return rows("x", "win", 1, at.size) +
           fmt::format("win = pld.tensor.allreduce(win, sig, op=pld.ReduceOp.{}, mode=\"{}\")\n",
                       reduce.member, ring ? "ring" : "mesh") +
           rows("win", "y", 1, at.size);
  };
  schedule.expected = [reduce](const Size& at, const Element& x, std::int64_t, std::int64_t,
                               std::int64_t col) {
    double value = x(0, 0, col);
    for (std::int64_t rank = 1; rank < at.ranks; ++rank)
      value = reduce.combine(value, x(rank, 0, col));
    return value;
  };
  schedule.traffic = ring ? ring_traffic : mesh_traffic;
  return schedule;
}

Schedule barrier() {
  Schedule schedule;
  schedule.name = "barrier";
  schedule.parameters = [](const Size& at) { return with_window(at, 1, 1, 1); };
  schedule.body = [](const Size& at) {
    return rows("x", "win", 1, at.size) + "pld.tensor.barrier(sig)\n" +
           rows("win", "y", 1, at.size);
  };
  schedule.expected = [](const Size&, const Element& x, std::int64_t rank, std::int64_t,
                         std::int64_t col) { return x(rank, 0, col); };
  schedule.traffic = [](const Size& at, std::int64_t) {
    return Traffic{0, 0, 0, at.peers(), at.peers()};
  };
  return schedule;
}

Schedule broadcast(bool last_root) {
  const auto root_of = [last_root](const Size& at) { return last_root ? at.ranks - 1 : 0; };
  Schedule schedule;
  schedule.name = last_root ? "broadcastFromTheLast" : "broadcastFromTheFirst";
  schedule.parameters = [](const Size& at) { return with_window(at, 2, 2, 2); };
  schedule.body = [root_of](const Size& at) {
    return rows("x", "win", 2, at.size) +
           fmt::format("win = pld.tensor.broadcast(win, sig, root={})\n", root_of(at)) +
           rows("win", "y", 2, at.size);
  };
  schedule.expected = [root_of](const Size& at, const Element& x, std::int64_t, std::int64_t row,
                                std::int64_t col) { return x(root_of(at), row, col); };
  schedule.traffic = [root_of](const Size& at, std::int64_t rank) {
    const std::uint64_t target = u(2 * at.size * at.bytes());
    if (rank == root_of(at)) {
      return Traffic{0, at.peers() * target, target, at.peers(), at.peers()};
    }
    return Traffic{target, 0, 0, at.peers(), at.peers()};
  };
  return schedule;
}

Schedule allgather() {
  Schedule schedule;
  schedule.name = "allgather";
  schedule.parameters = [](const Size& at) { return with_window(at, 1, at.ranks, at.ranks); };
  schedule.body = [](const Size& at) {
    return "win = pld.tensor.allgather(x, win, sig)\n" + rows("win", "y", at.ranks, at.size);
  };
  schedule.expected = [](const Size&, const Element& x, std::int64_t, std::int64_t row,
                         std::int64_t col) { return x(row, 0, col); };
  schedule.traffic = [](const Size& at, std::int64_t) { return push_traffic(at, 1); };
  return schedule;
}

Schedule reduce_scatter() {
  Schedule schedule;
  schedule.name = "reduceScatter";
  schedule.parameters = [](const Size& at) {
    return with_window(at, at.ranks, at.ranks, at.ranks);
  };
  schedule.body = [](const Size& at) {
    return rows("x", "win", at.ranks, at.size) + "win = pld.tensor.reduce_scatter(win, sig)\n" +
           rows("win", "y", at.ranks, at.size);
  };
  schedule.expected = [](const Size& at, const Element& x, std::int64_t rank, std::int64_t row,
                         std::int64_t col) {
    if (row != rank) return x(rank, row, col);  // other rows stay
    double sum = 0;
    for (std::int64_t peer = 0; peer < at.ranks; ++peer)
      sum += x(peer, row, col);
    return sum;
  };
  schedule.traffic = [](const Size& at, std::int64_t) {
    const std::uint64_t moved = at.peers() * u(at.size * at.bytes());
    return Traffic{moved, moved, 0, 2 * at.peers(), at.peers()};
  };
  return schedule;
}

Schedule all_to_all() {
  Schedule schedule;
  schedule.name = "allToAll";
  schedule.parameters = [](const Size& at) {
    return with_window(at, at.ranks, at.ranks, at.ranks);
  };
  schedule.body = [](const Size& at) {
    return "win = pld.tensor.all_to_all(x, win, sig)\n" + rows("win", "y", at.ranks, at.size);
  };
  schedule.expected = [](const Size&, const Element& x, std::int64_t rank, std::int64_t row,
                         std::int64_t col) { return x(row, rank, col); };
  schedule.traffic = [](const Size& at, std::int64_t) { return push_traffic(at, 1); };
  return schedule;
}

/// y holds the blocks, and one more row whose first elements are the counts received.
Schedule all_to_all_v() {
  Schedule schedule;
  schedule.name = "allToAllV";
  schedule.parameters = [](const Size& at) {
    const std::int64_t all = at.ranks * kCapacity;
    auto parameters = with_window(at, all, all, all);
    parameters.push_back({Kind::in, "counts", {at.ranks, 1}, isa::DType::int32});
    parameters.push_back({Kind::out, "received", {at.ranks, 1}, isa::DType::int32});
    parameters.push_back({Kind::window, "recv", {at.ranks, 1}, isa::DType::int32});
    return parameters;
  };
  schedule.body = [](const Size& at) {
    return "win = pld.tensor.all_to_all_v(x, win, sig, counts, recv)\n" +
           rows("win", "y", at.ranks * kCapacity, at.size) +
           fmt::format(
               "for q in pl.range({}):\n"
               "    pl.write(received, [q, 0], pl.read(recv, [q, 0]))\n",
               at.ranks);
  };
  move_whole_blocks(schedule);
  return schedule;
}

}  // namespace

Traffic push_traffic(const Size& at, std::int64_t rows_per_peer) {
  const std::uint64_t slice = u(rows_per_peer * at.size * at.bytes());
  return {at.peers() * slice, at.peers() * slice, slice, at.peers(), at.peers()};
}

void move_whole_blocks(Contract& schedule) {
  schedule.expected = [](const Size&, const Element& x, std::int64_t rank, std::int64_t row,
                         std::int64_t col) {
    return x(row / kCapacity, rank * kCapacity + row % kCapacity, col);
  };
  schedule.traffic = [](const Size& at, std::int64_t) {
    Traffic traffic = push_traffic(at, kCapacity);
    traffic.signals *= 2;  // the counts
    traffic.clears += 1;   // the own count
    return traffic;
  };
}

const std::vector<Schedule>& schedules() {
  static const std::vector<Schedule> all = [] {
    std::vector<Schedule> list{barrier(), broadcast(false), broadcast(true)};
    for (const Reduction& reduce : kReduces) {
      list.push_back(allreduce(reduce, false));
      list.push_back(allreduce(reduce, true));
    }
    for (Schedule schedule : {allgather(), reduce_scatter(), all_to_all(), all_to_all_v()})
      list.push_back(std::move(schedule));
    return list;
  }();
  return all;
}

double element(std::int64_t rank, std::int64_t i) {
  return static_cast<double>((rank * 5 + i * 3 + i / 7) % 4 - 1);
}

std::int64_t sent_rows(std::int64_t from, std::int64_t to) {
  return (from * 3 + to * 2) % (kCapacity + 3) - 1;
}

}  // namespace a2a3::collectives
