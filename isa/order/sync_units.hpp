// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "isa/order/sync_trace.hpp"
#include "isa/order/task_order.hpp"

namespace a2a3::isa {

/// What an operation means to the others of its cell.
enum class CellEffect : std::uint8_t {
  at_least,  ///< a wait for at least a value
  exactly,   ///< one for a value and no other
  raise,     ///< a signal: nobody who waits for at least a value has less afterwards
  lower,     ///< an add that may take such a value away
  replace    ///< it does not commute with other signals, and may take any value away
};

/// What of a run search_hang() puts into other orders: the signals and waits of each task, in
/// program order, and the conditions of its completion, each as a unit of its own.
class SyncUnits {
 public:
  struct Step {
    std::uint32_t cell = 0;
    CellEffect effect = CellEffect::raise;
    NotifyOp op = NotifyOp::atomic_add;  ///< of a signal, like its value
    std::int32_t value = 0;
    SignalHistory::Condition condition;  ///< of a wait, like its source
    SourceId source = 0;
    std::uint32_t index = 0;

    [[nodiscard]] bool is_wait() const {
      return effect == CellEffect::at_least || effect == CellEffect::exactly;
    }
  };
  struct Unit {
    Thread thread = 0;
    std::uint32_t launch = 0;
    bool is_condition = false;           ///< it begins after its task, whatever the launch
    std::optional<std::uint32_t> after;  ///< the unit that is over before this one begins
    std::vector<Step> steps;
  };
  /// How far a unit is when none of its steps with an effect on a cell is left.
  struct Use {
    std::uint32_t unit = 0;
    std::array<std::uint32_t, 5> end{};  ///< by effect
  };
  struct Cell {
    std::optional<std::int32_t> initial;  ///< nullopt: nobody signals it, its waits just end
    std::vector<Use> uses;
  };

  SyncUnits(const SyncTrace& trace, const TaskOrder& order);

  [[nodiscard]] const std::vector<Unit>& units() const { return units_; }
  [[nodiscard]] const std::vector<Cell>& cells() const { return cells_; }
  /// By launch: its units, the conditions of its tasks among them.
  [[nodiscard]] const std::vector<std::vector<std::uint32_t>>& launches() const {
    return launches_;
  }
  /// The launches that are complete before the unit begins.
  [[nodiscard]] const std::vector<std::uint32_t>& launches_before(const Unit& unit) const;
  /// Something else than a signal wrote a cell.
  [[nodiscard]] bool is_overwritten() const { return is_overwritten_; }

 private:
  /// How the signals of a cell went in this run.
  struct Course {
    std::int32_t value = 0;
    std::int32_t highest_start = 0;  ///< initial or by a Set
    std::int32_t lowest_start = 0;
    std::int64_t added = 0;                       ///< by adds above 0
    std::int64_t subtracted = 0;                  ///< by those below, at most 0
    std::vector<SignalHistory::Condition> early;  ///< of waits that ended before the first signal
    bool is_lowered = false;
    bool set_falls = false;
    bool is_unsigned = false;  ///< in some wait's eyes
    std::set<std::uint32_t> senders;
    [[nodiscard]] bool is_plain() const;
  };
  void enter_tasks();
  void enter(const SyncTrace::Begin& begin);
  void enter(const SyncTrace::Signal& signal);
  void enter(const SyncTrace::Wait& wait);
  void enter(const SyncTrace::Meet& meet);
  void enter(const SyncTrace::Complete& /*complete*/) {}
  void grow(std::uint32_t cell);
  void enter_end(std::uint32_t cell, const SignalHistory::Condition& condition);
  void judge(Step& step) const;
  void enter_uses(std::uint32_t unit);

  const TaskOrder& order_;
  std::vector<Unit> units_;
  std::vector<Cell> cells_;
  std::vector<Course> courses_;  ///< by cell
  std::vector<std::vector<std::uint32_t>> launches_;
  std::vector<std::uint32_t> running_;  ///< by thread: its task
  bool is_overwritten_ = false;
};

}  // namespace a2a3::isa
