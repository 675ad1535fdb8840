// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "ir/module.hpp"
#include "ir/passes/expansion.hpp"
#include "ir/passes/staging.hpp"
#include "ir/signal_layout.hpp"

namespace a2a3::ir {

/// One call of a collective on its way to statements. The texts of the lowerings use these names:
/// the temporaries `rank` and `nranks`, and what bind_operand() and bind_extent() bind.
class Collective {
 public:
  /// `free_bytes` of the unified buffer are left beside the kernel's own tiles. With
  /// `both_layouts` the program uses mesh and ring, so that one window might get into both.
  Collective(const Module& module, const Expr& call, Expansion& out, std::int64_t free_bytes,
             bool both_layouts)
      : module_(module),
        call_(std::get<Call>(call.node)),
        out_(out),
        free_bytes_(free_bytes),
        both_layouts_(both_layouts) {}

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
  /// SIGNAL stands for the operand; what cannot be known before the launch is checked there.
  void bind_signal(std::size_t operand, SignalLayout layout);

  /// A staging tile `name` for transfers of rows x cols elements, the operand's dtype: as large as
  /// they are when that fits, else a chunk of 16 KiB.
  void stage(const std::string& name, std::size_t operand, const std::optional<std::int64_t>& rows,
             const std::optional<std::int64_t>& cols);
  /// Tiles of so many bytes fit in the unified buffer.
  [[nodiscard]] bool fits(std::int64_t bytes) const { return bytes <= free_bytes_; }

 private:
  const Module& module_;
  const Call& call_;
  Expansion& out_;
  std::int64_t free_bytes_;
  bool both_layouts_;
};

/// The largest piece that a collective moves through a tile at once.
inline constexpr std::int64_t kChunkBytes = 16 * 1024;
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
