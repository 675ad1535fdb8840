// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "isa/order/signal_history.hpp"
#include "isa/order/vector_clock.hpp"

namespace a2a3::isa {

/// The signals of one thread on one cell, in program order.
struct SignalChain {
  struct Signal {
    std::uint32_t index = 0;   ///< in its thread
    std::uint32_t stage = 0;   ///< of its thread: which clock was its thread's then
    std::uint32_t landed = 0;  ///< how many landed on the cell before it
    NotifyOp op = NotifyOp::atomic_add;
    std::int32_t value = 0;
  };
  Thread sender = 0;
  std::vector<Signal> signals;
  // For a WaitRule, by enter_sums:
  std::vector<std::int64_t> sums;  ///< of the adds among the first n, for n from 0
  std::vector<std::size_t> sets;   ///< which of them are Sets

  void enter_sums();
  /// The first Set from signal n on; as many as there are signals when there is none.
  [[nodiscard]] std::size_t next_set(std::size_t n) const;

  /// How far thread `t` must be for signal n to land.
  [[nodiscard]] std::uint32_t reach(std::size_t n, Thread t,
                                    const std::vector<VectorClock>& stages) const {
    return t == sender ? signals[n].index + 1 : stages[signals[n].stage][t];
  }
};

/// The signals on one cell.
struct CellSignals {
  std::int32_t initial = 0;
  std::vector<SignalChain> chains;
};

/// When one wait can end.
///
/// Among the signals on its cell it knows those that its thread had to wait for before. Which of
/// the others have landed depends on the run, but of each sender the first ones. The values that
/// the cell can have lie between bounds: the last Set to land, or the initial value when the wait
/// knows of no Set, and behind it the adds that need not come before that Set, of each sender a
/// stretch without a Set. The bounds take each sender by itself, so that they are too wide where a
/// negative add of one sender has to come with a positive one of another. An exact value counts as
/// possible when it lies between them and, where only one sender plays a part, is one of the sums.
class WaitRule {
 public:
  struct Wait {
    Thread thread = 0;
    std::uint32_t limit = 0;  ///< signals that need more of the own thread come after the wait
    std::uint32_t index = 0;  ///< own signals with a lower index have landed
    SignalHistory::Condition condition;
  };
  /// `before` is the clock of the wait's thread before it. All arguments must outlive the rule.
  WaitRule(const CellSignals& cell, const std::vector<VectorClock>& stages, const Wait& wait,
           const VectorClock& before);

  /// The least clock with which the wait can end: the component of each thread by itself. nullopt
  /// when all signals together cannot end it.
  [[nodiscard]] std::optional<VectorClock> clock();

  /// How many signals were looked at.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  using Counts = std::vector<std::size_t>;  ///< by chain: how many of its signals may have landed

  struct Bounds {
    std::int64_t low = 0;
    std::int64_t high = 0;
  };
  /// What of one chain may have landed behind a Set, or at all: signals from a first one on.
  struct Stretch {
    std::size_t first = 0;      ///< those before it come before the Set
    std::size_t forced = 0;     ///< from here on they come after the Set
    std::size_t stop = 0;       ///< the Set is not the last one any more
    std::vector<Bounds> added;  ///< by how many may have landed, from the known ones on
  };
  /// A signal that may be the last Set, or none.
  struct Start {
    std::int64_t value = 0;
    std::optional<std::size_t> chain;
    std::size_t position = 0;
    std::vector<Stretch> stretches;  ///< by chain
  };

  void add_start(std::optional<std::size_t> chain, std::size_t position);
  [[nodiscard]] Stretch stretch_behind(const SignalChain& set_chain, std::size_t set,
                                       const SignalChain& chain) const;
  void enter_bounds(std::size_t chain, Stretch& stretch);
  [[nodiscard]] const Bounds& added(const Start& start, std::size_t chain,
                                    std::size_t count) const {
    return start.stretches[chain].added[count - known_[chain]];
  }
  [[nodiscard]] bool can_add(std::size_t chain, const Stretch& stretch, std::size_t count,
                             std::int64_t amount);
  [[nodiscard]] bool can_hold(const Start& start, const Counts& counts);
  [[nodiscard]] bool can_hold(const Counts& counts);
  [[nodiscard]] Counts least_counts();
  [[nodiscard]] std::uint32_t least_reach(Thread t, std::uint32_t known);
  [[nodiscard]] std::optional<std::int64_t> missing_sum() const;
  void reach_sum(VectorClock& clock);

  const CellSignals& cell_;
  const std::vector<VectorClock>& stages_;
  const Wait wait_;
  const VectorClock& before_;
  Counts known_;
  Counts most_;
  std::vector<Start> starts_;
  std::optional<std::int64_t> missing_;  ///< of a sum that is all that matters, see missing_sum
  std::uint64_t steps_ = 0;
};

}  // namespace a2a3::isa
