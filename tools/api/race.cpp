// SPDX-License-Identifier: Apache-2.0
#include "a2a3/race.hpp"

#include <algorithm>
#include <utility>

#include "a2a3/blocked.hpp"
#include "a2a3/engine_run.hpp"
#include "a2a3/range_name.hpp"
#include "isa/order/happens_before.hpp"

namespace a2a3 {

namespace {

/// Of two tasks of one dispatch: how they belong together.
void enter_tasks(Race& race, const interp::LaunchPlan& plan) {
  const auto [low, high] = std::minmax(race.earlier.task, race.later.task);
  if (race.earlier.rank != race.later.rank || low == high || high >= plan.tasks.size()) return;
  const interp::Task& first = plan.tasks[low];
  const interp::Task& second = plan.tasks[high];
  race.is_one_launch = first.launch == second.launch;
  race.is_inside_device = race.is_one_launch || (first.dispatch.line == second.dispatch.line &&
                                                 first.dispatch.column == second.dispatch.column);
}

NearestWait describe_wait(const isa::RaceWait& wait, const isa::HappensBefore& found,
                          const interp::LaunchPlan& plan,
                          const std::function<ir::SourceLocation(isa::SourceId)>& locate) {
  NearestWait described;
  described.bond = wait.bond;
  described.cell = name_cell(plan, found.cell_address(wait.cell)).text();
  described.location = locate(wait.source);
  described.expected = wait.condition.expected;
  described.exactly = wait.condition.exactly;
  described.initial = wait.initial;
  described.holds_initially = wait.condition.holds(wait.initial);
  described.senders.assign(wait.senders.begin(), wait.senders.end());
  described.has_set = wait.has_set;
  described.waits = wait.waits;
  described.a_time = wait.a_time;
  for (const isa::RaceWait::Credit& credit : wait.credits) {
    const ir::SourceLocation at = locate(credit.source);
    std::string name = name_cell(plan, found.cell_address(credit.cell)).text();
    auto line = std::ranges::find_if(described.credits, [&](const NearestWait::Credit& known) {
      return known.location.file == at.file && known.location.line == at.line &&
             known.location.column == at.column && known.op == credit.op;
    });
    if (line == described.credits.end()) {
      line = described.credits.insert(line, {{}, at, credit.op, std::move(name)});
    } else if (line->cell != name) {
      line->cell.clear();
    }
    const auto place = std::ranges::lower_bound(line->ranks, credit.device);
    if (place == line->ranks.end() || *place != credit.device)
      line->ranks.insert(place, credit.device);
  }
  return described;
}

}  // namespace

RaceCheck describe_races(const isa::HappensBefore& found, const interp::LaunchPlan& plan,
                         const std::function<ir::SourceLocation(isa::SourceId)>& locate) {
  const auto site = [&](const isa::RaceFinding::Side& side) {
    RaceSite described;
    described.rank = side.device;
    described.location = locate(side.record.source);
    described.kind = side.kind;
    described.is_signal = side.is_signal;
    described.task = side.record.task;
    described.is_zeroing = side.record.source >= kZeroingSource;
    if (described.task < plan.tasks.size()) described.block = plan.tasks[described.task].block;
    return described;
  };
  RaceCheck check;
  check.state = found.is_complete() ? RaceCheck::State::complete : RaceCheck::State::undecided;
  for (const isa::RaceFinding& finding : found.findings()) {
    RangeName name = name_range(plan, finding.address, finding.bytes);
    Race& race = check.races.emplace_back();
    race.kind = finding.kind;
    race.earlier = site(finding.earlier);
    race.later = site(finding.later);
    enter_tasks(race, plan);
    race.owner = finding.address.device;
    race.window = std::move(name.window);
    race.range = std::move(name.text);
    race.bytes = finding.bytes;
    race.count = finding.count;
    race.earlier_ranks.assign(finding.earlier_devices.begin(), finding.earlier_devices.end());
    race.later_ranks.assign(finding.later_devices.begin(), finding.later_devices.end());
    for (const isa::GlobalAddress& cell : finding.waited)
      race.waited.push_back(name_cell(plan, cell).text());
    race.is_turned = finding.is_turned;
    for (const isa::GlobalAddress& cell : finding.second_waited)
      race.second_waited.push_back(name_cell(plan, cell).text());
    if (finding.wait) race.wait = describe_wait(*finding.wait, found, plan, locate);
    if (finding.idle) {
      race.idle_cell = name_cell(plan, finding.idle->cell).text();
      race.idle_wait = locate(finding.idle->source);
    }
  }
  return check;
}

}  // namespace a2a3
