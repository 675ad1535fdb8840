// SPDX-License-Identifier: Apache-2.0
#include "ir/passes/collectives/collective.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ir/check/dim_expr.hpp"
#include "ir/op.hpp"

namespace a2a3::ir {
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
  if (!dim.has_opaque_symbol()) return dim_expr(dim, module_, out_.location(), Division::truncate);
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

void Collective::ranks_of(const std::string& window) {
  out_.add(
      fmt::format("ctx = pld.get_comm_ctx({})\n"
                  "rank = pld.rank(ctx)\n"
                  "nranks = pld.nranks(ctx)\n",
                  window));
}

void Collective::bind_signal(std::size_t operand, SignalLayout layout) {
  bind_operand("SIGNAL", operand);
  const std::vector<Dim>& shape = type(operand).shape;
  // A ring of one column is for one rank only.
  const bool known =
      layout == SignalLayout::mesh
          ? shape[1].is_constant()
          : shape[0].is_constant() && shape[1].is_constant() && *shape[1].constant() > 1;
  if (known) return;
  out_.add(fmt::format("pld.system.check_signal(SIGNAL, \"{}\", \"{}\")\n", call_.op->name,
                       layout == SignalLayout::mesh ? "mesh" : "ring"));
}

void Collective::stage(const std::string& name, std::size_t operand,
                       const std::optional<std::int64_t>& rows,
                       const std::optional<std::int64_t>& cols) {
  const isa::DType dtype = type(operand).dtype;
  const std::int64_t chunk = kChunkBytes / isa::size_of(dtype);
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

std::string credit_barrier(const std::string& generation, const std::string& row) {
  const std::string own = row.empty() ? "rank, 0" : row + ", rank";
  const std::string theirs = row.empty() ? "src, 0" : row + ", src";
  return fmt::format(
      "for peer in pl.range(nranks):\n"
      "    if peer != rank:\n"
      "        pld.system.notify(SIGNAL, peer=peer, offsets=[{}], value=1, "
      "op=pld.NotifyOp.AtomicAdd)\n"
      "for src in pl.range(nranks):\n"
      "    if src != rank:\n"
      "        pld.system.wait(SIGNAL, offsets=[{}], expected={}, cmp=pld.WaitCmp.Ge)\n",
      own, theirs, generation);
}

std::string clear_credits(const std::string& credits, const std::string& row) {
  return fmt::format(
      "for src in pl.range(nranks):\n"
      "    if src != rank:\n"
      "        pld.system.notify(SIGNAL, peer=rank, offsets=[{}], value=-{}, "
      "op=pld.NotifyOp.AtomicAdd)\n",
      row.empty() ? "src, 0" : row + ", src", credits);
}

}  // namespace a2a3::ir
