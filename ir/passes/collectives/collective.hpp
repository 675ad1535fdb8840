// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "ir/collective_call.hpp"
#include "ir/module.hpp"
#include "ir/passes/expansion.hpp"
#include "ir/passes/staging.hpp"
#include "ir/signal_layout.hpp"

namespace a2a3::ir {

/// One call of a collective on its way to statements. The texts of the lowerings use these names:
/// the temporaries `rank` and `nranks`, and what bind_operand() and bind_extent() bind.
class Collective {
 public:
  /// In a kernel of the user's: `free_bytes` of the unified buffer are left beside its own tiles.
  /// With `both_layouts` the program uses mesh and ring, so that one window might get into both.
  Collective(const Module& module, const Call& call, Expansion& out, std::int64_t free_bytes,
             bool both_layouts)
      : module_(module),
        call_(call),
        out_(out),
        free_bytes_(free_bytes),
        both_layouts_(both_layouts) {}
  /// Called in a host function, and the only statement of a kernel of ours on `devices`
  /// (kernel_language 4.7).
  Collective(const Module& module, const Call& call, Expansion& out, const DeviceSet& devices,
             bool both_layouts)
      : module_(module), call_(call), out_(out), both_layouts_(both_layouts), devices_(&devices) {}

  [[nodiscard]] const Call& call() const { return call_; }
  [[nodiscard]] bool is_host() const { return devices_ != nullptr; }
  [[nodiscard]] const Type& type(std::size_t operand) const { return call_.operand(operand)->type; }
  [[nodiscard]] std::string dtype(std::size_t operand) const;
  [[nodiscard]] Expansion& out() { return out_; }

  /// `name` stands for an operand. One that is more than a name is evaluated first.
  void bind_operand(const std::string& name, std::size_t operand);
  /// `name` stands for the extent of an operand in one dimension.
  void bind_extent(const std::string& name, std::size_t operand, std::size_t dimension);
  /// The extent as an expression.
  [[nodiscard]] ExprPtr extent(std::size_t operand, std::size_t dimension) const;

  /// TARGET stands for an operand, LENGTH for its number of elements, FLAT for it as [1, LENGTH].
  /// Returns the number when it is known.
  std::optional<std::int64_t> bind_flat(std::size_t operand);

  /// `rank` and `nranks` of the domain of the window that `window` names. Marks the beginning of
  /// what stands for the call, a schedule of models/traffic.
  void ranks_of(const std::string& window, CollectiveNote note);
  /// SIGNAL stands for the operand, whose cells credit_barrier() and clear_credits() use; what
  /// cannot be known before the launch is checked there.
  void bind_signal(std::size_t operand, SignalLayout layout);

  /// A staging tile `name` for transfers of rows x cols elements, the operand's dtype: as large as
  /// they are when that fits, else a chunk of 16 KiB.
  void stage(const std::string& name, std::size_t operand, const std::optional<std::int64_t>& rows,
             const std::optional<std::int64_t>& cols);
  /// Vector cores per device that share the work; the kernel's parameter `lane` counts them.
  [[nodiscard]] std::int64_t lanes() const { return is_host() ? lane_count(call_) : 1; }
  /// Tiles of so many bytes fit in the unified buffer.
  [[nodiscard]] bool fits(std::int64_t bytes) const { return bytes <= free_bytes_; }
  /// The largest piece that is moved through a tile at once: 16 KiB, or 256 elements in HOST forms.
  [[nodiscard]] std::int64_t chunk_elements(std::int64_t element_bytes) const;

  /// The credit barrier: one credit to every peer, then `generation` credits from every peer.
  /// `row` is empty for one cell per rank, or the row of cells that a ring's round uses.
  [[nodiscard]] std::string credit_barrier(const std::string& generation,
                                           const std::string& row = {}) const;
  /// The epilogue: takes the `credits` of each peer back out of the own cells.
  [[nodiscard]] std::string clear_credits(const std::string& credits,
                                          const std::string& row = {}) const;

 private:
  void bind_host_signal(std::size_t operand, SignalLayout layout);
  /// Where the own signal window keeps the credits of a rank.
  [[nodiscard]] std::string cell(const std::string& rank, const std::string& row) const;

  const Module& module_;
  const Call& call_;
  Expansion& out_;
  std::int64_t free_bytes_ = 0;
  bool both_layouts_ = false;
  const DeviceSet* devices_ = nullptr;
  std::string column_ = "0";  ///< of the signal's cells; empty when it has one dimension
};

/// Appends the statements of a collective to Collective::out().
void lower_collective(Collective& collective);

// One lowering per collective, for kernels and for host functions.
void lower_barrier(Collective& collective);
void lower_broadcast(Collective& collective);
void lower_allreduce_mesh(Collective& collective);
void lower_allreduce_rectangle(Collective& collective);
void lower_allreduce_ring(Collective& collective);
void lower_allreduce_host_ring(Collective& collective);
void lower_allgather(Collective& collective);
void lower_reduce_scatter(Collective& collective);
void lower_all_to_all(Collective& collective);
void lower_all_to_all_v(Collective& collective);

}  // namespace a2a3::ir
