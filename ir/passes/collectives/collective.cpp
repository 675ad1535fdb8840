// SPDX-License-Identifier: Apache-2.0
#include "ir/passes/collectives/collective.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "ir/check/dim_expr.hpp"
#include "ir/op.hpp"

namespace a2a3::ir {
namespace {

/// A kernel has no pld.world_size().
bool mentions_world_size(const Dim& dim) {
  return std::any_of(dim.terms().begin(), dim.terms().end(), [](const auto& term) {
    return std::find(term.first.begin(), term.first.end(), Dim::kFirstOpaque) != term.first.end();
  });
}

constexpr std::int64_t kHostTileElements = 256;

}  // namespace

std::int64_t Collective::chunk_elements(std::int64_t element_bytes) const {
  return is_host() ? kHostTileElements : kMeshChunkBytes / element_bytes;
}

std::string Collective::dtype(std::size_t operand) const {
  return "pl." + std::string(isa::name(type(operand).dtype));
}

void Collective::bind_operand(const std::string& name, std::size_t operand) {
  const Expr& value = *call_.operand(operand);
  if (value.constant || std::holds_alternative<Name>(value.node)) {
    out_.bind(name, clone(value));
    return;
  }
  const std::string parameter(call_.op->parameters[operand].name);
  out_.let(parameter, clone(value));
  out_.bind(name, make_expr(Name{out_.temporary(parameter), kNoSlot}, out_.location()));
}

ExprPtr Collective::extent(std::size_t operand, std::size_t dimension) const {
  const Dim& dim = type(operand).shape.at(dimension);
  if (!dim.has_opaque_symbol() && !mentions_world_size(dim))
    return dim_expr(dim, module_, out_.location(), Division::truncate);
  // The shape of an argument that only the launch knows.
  const SourceLocation at = out_.location();
  Call call;
  call.callee = make_expr(
      Attribute{make_expr(Attribute{make_expr(Name{"pl", kNoSlot}, at), "tensor"}, at), "dim"}, at);
  call.args.push_back(clone(*call_.operand(operand)));
  call.args.push_back(make_expr(IntLiteral{static_cast<std::int64_t>(dimension)}, at));
  return make_expr(std::move(call), at);
}

void Collective::bind_extent(const std::string& name, std::size_t operand, std::size_t dimension) {
  out_.bind(name, extent(operand, dimension));
}

std::optional<std::int64_t> Collective::bind_flat(std::size_t operand) {
  const Type& target = type(operand);
  const std::optional<std::int64_t> known = target.elements_count().constant();
  bind_operand("TARGET", operand);
  if (known) {
    out_.bind("LENGTH", *known);
  } else {
    ExprPtr length;
    for (std::size_t i = 0; i < target.shape.size(); ++i) {
      ExprPtr factor = extent(operand, i);
      length = length == nullptr
                   ? std::move(factor)
                   : make_expr(Binary{BinaryOp::mul, std::move(length), std::move(factor)},
                               out_.location());
    }
    out_.let("length", std::move(length));
    out_.bind("LENGTH", make_expr(Name{out_.temporary("length"), kNoSlot}, out_.location()));
  }
  if (target.shape.size() == 2 && target.shape[0] == Dim(1)) {
    bind_operand("FLAT", operand);
  } else {
    out_.add("flat = pl.tensor.reshape(TARGET, [1, LENGTH])\n");
    std::get<Call>(std::get<Assign>(out_.statements().back().node).value->node).reshape_of =
        std::string(call_.op->name) + " target";
    out_.bind("FLAT", make_expr(Name{out_.temporary("flat"), kNoSlot}, out_.location()));
  }
  return known;
}

void Collective::ranks_of(const std::string& window, CollectiveNote note) {
  out_.add(
      fmt::format("ctx = pld.get_comm_ctx({})\n"
                  "rank = pld.rank(ctx)\n"
                  "nranks = pld.nranks(ctx)\n",
                  window));
  if (is_host()) {
    note.form = CollectiveNote::Form::host;
    note.lanes = lanes();
  }
  constexpr std::size_t kContextFromEnd = 3;
  Stmt& context = out_.statements()[out_.statements().size() - kContextFromEnd];
  std::get<Call>(std::get<Assign>(context.node).value->node).collective =
      std::make_shared<const CollectiveNote>(std::move(note));
}

void Collective::bind_signal(std::size_t operand, SignalLayout layout) {
  bind_operand("SIGNAL", operand);
  if (is_host()) return bind_host_signal(operand, layout);
  const std::vector<Dim>& shape = type(operand).shape;
  // A ring of one column is for one rank only.
  const bool known =
      layout == SignalLayout::mesh
          ? shape[1].is_constant()
          : shape[0].is_constant() && shape[1].is_constant() && *shape[1].constant() > 1;
  if (known && !both_layouts_) return;
  out_.add(fmt::format("pld.system.check_signal(SIGNAL, \"{}\", \"{}\")\n", call_.op->name,
                       name(layout)));
}

void Collective::bind_host_signal(std::size_t operand, SignalLayout layout) {
  const std::vector<Dim>& shape = type(operand).shape;
  const Dim ranks = devices_->count();
  if (layout == SignalLayout::mesh) {
    if (shape.size() == 1) column_.clear();
    if (lanes() > 1) column_ = "lane";
    if (shape[0].provably_at_least(ranks) && !both_layouts_) return;
    out_.add(fmt::format("pld.system.check_signal(SIGNAL, \"{}\", \"{}\")\n", call_.op->name,
                         name(SignalLayout::host)));
    return;
  }
  // When all of it is known, it has been checked.
  const bool known = shape[0].is_constant() && shape[1].is_constant() && ranks.is_constant();
  if (known && !both_layouts_) return;
  out_.add(fmt::format("pld.system.check_signal(SIGNAL, \"{}\", \"{}\", {})\n", call_.op->name,
                       name(SignalLayout::host_ring),
                       *type(operand_index(*call_.op, "target")).elements_count().constant()));
}

void Collective::stage(const std::string& name, std::size_t operand,
                       const std::optional<std::int64_t>& rows,
                       const std::optional<std::int64_t>& cols) {
  const isa::DType dtype = type(operand).dtype;
  const std::int64_t chunk = chunk_elements(isa::size_of(dtype));
  if (is_host()) {
    out_.add(staging_tile(name, 1, std::min(cols.value_or(chunk), chunk), dtype));
    return;
  }
  std::int64_t stage_rows = rows.value_or(1);
  std::int64_t stage_cols = cols.value_or(chunk);
  const TileBox whole = padded_box(stage_rows, stage_cols, dtype);
  if (!rows || !cols || !fits(whole.rows * whole.cols * isa::size_of(dtype))) {
    stage_cols = std::min(stage_cols, chunk);
    stage_rows = std::clamp(chunk / round_up(stage_cols, block_elements(dtype)), std::int64_t{1},
                            stage_rows);
  }
  out_.add(staging_tile(name, stage_rows, stage_cols, dtype));
}

void lower_collective(Collective& collective) {
  switch (collective.call().op->id) {
    case OpId::barrier:
      return lower_barrier(collective);
    case OpId::broadcast:
      return lower_broadcast(collective);
    case OpId::allreduce:
      if (collective.type(0).is_partly_valid()) return lower_allreduce_rectangle(collective);
      if (!is_ring(collective.call())) return lower_allreduce_mesh(collective);
      return collective.is_host() ? lower_allreduce_host_ring(collective)
                                  : lower_allreduce_ring(collective);
    case OpId::allgather:
      return lower_allgather(collective);
    case OpId::reduce_scatter:
      return lower_reduce_scatter(collective);
    case OpId::all_to_all:
      return lower_all_to_all(collective);
    case OpId::all_to_all_v:
      return lower_all_to_all_v(collective);
    default:
      throw std::logic_error("no lowering of " + std::string(collective.call().op->name));
  }
}

std::string Collective::cell(const std::string& rank, const std::string& row) const {
  if (!row.empty()) return row + ", " + rank;
  return column_.empty() ? rank : rank + ", " + column_;
}

std::string Collective::credit_barrier(const std::string& generation,
                                       const std::string& row) const {
  return fmt::format(
      "for peer in pl.range(nranks):\n"
      "    if peer != rank:\n"
      "        pld.system.notify(SIGNAL, peer=peer, offsets=[{}], value=1, "
      "op=pld.NotifyOp.AtomicAdd)\n"
      "for src in pl.range(nranks):\n"
      "    if src != rank:\n"
      "        pld.system.wait(SIGNAL, offsets=[{}], expected={}, cmp=pld.WaitCmp.Ge)\n",
      cell("rank", row), cell("src", row), generation);
}

std::string Collective::clear_credits(const std::string& credits, const std::string& row) const {
  return fmt::format(
      "for src in pl.range(nranks):\n"
      "    if src != rank:\n"
      "        pld.system.notify(SIGNAL, peer=rank, offsets=[{}], value=-{}, "
      "op=pld.NotifyOp.AtomicAdd)\n",
      cell("src", row), credits);
}

}  // namespace a2a3::ir
