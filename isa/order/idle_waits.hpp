// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "isa/order/access.hpp"
#include "isa/order/chunks.hpp"
#include "isa/order/per_thread.hpp"
#include "isa/order/short_list.hpp"
#include "isa/order/signal_history.hpp"

namespace a2a3::isa {

/// The waits that tell their thread nothing because the credit of an earlier wait on the same cell
/// satisfies them: what the thread reads behind one, it reads too early. A barrier whose cells are
/// used again is the common case.
class IdleWaits {
 public:
  struct Idle {
    std::uint32_t cell = 0;  ///< its number
    SourceId source = 0;     ///< of the wait
  };
  struct Ended {
    AccessRecord by;
    std::uint32_t cell = 0;
    SignalHistory::Condition condition;
    bool learned = false;  ///< its thread knows more than before
  };

  /// A Set or a negative add landed on the cell.
  void lower(std::uint32_t cell, const AccessRecord& by);
  /// A wait ended; `clock` is what its thread knows now. `same_sender` says whether one thread
  /// signals both cells: a wait that learns something from it ends what an idle wait stands for.
  void wait(const Ended& ended, const VectorClock& clock,
            const std::function<bool(std::uint32_t, std::uint32_t)>& same_sender);

  /// An idle wait behind which the access comes, on a cell that `counts`.
  [[nodiscard]] std::optional<Idle> before(const AccessRecord& access,
                                           const std::function<bool(std::uint32_t)>& counts) const;

  [[nodiscard]] std::size_t records() const { return records_; }

 private:
  struct Cell {
    std::uint64_t lowerings = 0;
    std::optional<AccessRecord> lowered;  ///< the last one
    struct Wait {
      AccessRecord by;
      SignalHistory::Condition condition;
      std::uint64_t lowerings = 0;  ///< before it
    };
    PerThread<Wait, ShortList<Wait>> waits;  ///< the last one of each thread
  };
  /// Accesses of a thread from an idle wait on until a wait that learns something.
  struct Stretch {
    std::uint32_t begin = 0;
    std::optional<std::uint32_t> end;
    Idle idle;
  };
  [[nodiscard]] static bool is_idle(const Cell& cell, const Ended& ended, const VectorClock& clock);

  Cell& cell(std::uint32_t number);

  Chunks<Cell> cells_;                           ///< by number
  std::vector<std::vector<Stretch>> stretches_;  ///< by thread
  std::vector<std::vector<std::size_t>> open_;   ///< by thread: of its stretches
  std::size_t records_ = 0;
};

}  // namespace a2a3::isa
