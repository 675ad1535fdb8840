// SPDX-License-Identifier: Apache-2.0
#include "isa/order/hang_search.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "isa/order/access.hpp"
#include "isa/order/sync_units.hpp"

namespace a2a3::isa {
namespace {

class HangSearcher {
 public:
  HangSearcher(const SyncTrace& trace, const TaskOrder& order, std::uint64_t max_records)
      : units_(trace, order),
        max_words_(max_records * kBytesPerRecord / sizeof(std::uint32_t) / 40) {}

  HangSearch search() {
    using enum HangSearch::Outcome;
    HangSearch result;
    if (units_.is_overwritten()) {
      result.outcome = overwritten;
      return result;
    }
    std::set<HangSearch::Place> all_stuck;
    std::vector<State> open{start()};
    std::set<State> seen;
    while (!open.empty()) {
      State state = std::move(open.back());
      open.pop_back();
      for (;;) {
        const std::vector<std::uint32_t> able = next_units(state);
        if (steps_ + (seen.size() + open.size()) * state.size() > max_words_) {
          if (result.outcome == none) result.outcome = undecided;
          return result;
        }
        if (able.empty()) {
          if (is_over(state)) break;
          if (result.outcome == none) result.stuck = named(state);
          result.outcome = found;
          for_each_stuck(state, [&](std::uint32_t number, const Step& step) {
            all_stuck.insert({unit(number).thread, step.source, step.cell});
          });
          break;
        }
        if (able.size() > 1 && !seen.insert(state).second) break;
        for (std::size_t i = 1; i < able.size(); ++i) {
          open.push_back(state);
          step(open.back(), able[i]);
        }
        step(state, able[0]);
      }
    }
    if (result.outcome == found) result.all_stuck = std::move(all_stuck);
    return result;
  }

 private:
  /// How far each unit is, the value of each cell, and how many units of each launch are not over.
  using State = std::vector<std::uint32_t>;
  using Unit = SyncUnits::Unit;
  using Step = SyncUnits::Step;
  using enum CellEffect;

  [[nodiscard]] std::uint32_t count() const {
    return static_cast<std::uint32_t>(units_.units().size());
  }
  [[nodiscard]] const Unit& unit(std::uint32_t number) const { return units_.units()[number]; }

  [[nodiscard]] State start() const {
    State state(count(), 0);
    for (const SyncUnits::Cell& cell : units_.cells())
      state.push_back(static_cast<std::uint32_t>(cell.initial.value_or(0)));
    for (const std::vector<std::uint32_t>& launch : units_.launches())
      state.push_back(static_cast<std::uint32_t>(launch.size()));
    return state;
  }
  [[nodiscard]] std::uint32_t& value(State& state, std::uint32_t cell) const {
    return state[count() + cell];
  }
  [[nodiscard]] std::int32_t value(const State& state, std::uint32_t cell) const {
    return static_cast<std::int32_t>(state[count() + cell]);
  }
  [[nodiscard]] bool is_over(const State& state, std::uint32_t number) const {
    return state[number] > unit(number).steps.size();
  }
  [[nodiscard]] bool is_over(const State& state) const {
    for (std::uint32_t number = 0; number < count(); ++number) {
      if (!is_over(state, number)) return false;
    }
    return true;
  }
  [[nodiscard]] bool is_complete(const State& state, std::uint32_t launch) const {
    return state[count() + units_.cells().size() + launch] == 0;
  }
  [[nodiscard]] bool has_begun(const State& state, std::uint32_t number) const {
    const Unit& one = unit(number);
    return state[number] > 0 ||
           ((!one.after || is_over(state, *one.after)) &&
            std::ranges::all_of(units_.launches_before(one),
                                [&](std::uint32_t launch) { return is_complete(state, launch); }));
  }
  /// The unit's next step; null when only its end is left.
  [[nodiscard]] const Step* next(const State& state, std::uint32_t number) const {
    const std::vector<Step>& steps = unit(number).steps;
    return state[number] < steps.size() ? &steps[state[number]] : nullptr;
  }
  [[nodiscard]] bool can_take(const State& state, const Step* step) const {
    return step == nullptr || !step->is_wait() || !units_.cells()[step->cell].initial ||
           step->condition.holds(value(state, step->cell));
  }
  [[nodiscard]] bool can_step(const State& state, std::uint32_t number) const {
    return !is_over(state, number) && has_begun(state, number) &&
           can_take(state, next(state, number));
  }

