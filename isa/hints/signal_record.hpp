// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "isa/order/run_observer.hpp"
#include "isa/order/task_order.hpp"

namespace a2a3::isa {

/// A notify that a wait counted.
struct CountedSignal {
  std::uint32_t device = 0;  ///< of the sender
  SourceId source = 0;
  std::uint32_t generation = 0;  ///< the sender's n-th signal on the cell, from 1
  NotifyOp op = NotifyOp::atomic_add;
  std::int32_t value = 0;       ///< set or added
  bool is_found = false;        ///< no notify: the cell had the value before, or a store wrote it
  bool counted_before = false;  ///< by an earlier wait of the same waiter
};

/// What a wait was satisfied with.
struct WaitRecord {
  enum class State : std::uint8_t {
    fresh,          ///< a signal among those counted is new to the waiter
    earlier_round,  ///< and yet its sender's n-th one satisfies a later wait than the n-th
    stale,          ///< all were counted before: the wait could not block
    at_once         ///< it asks for no signal at all: expected <= 0
  };
  RunEvent at;
  GlobalAddress cell;
  std::uint32_t generation = 0;  ///< the waiter's n-th wait on the cell, from 1
  std::int32_t expected = 0;
  bool exactly = false;    ///< the wait asks for exactly its value, else for at least it
  bool deferred = false;   ///< a condition for the completion of a task
  std::int32_t value = 0;  ///< of the cell when it ended
  State state = State::fresh;
  /// Those that are new, in the order in which they landed; of a stale wait the newest it counts.
  std::vector<CountedSignal> signals;
  std::uint64_t counted_before = 0;  ///< how many more it counts that earlier waits have counted
};

/// Signals of one line that no wait counted and nobody read.
struct UncountedSignal {
  RunEvent at;
  GlobalAddress cell;
  std::uint32_t execution = 0;  ///< of the line by the task, from 0
  std::int32_t value = 0;
};

/// Which notify satisfied which wait, in the order of one run.
///
/// A cell is a queue of credits: an add appends its value, a Set throws the queue away and begins
/// it anew, a negative add takes from the front. A wait counts the fewest credits from the front
/// whose sum is what it asks for. A waiter is a thread of the task order. A signal that was taken
/// out in part is new again to those that counted it.
class SignalRecord final : public RunObserver {
 public:
  /// `max_records` bounds the waits that are kept, with the signals they counted; `max_signals` the
  /// signals of the run and what else was found in cells, about a hundred bytes each: beyond it
  /// nothing is followed any more.
  SignalRecord(const TaskOrder& order, std::uint64_t max_records, std::uint64_t max_signals)
      : order_(order), max_records_(max_records), max_signals_(max_signals) {}

  void on_access(const RunEvent& event, AccessKind kind, GlobalAddress address,
                 std::uint64_t bytes) override;
  void on_notify(const RunEvent& event, const TNotify& notify, CellChange change) override;
  void on_wait(const RunEvent& event, const TWait& wait, std::int32_t value) override;
  void on_meet(const RunEvent& event, const TDeferWait& condition, std::int32_t value) override;

  /// The waits that ended, in this order.
  [[nodiscard]] const std::vector<WaitRecord>& waits() const { return waits_; }
  /// Waits that ended beyond a bound: they are not in waits().
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
  /// False when `max_signals` were not enough.
  [[nodiscard]] bool is_complete() const { return signals_ <= max_signals_; }
  /// Credits, not what takes them out again, that came to nothing: no wait counted them, nobody
  /// read the cell, and no negative add took them out. Of cells that a wait asks for an exact
  /// value, and of adds behind a Set, none is known to be one. None when not complete.
  [[nodiscard]] std::vector<UncountedSignal> uncounted() const;
  /// How many signals each source sent. Empty when not complete.
  [[nodiscard]] std::map<SourceId, std::uint64_t> sent() const;

 private:
  struct Credit {
    CountedSignal signal;
    RunEvent at;
    std::uint32_t execution = 0;
    std::int64_t total = 0;  ///< of the credits up to here
    bool used = false;
  };
  struct Cell {
    std::vector<Credit> credits;
    std::int64_t taken = 0;      ///< of Credit::total: what Sets and negative adds took out
    std::size_t unmarked = 0;    ///< credits before it are used or were taken out
    bool asked_exactly = false;  ///< by some wait: then every signal counts, to keep it shut too
    bool is_set = false;
    std::map<std::uint32_t, std::uint32_t> signals_of;  ///< by sender's device
    std::map<Thread, std::uint32_t> waits_of;
    std::map<Thread, std::size_t> counted_by;  ///< credits before it

    [[nodiscard]] std::int64_t total() const { return credits.empty() ? 0 : credits.back().total; }
    [[nodiscard]] std::size_t reaching(std::int64_t total) const;
    void append(Credit credit, std::int64_t value);
    void take(std::int64_t value);
    void use(std::size_t first, std::size_t last);
    [[nodiscard]] bool found(std::int64_t value);
  };
  struct Asked {
    std::int32_t expected = 0;
    bool exactly = false;
    bool deferred = false;
  };
  void enter(const RunEvent& event, const TNotify& notify, CellChange change);
  void forget_beyond_bound();
  void record(const RunEvent& event, GlobalAddress cell, const Asked& asked, std::int32_t value);
  static WaitRecord satisfy(Cell& cell, Thread thread, const Asked& asked);

  const TaskOrder& order_;
  std::uint64_t max_records_;
  std::uint64_t max_signals_;
  std::uint64_t signals_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t left_out_ = 0;
  std::vector<WaitRecord> waits_;
  std::map<GlobalAddress, Cell> cells_;
  std::map<std::pair<std::uint32_t, SourceId>, std::uint32_t> executions_;  ///< by task
};

}  // namespace a2a3::isa
