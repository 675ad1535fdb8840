// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "writer.hpp"

namespace a2a3::collectives {
namespace {

using Kind = Parameter::Kind;

/// Columns of a tile for a row: whole 32-byte blocks of any dtype.
std::int64_t tile_cols(std::int64_t cols) {
  return (cols + 31) / 32 * 32;
}

}  // namespace

const char* member(Reduce op) {
  constexpr const char* kMembers[] = {"Sum", "Max", "Min", "Prod"};
  return kMembers[static_cast<std::size_t>(op)];
}

std::string Writer::body() {
  block(program_.statements);
  // Nobody is inside a call any more: the cells are at rest.
  line("pld.tensor.barrier(s0)");
  copy_mesh_and_ring_cells();
  return std::move(text_);
}

std::string Writer::kernel(const std::vector<Statement>& statements,
                           const std::vector<std::int64_t>& loops) {
  loops_ = loops;
  block(statements);
  return std::move(text_);
}

std::string Writer::cells() {
  line("pld.tensor.barrier(s0)");
  copy_mesh_and_ring_cells();
  copy_cells("lanes", program_.ranks, kLanes);
  copy_cells("ring", 2 * (program_.ranks - 1) + 1, program_.ranks);
  for (const char* signal : {"flat", "other"}) {
    line(fmt::format("for row in pl.range({}):", program_.ranks));
    line(fmt::format("    pl.write({0}_left, [row], pl.read({0}, [row]))", signal));
  }
  return std::move(text_);
}

void Writer::copy_mesh_and_ring_cells() {
  for (std::size_t i = 0; i < program_.mesh_signals; ++i)
    copy_cells(fmt::format("s{}", i), program_.ranks, 1);
  for (std::size_t i = 0; i < program_.ring_signals; ++i)
    copy_cells(fmt::format("ring{}", i), program_.ring_rows(), program_.ranks);
}

void Writer::copy_cells(const std::string& signal, std::int64_t rows, std::int64_t cols) {
  line(fmt::format("for row in pl.range({}):", rows));
  line(fmt::format("    for col in pl.range({}):", cols));
  line(fmt::format("        pl.write({0}_left, [row, col], pl.read({0}, [row, col]))", signal));
}

void Writer::block(const std::vector<Statement>& statements) {
  for (const Statement& statement : statements)
    add(statement);
}

std::string Writer::output_row(std::int64_t first, std::int64_t rows) const {
  std::string round = "0";
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    round = i == 0 ? "i0" : fmt::format("({} * {} + i{})", round, loops_[i], i);
  }
  return fmt::format("{} + {} * {}", first, round, rows);
}

void Writer::add(const Statement& statement) {
  const std::size_t w = statement.window;
  const DataWindow& data = program_.windows[w];
  const auto row_of = [&](const std::string& tensor, const std::string& row) {
    return fmt::format("pl.load({}, [{}, 0], [1, {}], valid_shape=[1, {}])", tensor, row,
                       tile_cols(data.cols), data.cols);
  };
  const std::string window = fmt::format("w{}", w);
  const std::string rebind = statement.rebinds ? window + " = " : "";
  const std::string signal = fmt::format("s{}", statement.signal);
  switch (statement.act) {
    case Act::stage:
      line(fmt::format("for row in pl.range({}):", data.rows));
      line(fmt::format("    {0}pl.store({1}, [row, 0], {2})", rebind,
                       row_of(fmt::format("a{}", w), "row"), window));
      break;
    case Act::add:
      line(fmt::format("for row in pl.range({}):", data.rows));
      line(fmt::format("    {0}pl.store(pl.add({1}, {2}), [row, 0], {3})", rebind,
                       row_of(window, "row"), row_of(fmt::format("a{}", w), "row"), window));
      break;
    case Act::record:
      line(fmt::format("for row in pl.range({}):", data.rows));
      line(fmt::format("    y{0} = pl.store({1}, [{2} + row, 0], y{0})", w, row_of(window, "row"),
                       output_row(statement.first_row, data.rows)));
      break;
    case Act::record_counts:
      line(fmt::format("for row in pl.range({}):", program_.ranks));
      line(fmt::format("    pl.write(got{0}, [{1} + row, 0], pl.read(recv{0}, [row, 0]))", w,
                       output_row(statement.first_row, program_.ranks)));
      break;
    case Act::barrier:
      line(fmt::format("pld.tensor.barrier({})", signal));
      break;
    case Act::broadcast:
      line(fmt::format("{}pld.tensor.broadcast({}, {}, root={})", rebind, window, signal,
                       statement.root));
      break;
    case Act::mesh:
    case Act::ring: {
      const bool ring = statement.act == Act::ring;
      line(fmt::format("{}pld.tensor.allreduce({}, {}, op=pld.ReduceOp.{}, mode=\"{}\")", rebind,
                       window, ring ? fmt::format("ring{}", statement.signal) : signal,
                       member(statement.op), ring ? "ring" : "mesh"));
      break;
    }
    case Act::allgather:
      line(fmt::format("{}pld.tensor.allgather(x{}, {}, {})", rebind, w, window, signal));
      break;
    case Act::reduce_scatter:
      line(fmt::format("{}pld.tensor.reduce_scatter({}, {})", rebind, window, signal));
      break;
    case Act::all_to_all:
      line(fmt::format("{}pld.tensor.all_to_all(a{}, {}, {})", rebind, w, window, signal));
      break;
    case Act::all_to_all_v:
      line(fmt::format("{0}pld.tensor.all_to_all_v(a{1}, {2}, {3}, counts{1}, recv{1})", rebind, w,
                       window, signal));
      break;
    case Act::for_loop:
    case Act::while_loop:
      add_loop(statement);
      break;
    case Act::branch:
      add_branch(statement);
      break;
    case Act::publish:
      add_publish(statement);
      break;
    case Act::dispatch:
      break;  // of host functions
  }
}

