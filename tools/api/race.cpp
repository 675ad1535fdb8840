// SPDX-License-Identifier: Apache-2.0
#include "a2a3/race.hpp"

#include "a2a3/blocked.hpp"
#include "a2a3/engine_run.hpp"
#include "a2a3/range_name.hpp"
#include "isa/order/happens_before.hpp"

namespace a2a3 {

RaceCheck describe_races(const isa::HappensBefore& found, const interp::LaunchPlan& plan,
                         const std::function<ir::SourceLocation(isa::SourceId)>& locate) {
  const auto site = [&](const isa::RaceFinding::Side& side) {
    return RaceSite{side.device, locate(side.record.source), side.kind, side.is_signal,
                    side.record.source >= kZeroingSource};
  };
  RaceCheck check;
  check.state = found.is_complete() ? RaceCheck::State::complete : RaceCheck::State::undecided;
  for (const isa::RaceFinding& finding : found.findings()) {
    RangeName name = name_range(plan, finding.address, finding.bytes);
    Race& race = check.races.emplace_back();
    race.kind = finding.kind;
    race.earlier = site(finding.earlier);
    race.later = site(finding.later);
    race.owner = finding.address.device;
    race.window = std::move(name.window);
    race.range = std::move(name.text);
    race.bytes = finding.bytes;
    race.count = finding.count;
    race.earlier_ranks.assign(finding.earlier_devices.begin(), finding.earlier_devices.end());
    race.later_ranks.assign(finding.later_devices.begin(), finding.later_devices.end());
    for (const isa::GlobalAddress& cell : finding.waited)
      race.waited.push_back(name_cell(plan, cell).text());
  }
  return check;
}

}  // namespace a2a3
