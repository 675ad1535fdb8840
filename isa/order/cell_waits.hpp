// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "isa/order/access.hpp"
#include "isa/order/per_thread.hpp"
#include "isa/order/short_list.hpp"
#include "isa/order/signal_history.hpp"

namespace a2a3::isa {

/// The waits on one cell, and which of them never end on some timing.
///
/// Let N(W) be the signals of the cell that do not come after the end of wait W: all happen, though
/// W never ends. W may look when they have all landed. So it hangs on some timing when its
/// condition can fail at a last value that N(W) leaves, and on none when it cannot, because then
/// the last of N(W) wakes it. Without Sets in N(W) the last value is what the cell began with plus
/// all its adds, wrapped as INT32. Else each Set of N(W) that no other one comes after may be the
/// last one, and leaves its value plus the adds that come after it. Adds in no order with that Set
/// are left out: they are a finding of their own (SignalFault::lost_credit).
///
/// The source of the rule is the axiom that a wait is ended by the present value, not by a signal:
/// kernel_language.md, wait. "Comes after" is that of the clocks that it is told, which must hold
/// in every run. The rule supposes that the other waits end: waits that hang only together, because
/// each lives from what comes behind the other, are not found. In the first wait of a stuck order,
/// by the order of this run, everything has landed that this run had before the wait: so none can
/// hang unless something nothing orders behind its wait may take the value away (is_contested).
class CellWaits {
 public:
  struct Signal {
    AccessRecord by;
    std::uint32_t device = 0;  ///< of the sender
    NotifyOp op = NotifyOp::atomic_add;
    std::int32_t value = 0;
  };
  struct Wait {
    AccessRecord by;
    std::uint32_t device = 0;
    SignalHistory::Condition condition;
  };
  struct Ended {
    Wait wait;
    std::uint64_t landed = 0;  ///< signals before it ended
    std::uint32_t base = 0;    ///< the value that it found, less what its thread's waits had missed
  };
  /// A signal that takes the value away, and what the cell is then.
  struct Missed {
    std::uint32_t device = 0;
    SourceId source = 0;
    std::int32_t value = 0;  ///< added or set
    std::int32_t left = 0;
  };

  /// `clock` is what the sender knew.
  void land(const Signal& signal, const VectorClock& clock);
  /// The wait ended and found `value`. Those of one thread come in program order.
  void end(const Wait& wait, std::int32_t value);
  /// Something that is no signal wrote the cell: earlier Sets play no part for later waits.
  void overwrite() { last_sets_.clear(); }

  [[nodiscard]] std::uint64_t landed() const { return landed_; }
  /// A Set, a negative add, or any signal for a wait for an exact value came behind a wait that it
  /// does not come after; or Sets are in no order.
  [[nodiscard]] bool is_contested() const { return contested_; }
  [[nodiscard]] bool empty() const { return threads_.empty(); }
  /// About as many as kBytesPerRecord fit into what it takes.
  [[nodiscard]] std::size_t records() const { return records_; }

  /// The last wait of a thread that the predicate is true for; null when there is none.
  template <class Predicate>
  [[nodiscard]] const Ended* find_last(Predicate&& predicate) const {
    for (const ThreadWaits& one : threads_) {
      if (predicate(one.waits.back())) return &one.waits.back();
    }
    return nullptr;
  }
  /// The waits that hang on some timing, each with one signal.
  [[nodiscard]] std::vector<std::pair<Wait, Missed>> missed() const;

 private:
  /// A Set that no other one comes after.
  struct LastSet {
    Signal set;
    std::uint32_t added = 0;  ///< by what comes after it
    bool operator==(const LastSet& other) const {
      return set.by.same_place(other.set.by) && added == other.added;
    }
  };
  using LastSets = std::vector<LastSet>;
  struct Landed {
    std::uint64_t number = 0;  ///< from 1
    Missed what;
  };
  /// Signals that come after the waits below some place of the thread, and not after those from it.
  struct Late {
    std::uint32_t sum = 0;  ///< of the adds
    std::optional<Landed> lowering;
    std::optional<Landed> raising;
  };
  struct LateAt {
    std::size_t place = 0;
    Late late;
  };
  struct ThreadWaits {
    Thread thread = 0;
    ShortList<Ended> waits;
    std::uint32_t missed = 0;  ///< the sum of all that is late
    bool exactly = false;      ///< one of its waits
    std::vector<LateAt> late;  ///< by place
    /// From the first place on, until the next entry; none as long as N(W) has no Set.
    std::vector<std::pair<std::size_t, LastSets>> sets;
  };
  static Missed missed_late(const ThreadWaits& thread, std::size_t place, std::int32_t left);
  static std::optional<Missed> missed_set(const Wait& wait, const LastSets& sets);
  static void enter(LastSets& sets, const Signal& signal, const VectorClock& clock);
  static std::size_t records_from(const ThreadWaits& thread, std::size_t entry);
  void enter_late(ThreadWaits& thread, std::size_t place, const Signal& signal);
  void enter_sets(ThreadWaits& thread, std::size_t place, const Signal& signal,
                  const VectorClock& clock);

  std::uint64_t landed_ = 0;
  bool contested_ = false;
  LastSets last_sets_;  ///< of all that has landed
  PerThread<ThreadWaits, ShortList<ThreadWaits>> threads_;
  std::size_t records_ = 0;
};

}  // namespace a2a3::isa