void Writer::add_loop(const Statement& statement) {
  const std::size_t depth = loops_.size();
  if (statement.act == Act::for_loop) {
    line(fmt::format("for i{} in pl.range({}):", depth, statement.trips));
  } else {
    line(fmt::format("i{} = 0", depth));
    line(statement.flag < 0
             ? fmt::format("while i{} < {}:", depth, statement.trips)
             : fmt::format("while i{} < pl.read(flags, [{}, 0]):", depth, statement.flag));
  }
  loops_.push_back(statement.trips);
  ++indent_;
  block(statement.body);
  if (statement.act == Act::while_loop) line(fmt::format("i{0} = i{0} + 1", depth));
  --indent_;
  loops_.pop_back();
}

void Writer::add_branch(const Statement& statement) {
  const Condition& condition = statement.condition;
  line(condition.reads_flag
           ? fmt::format("if pl.read(flags, [{}, 0]) > {}:", condition.index, condition.bound)
           : fmt::format("if i{} > {}:", loops_.size() - 1, condition.bound));
  ++indent_;
  block(statement.body);
  --indent_;
  if (statement.otherwise.empty()) return;
  line("else:");
  ++indent_;
  block(statement.otherwise);
  --indent_;
}

void Writer::add_publish(const Statement& statement) {
  const std::size_t w = statement.window;
  const DataWindow& data = program_.windows[w];
  const std::string row =
      fmt::format("[1, {}], valid_shape=[1, {}]", tile_cols(data.cols), data.cols);
  line(fmt::format("for row in pl.range({}):", data.rows));
  line(
      fmt::format("    src{0} = pl.store(pl.load(w{0}, [row, 0], {1}), [row, 0], src{0})", w, row));
  line(fmt::format("one{0} = pl.store(pl.load(w{0}, [0, 0], {1}), [0, 0], one{0})", w, row));
  if (!data.takes_counts) return;
  line(fmt::format("for row in pl.range({}):", program_.ranks));
  line(fmt::format("    pl.write(send{0}, [row, 0], pl.read(counts{0}, [row, 0]))", w));
}

std::vector<Parameter> parameters(const RandomProgram& program) {
  constexpr isa::DType kInt = isa::DType::int32;
  std::vector<Parameter> list{
      {Kind::in, "flags", {static_cast<std::int64_t>(program.flags.size()), 1}, kInt}};
  for (std::size_t w = 0; w < program.windows.size(); ++w) {
    const DataWindow& data = program.windows[w];
    const auto add = [&](Kind kind, const char* name, std::int64_t rows, std::int64_t cols,
                         isa::DType dtype) {
      list.push_back({kind, fmt::format("{}{}", name, w), {rows, cols}, dtype});
    };
    add(Kind::in, "x", 1, data.cols, data.dtype);
    add(Kind::in, "a", data.rows, data.cols, data.dtype);
    add(Kind::out, "y", data.recorded, data.cols, data.dtype);
    add(Kind::window, "w", data.rows, data.cols, data.dtype);
    if (data.published) {
      add(Kind::window, "src", data.rows, data.cols, data.dtype);
      add(Kind::window, "one", 1, data.cols, data.dtype);
      if (data.takes_counts) add(Kind::window, "send", program.ranks, 1, kInt);
    }
    if (!data.takes_counts) continue;
    add(Kind::in, "counts", program.ranks, 1, kInt);
    add(Kind::window, "recv", program.ranks, 1, kInt);
    if (data.counts_recorded > 0) add(Kind::out, "got", data.counts_recorded, 1, kInt);
  }
  const auto signal = [&](const std::string& name, std::int64_t rows, std::int64_t cols) {
    list.push_back({Kind::window, name, {rows, cols}, kInt});
    list.push_back({Kind::out, name + "_left", {rows, cols}, kInt});
  };
  for (std::size_t i = 0; i < program.mesh_signals; ++i)
    signal(fmt::format("s{}", i), program.ranks, 1);
  for (std::size_t i = 0; i < program.ring_signals; ++i)
    signal(fmt::format("ring{}", i), program.ring_rows(), program.ranks);
  return list;
}

std::string text(const RandomProgram& program) {
  if (program.on_host) return host_text(program);
  return collectives::program(parameters(program), Writer(program).body());
}

}  // namespace a2a3::collectives
