// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "isa/order/access.hpp"
#include "isa/order/cell_table.hpp"
#include "isa/order/chunks.hpp"
#include "isa/order/idle_waits.hpp"
#include "isa/order/race_waits.hpp"
#include "isa/order/run_observer.hpp"
#include "isa/order/shadow_memory.hpp"
#include "isa/order/signal_check.hpp"
#include "isa/order/signal_history.hpp"
#include "isa/order/solved_order.hpp"
#include "isa/order/sync_trace.hpp"
#include "isa/order/task_order.hpp"
#include "isa/order/thread_clocks.hpp"
#include "isa/order/thread_set.hpp"

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
  /// A wait of the reader before its read that was meant for this write, as the writer signals its
  /// cell behind it, but which an earlier signal satisfies.
  struct IdleWait {
    GlobalAddress cell;
    SourceId source = 0;
  };
  std::optional<IdleWait> idle;
  /// Of the sides the program means the `later` one to come first: see second().
  bool is_turned = false;
  /// Of the second side's waits before its access the nearest one, and what satisfied it.
  std::optional<RaceWait> wait;
  /// The cells that the second side's thread had waited on, ascending.
  std::vector<GlobalAddress> second_waited;

  /// The side that has to wait for the first one.
  [[nodiscard]] const Side& second() const { return is_turned ? earlier : later; }
  [[nodiscard]] const Side& first() const { return is_turned ? later : earlier; }
};

/// What is wrong with the signals of a run that finished.
struct SignalVerdict {
  std::vector<SignalFinding> findings;
  bool hang_is_decided = true;  ///< else there are too many orders to tell whether waits can hang
};

/// Finds the accesses of global memory that no synchronisation orders, whether or not they happened
/// to come in a good order in this run. Order comes from the program order of a task, from the
/// launches that a task comes after, and from waits (and conditions for the completion of tasks)
/// that could not have ended without a notify. A notify is an atomic access of its cell: it does
/// not race with other notifies nor with waits, but with plain accesses of the cell.
///
/// Operations are told of in the order in which they take effect; they say themselves where in
/// their task they stand (SyncIndex).
///
/// What a wait could not have ended without is known at once when one thread signals its cell. On
/// cells that several threads signal it depends on the whole run: then nothing is looked at, and
/// the same run has to be told again with its order solved.
class HappensBefore final : public RunObserver {
 public:
  /// `max_records` bounds the memory: about a hundred bytes for each. `solved`, where the order was
  /// solved before, must outlive this.
  HappensBefore(TaskOrder order, std::uint64_t max_records, const SolvedOrder* solved = nullptr);

  void on_begin(const RunEvent& event) override;
  void on_complete(std::uint32_t task) override;
  void on_access(const RunEvent& event, AccessKind kind, GlobalAddress address,
                 std::uint64_t bytes) override;
  void on_overwrite(const RunEvent& event, GlobalAddress address, std::uint64_t bytes) override {
    on_access(event, AccessKind::write, address, bytes);
  }
  void on_notify(const RunEvent& event, const TNotify& notify, CellChange change) override;
  void on_wait(const RunEvent& event, const TWait& wait, std::int32_t value) override;
  void on_meet(const RunEvent& event, const TDeferWait& condition, std::int32_t value) override;

  /// Several threads signal a cell that is waited on, and the order was not solved.
  [[nodiscard]] bool needs_solving() const { return needs_solving_; }
  /// The order that needs_solving(). nullopt when that takes more than `max_records` allow.
  [[nodiscard]] std::optional<SolvedOrder> solve() const;

  /// False when the bound was reached, or the order has to be solved: nothing was looked at from
  /// then on.
  [[nodiscard]] bool is_complete() const { return complete_ && !needs_solving_; }
  /// Ordered by the lines' source ids.
  [[nodiscard]] std::vector<RaceFinding> findings() const;
  /// Of a number in a RaceWait.
  [[nodiscard]] GlobalAddress cell_address(std::uint32_t cell) const {
    return cells_[cell].address;
  }
  /// What is wrong with the signals; of a run that finished also what is left of them.
  [[nodiscard]] std::vector<SignalFinding> signal_findings(bool finished) const {
    return signals_.findings(finished);
  }
  /// The same of a run that finished, with other orders tried where waits may hang together: what
  /// cannot hang in any order is no missed value.
  [[nodiscard]] SignalVerdict judge_signals() const;

 private:
  struct Cell {
    std::uint32_t number = 0;
    GlobalAddress address;
    SignalHistory history;
    bool plainly_accessed = false;
    ThreadSet senders;
    ThreadSet waiters;

    /// One wait on it may be good for another, or one sender's signal for that of another.
    [[nodiscard]] bool is_shared() const;
  };
  AccessRecord record(const RunEvent& event) {
    return clocks_.place(event.task, event.sync_index, event.source);
  }
  [[nodiscard]] std::uint32_t device(Thread thread) const {
    return clocks_.order().device_of_thread[thread];
  }
  void trace(const SyncTrace::Event& event);
  Cell& cell(GlobalAddress address);
  void enter_user(Cell& cell, ThreadSet& users, Thread thread);
  void leave_to_solver();
  void check_signals(const RaceFinding::Side& access, GlobalAddress address, std::uint64_t bytes);
  void report(RaceKind kind, const RaceFinding::Side& earlier, const RaceFinding::Side& later,
              GlobalAddress address, std::uint64_t bytes);
  /// The later side's access of a device's memory is in no order with an earlier one.
  void report(const Conflict& conflict, const RaceFinding::Side& later, std::uint32_t memory);
  void end_wait(Cell& at, const AccessRecord& by, const SignalHistory::Condition& condition);
  [[nodiscard]] bool have_one_sender(std::uint32_t one, std::uint32_t other) const;
  void name_idle_wait(RaceFinding& finding, const RaceWaits& waits) const;
  void name_waits(RaceFinding& finding, const RaceWaits& waits) const;
  void count_records(std::size_t before, std::size_t now);

  std::uint64_t max_records_;
  const SolvedOrder* solved_;
  std::uint64_t records_ = 0;
  bool complete_ = true;
  bool needs_solving_ = false;
  ThreadClocks clocks_;
  SyncTrace trace_;
  std::vector<std::size_t> waits_ended_;  ///< by thread
  std::vector<ShadowMemory> shadows_;     ///< by device
  SignalCheck signals_;
  IdleWaits idle_;
  CellTable cell_numbers_;
  Chunks<Cell> cells_;                                 ///< by number
  std::vector<std::uint64_t> accesses_;                ///< by thread: how many so far
  using End = std::tuple<SourceId, AccessKind, bool>;  ///< a line and what it does
  std::map<std::pair<End, End>, RaceFinding> findings_;
};

}  // namespace a2a3::isa