  void step(State& state, std::uint32_t number) const {
    if (const Step* step = next(state, number); step == nullptr) {
      --state[count() + units_.cells().size() + unit(number).launch];
    } else if (!step->is_wait()) {
      std::uint32_t& cell = value(state, step->cell);
      cell = (step->op == NotifyOp::set ? 0 : cell) + static_cast<std::uint32_t>(step->value);
    }
    ++state[number];
  }

  /// The effects on a cell that do not go with a step, in some order.
  static std::vector<CellEffect> conflicts(const Step& step, bool can_take) {
    if (!can_take) return {raise, lower, replace};
    switch (step.effect) {
      case at_least:
        return {lower, replace};
      case exactly:
        return {raise, lower, replace};
      case raise:
        return {exactly, replace};
      case lower:
        return {at_least, exactly, replace};
      case replace:
        break;
    }
    return {at_least, exactly, raise, lower, replace};
  }
  [[nodiscard]] bool has_left(const State& state, const SyncUnits::Use& use,
                              const std::vector<CellEffect>& effects) const {
    return std::ranges::any_of(effects, [&](CellEffect effect) {
      return state[use.unit] < use.end[static_cast<std::size_t>(effect)];
    });
  }

  /// Calls visit(unit) for the units that may do something before the unit's next step that
  /// changes whether it can be taken, or what comes of both.
  template <class Visit>
  void for_each_rival(const State& state, std::uint32_t number, Visit&& visit) const {
    if (!has_begun(state, number)) {
      if (const auto after = unit(number).after; after && !is_over(state, *after)) visit(*after);
      for (const std::uint32_t launch : units_.launches_before(unit(number))) {
        for (const std::uint32_t before : units_.launches()[launch]) {
          if (!is_over(state, before)) visit(before);
        }
      }
      return;
    }
    const Step* step = next(state, number);
    if (step == nullptr) return;
    const std::vector<CellEffect> effects = conflicts(*step, can_take(state, step));
    for (const SyncUnits::Use& use : units_.cells()[step->cell].uses) {
      if (use.unit != number && has_left(state, use, effects)) visit(use.unit);
    }
  }

  /// The units whose next steps are to be tried: those of a stubborn set that can take theirs.
  std::vector<std::uint32_t> next_units(const State& state) {
    std::vector<std::uint32_t> best;
    for (std::uint32_t number = 0; number < count(); ++number) {
      ++steps_;
      if (!can_step(state, number)) continue;
      std::vector<std::uint32_t> able = stubborn_set(state, number);
      if (best.empty() || able.size() < best.size()) best = std::move(able);
      if (best.size() == 1) break;
    }
    return best;
  }
  std::vector<std::uint32_t> stubborn_set(const State& state, std::uint32_t first) {
    std::vector<std::uint32_t> members{first};
    std::vector<bool> is_member(count(), false);
    is_member[first] = true;
    for (std::size_t i = 0; i < members.size(); ++i) {
      for_each_rival(state, members[i], [&](std::uint32_t rival) {
        ++steps_;
        if (is_member[rival]) return;
        is_member[rival] = true;
        members.push_back(rival);
      });
    }
    std::erase_if(members, [&](std::uint32_t one) { return !can_step(state, one); });
    return members;
  }

  /// Whether another unit may take away what satisfies the step, a wait.
  [[nodiscard]] bool can_lose(const State& start, std::uint32_t number, const Step& step) const {
    const std::vector<CellEffect> effects = conflicts(step, true);
    return std::ranges::any_of(units_.cells()[step.cell].uses, [&](const SyncUnits::Use& use) {
      return use.unit != number && has_left(start, use, effects);
    });
  }
  /// Calls visit(unit, its wait) for those that wait.
  template <class Visit>
  void for_each_stuck(const State& state, Visit&& visit) const {
    for (std::uint32_t number = 0; number < count(); ++number) {
      if (!is_over(state, number) && has_begun(state, number)) visit(number, *next(state, number));
    }
  }
  [[nodiscard]] std::vector<HangSearch::Stuck> named(const State& state) const {
    std::vector<HangSearch::Stuck> all;
    std::vector<HangSearch::Stuck> losing;
    const State begin = start();
    for_each_stuck(state, [&](std::uint32_t number, const Step& step) {
      all.push_back(
          {unit(number).thread, step.source, step.cell, step.condition, value(state, step.cell)});
      if (can_lose(begin, number, step)) losing.push_back(all.back());
    });
    return losing.empty() ? all : losing;
  }

  const SyncUnits units_;
  const std::uint64_t max_words_;
  std::uint64_t steps_ = 0;  ///< looks at a unit
};

}  // namespace

HangSearch search_hang(const SyncTrace& trace, const TaskOrder& order, std::uint64_t max_records) {
  return HangSearcher(trace, order, max_records).search();
}

}  // namespace a2a3::isa
