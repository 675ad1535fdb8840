// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "interp/kernel_run.hpp"
#include "isa/order/run_observer.hpp"
#include "isa/order/sync_index.hpp"

namespace a2a3::interp {

/// Tells the observers of a run what its cores do.
class RunEvents {
 public:
  /// `unfenced_index` is isa::unfenced_index() of the run's tasks where no fence follows writes.
  RunEvents(const std::vector<KernelRun::Core>& cores, std::vector<isa::RunObserver*> observers,
            std::uint32_t unfenced_index = kFenced);
  static constexpr std::uint32_t kFenced = std::numeric_limits<std::uint32_t>::max();

  /// The core comes to the instruction: where in its task that stands. Once for each.
  isa::RunEvent place(std::size_t core, const isa::Instruction& instruction);

  /// Tiles without values exist now.
  void created(const isa::RunEvent& event, std::span<const isa::Tile> tiles) const;
  /// An operation that is no notify and no wait is about to take effect.
  void operation(const isa::RunEvent& event, const isa::Operation& operation) const;
  void notify(const isa::RunEvent& event, const isa::TNotify& notify, isa::CellChange cell) const;
  void wait(const isa::RunEvent& event, const isa::TWait& wait, std::int32_t value) const;
  void meet(const isa::RunEvent& event, const isa::TDeferWait& condition, std::int32_t value) const;
  void overwrite(const isa::RunEvent& event, isa::GlobalAddress address, std::uint64_t bytes) const;
  void begin(const isa::RunEvent& event) const;
  void complete(std::uint32_t task) const;

 private:
  /// Where a core stands.
  struct Position {
    std::uint32_t device = 0;
    std::uint32_t task = 0;
    isa::SyncIndex sync;
  };

  std::vector<Position> positions_;  ///< by core
  std::vector<isa::RunObserver*> observers_;
  std::vector<isa::RunObserver*> access_observers_;  ///< those that see accesses
  std::uint32_t unfenced_index_;
};

}  // namespace a2a3::interp
