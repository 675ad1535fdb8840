// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "isa/order/access.hpp"
#include "isa/order/sync_trace.hpp"
#include "isa/order/task_order.hpp"

namespace a2a3::isa {

/// Of a race, the wait before its second access that comes nearest to what is missing.
struct RaceWait {
  enum class Bond : std::uint8_t {
    stranger,  ///< the thread of the first access signals no cell that was waited on
    before,    ///< it signals the cell, but before its access only
    meant      ///< the wait is for a signal that comes behind that access, and passes without it
  };
  /// Signals of a line by one device that make the condition true without that thread's behind the
  /// first access.
  struct Credit {
    std::uint32_t device = 0;
    SourceId source = 0;
    NotifyOp op = NotifyOp::atomic_add;
    std::int32_t sum = 0;     ///< of a Set its last value
    std::uint64_t count = 0;  ///< notifies
    std::uint32_t cell = 0;
  };
  Bond bond = Bond::stranger;
  std::uint32_t cell = 0;  ///< its number
  SourceId source = 0;
  SignalHistory::Condition condition;
  /// In the order in which they came; of a stranger for all cells that were waited on. None when
  /// the cell has the value from the start.
  std::vector<Credit> credits;
  std::int32_t initial = 0;            ///< of the cell
  std::set<std::uint32_t> senders;     ///< devices that signal the cell with more than 0
  bool has_set = false;                ///< a Set is among these signals
  std::uint32_t waits = 0;             ///< how many the thread has on the cell
  std::optional<std::int32_t> a_time;  ///< all adds on the cell for each wait, where all are alike
};

/// What the waits of a run were satisfied with, looked up in its trace when there is a race.
class RaceWaits {
 public:
  RaceWaits(const SyncTrace& trace, const TaskOrder& order);

  /// The cells that the thread of the access had waited on before it.
  [[nodiscard]] std::set<std::uint32_t> waited_before(const AccessRecord& access) const;
  /// Some wait of the thread asks for all credits that ever come to the cell: then one that cannot
  /// block repeats an earlier one, and is not meant for credits that are still to come.
  [[nodiscard]] bool asks_for_all(Thread thread, std::uint32_t cell) const;
  /// nullopt when it had waited for nothing before the second access.
  [[nodiscard]] std::optional<RaceWait> before(const AccessRecord& second,
                                               const AccessRecord& first) const;

 private:
  struct Asked {
    std::size_t place = 0;  ///< in the trace
    std::uint32_t index = 0;
    std::uint32_t cell = 0;
    SignalHistory::Condition condition;
    SourceId source = 0;
  };
  /// The last wait of a thread on a cell before an access.
  struct Last {
    const Asked* asked = nullptr;
    std::uint32_t number = 0;  ///< of the thread's waits on this cell, from 1
  };
  using Signals = std::vector<std::size_t>;  ///< places in the trace

  [[nodiscard]] const SyncTrace::Signal& signal(std::size_t place) const;
  [[nodiscard]] std::optional<std::int64_t> sum_of(const Signals& signals) const;
  [[nodiscard]] const Signals& signals_of(std::uint32_t cell) const;
  [[nodiscard]] std::map<std::uint32_t, Last> last_before(const AccessRecord& access) const;
  [[nodiscard]] RaceWait::Bond bond(const Last& last, const AccessRecord& first) const;
  [[nodiscard]] std::vector<RaceWait::Credit> credits(const Last& last,
                                                      const AccessRecord& first) const;
  void count_signals(RaceWait& wait, Thread waiter) const;

  const SyncTrace& trace_;
  const TaskOrder& order_;
  std::vector<std::vector<Asked>> waits_;                      ///< by thread
  std::vector<Signals> signals_;                               ///< by cell
  std::set<std::pair<Thread, std::uint32_t>> asking_for_all_;  ///< and the cell
};

}  // namespace a2a3::isa
