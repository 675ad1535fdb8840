// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "ir/passes/expansion.hpp"
#include "ir/passes/pipeline.hpp"
#include "ir/signal_layout.hpp"

namespace a2a3::ir {

/// One call of a collective on its way to statements. The texts of the lowerings use these names:
/// the temporaries `rank` and `nranks`, and what bind_operand() and bind_extent() bind.
class Collective {
 public:
  Collective(const Module& module, const Expr& call, Expansion& out, const LoweringOptions& options)
      : module_(module), call_(std::get<Call>(call.node)), out_(out), options_(options) {}

  [[nodiscard]] const Call& call() const { return call_; }
  [[nodiscard]] const Type& type(std::size_t operand) const { return call_.operand(operand)->type; }
  [[nodiscard]] std::string dtype(std::size_t operand) const;
  [[nodiscard]] Expansion& out() { return out_; }

  /// `name` stands for an operand. One that is more than a name is evaluated first.
  void bind_operand(const std::string& name, std::size_t operand);
  /// `name` stands for the extent of an operand in one dimension.
  void bind_extent(const std::string& name, std::size_t operand, std::size_t dimension);
  /// The extent as an expression.
  [[nodiscard]] ExprPtr extent(std::size_t operand, std::size_t dimension) const;

  /// `rank` and `nranks` of the domain of the window that `window` names.
  void ranks_of(const std::string& window);
  /// SIGNAL stands for the operand; a layout that is known at launch only is checked there.
  void bind_signal(std::size_t operand, SignalLayout layout);

  /// A staging tile `name` for transfers of rows x cols elements, the operand's dtype: as large as
  /// they are when that fits, else a chunk of 16 KiB.
  void stage(const std::string& name, std::size_t operand, const std::optional<std::int64_t>& rows,
             const std::optional<std::int64_t>& cols);
  /// So many bytes fit in the unified buffer.
  [[nodiscard]] bool fits(std::int64_t bytes) const { return bytes <= options_.ub_bytes; }

 private:
  const Module& module_;
  const Call& call_;
  Expansion& out_;
  const LoweringOptions& options_;
};

/// The largest piece that a collective moves through a tile at once.
inline constexpr std::int64_t kChunkBytes = 16 * 1024;
/// Rows of tiles are whole blocks of this size.
inline constexpr std::int64_t kBlockBytes = 32;

[[nodiscard]] constexpr std::int64_t divide_up(std::int64_t value, std::int64_t by) {
  return (value + by - 1) / by;
}
[[nodiscard]] constexpr std::int64_t round_up(std::int64_t value, std::int64_t to) {
  return divide_up(value, to) * to;
}

/// The credit barrier: one credit to every peer, then `generation` credits from every peer.
/// `row` is empty for the mesh layout (cell [q, 0]), or the row of the ring layout (cell [row, q]).
[[nodiscard]] std::string credit_barrier(const std::string& generation,
                                         const std::string& row = {});
/// The epilogue: takes the `credits` of each peer back out of the own cells.
[[nodiscard]] std::string clear_credits(const std::string& credits, const std::string& row = {});

// One lowering per collective; each appends to Collective::out().
void lower_barrier(Collective& collective);
void lower_broadcast(Collective& collective);
void lower_allreduce_mesh(Collective& collective);
void lower_allreduce_ring(Collective& collective);
void lower_allgather(Collective& collective);
void lower_reduce_scatter(Collective& collective);
void lower_all_to_all(Collective& collective);
void lower_all_to_all_v(Collective& collective);

}  // namespace a2a3::ir
