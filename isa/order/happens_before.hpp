// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "isa/order/access.hpp"
#include "isa/order/shadow_memory.hpp"
#include "isa/order/signal_check.hpp"
#include "isa/order/signal_history.hpp"
#include "isa/order/task_order.hpp"

namespace a2a3::isa {

/// All races between two lines of a program: in this run the first one came `earlier` in the first
/// race, perhaps not in all.
struct RaceFinding {
  struct Side {
    std::uint32_t device = 0;
    AccessRecord record;
    AccessKind kind = AccessKind::read;
    bool is_signal = false;  ///< a notify: an atomic access of its cell
  };
  RaceKind kind = RaceKind::write_write;
  Side earlier;  ///< of the first race, in the order of this run
  Side later;
  GlobalAddress address;  ///< the bytes in common
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;  ///< of all races, one for each stretch of bytes
  std::set<std::uint32_t> earlier_devices;
  std::set<std::uint32_t> later_devices;
  /// The cells that the later side's thread had waited on, ascending; nothing there orders it after
  /// the earlier one.
  std::vector<GlobalAddress> waited;
};

/// Finds the accesses of global memory that no synchronisation orders, whether or not they happened
/// to come in a good order in this run. Order comes from the program order of a task, from the
/// launches that a task comes after, and from waits (and conditions for the completion of tasks)
/// that could not have ended without a notify. A notify is an atomic access of its cell: it does
/// not race with other notifies nor with waits, but with plain accesses of the cell.
///
/// Operations are told of in the order in which they take effect; they say themselves where in
/// their task they stand (SyncIndex).
class HappensBefore {
 public:
  /// When a task's accesses take effect.
  enum class Effects : std::uint8_t {
    in_order,  ///< in program order
    delayed    ///< perhaps after waits behind them, but before a notify behind them lands
  };
  /// `max_records` bounds the memory: about a hundred bytes for each.
  HappensBefore(TaskOrder order, std::uint64_t max_records, Effects effects = Effects::in_order);

  /// An operation of a task.
  struct Event {
    std::uint32_t task = 0;
    std::uint32_t sync_index = 0;
    SourceId source = 0;
    std::uint64_t time = 0;  ///< picoseconds
  };
  void begin_task(std::uint32_t task);
  /// All effects of the task are there and all its conditions met.
  void complete_task(std::uint32_t task);
  void access(const Event& event, AccessKind kind, GlobalAddress address, std::uint64_t bytes);
  /// A notify left its core: with delayed effects it may land after waits behind it have ended.
  void issue_notify(const Event& event);
  /// The notify took effect; its cell is `after` now.
  void notify(const Event& event, const TNotify& notify, std::int32_t after);
  /// The wait ended.
  void wait(const Event& event, const TWait& wait);
  /// The condition of a task that has ended was met.
  void meet(std::uint32_t task, const TDeferWait& condition);

  /// False when the bound was reached: nothing was looked at from then on.
  [[nodiscard]] bool is_complete() const { return complete_; }
  /// Ordered by the lines' source ids.
  [[nodiscard]] std::vector<RaceFinding> findings() const;
  /// What is wrong with the signals; of a run that finished also what is left of them.
  [[nodiscard]] std::vector<SignalFinding> signal_findings(bool finished) const {
    return signals_.findings(finished);
  }

 private:
  struct ThreadState {
    VectorClock clock;        ///< what the thread knows of the others
    ClockSnapshot snapshot;   ///< of `clock`; null when it changed
    std::uint32_t since = 0;  ///< index from which on `clock` holds
    std::vector<std::pair<std::uint32_t, ClockSnapshot>> before;  ///< and what held before that
    std::vector<std::pair<std::uint32_t, ClockSnapshot>> issued;  ///< notifies under way, by index
    std::uint32_t base = 0;  ///< index of the running task's first operation
    std::uint32_t last = 0;  ///< highest index so far
    std::uint64_t accesses = 0;
  };
  struct Cell {
    GlobalAddress address;
    SignalHistory history;
    bool plainly_accessed = false;
    /// Who waited on it: as a rule one thread.
    std::optional<Thread> first_waiter;
    std::vector<Thread> more_waiters;
  };
  struct Device {
    ShadowMemory shadow;
    std::map<std::uint64_t, std::uint32_t> cells;  ///< index into cells_, by address
  };
  /// What is left of a complete task for those that come after it.
  struct Completed {
    AccessRecord end;
    ClockSnapshot clock;
  };

  AccessRecord record(const Event& event);
  const ClockSnapshot& snapshot(ThreadState& thread);
  ClockSnapshot clock_of_notify(const AccessRecord& record);
  void keep_clock(ThreadState& thread, std::uint32_t until);
  void drop_clocks(ThreadState& thread, std::uint32_t until);
  [[nodiscard]] const VectorClock& clock_at(const AccessRecord& record) const;
  Cell& cell(GlobalAddress address);
  void acquire(Thread thread, GlobalAddress address, const SignalHistory::Condition& condition);
  void check_signals(const RaceFinding::Side& access, GlobalAddress address, std::uint64_t bytes);
  void report(RaceKind kind, const RaceFinding::Side& earlier, const RaceFinding::Side& later,
              GlobalAddress address, std::uint64_t bytes);
  void count_records(std::size_t before, std::size_t now);
  [[nodiscard]] std::size_t clock_records() const;

  TaskOrder order_;
  std::uint64_t max_records_;
  Effects effects_;
  std::uint64_t records_ = 0;
  bool complete_ = true;
  std::vector<ThreadState> threads_;
  std::vector<Device> devices_;
  SignalCheck signals_;
  std::deque<Cell> cells_;
  std::unordered_map<std::uint64_t, std::uint32_t> cell_index_;  ///< by device and offset
  std::vector<std::vector<Completed>> completed_;                ///< by launch
  std::vector<std::uint32_t> followers_;  ///< by launch: tasks that come after it, not begun yet
  using End = std::tuple<SourceId, AccessKind, bool>;  ///< a line and what it does
  std::map<std::pair<End, End>, RaceFinding> findings_;
};

}  // namespace a2a3::isa
