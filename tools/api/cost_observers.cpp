// SPDX-License-Identifier: Apache-2.0
#include "a2a3/cost_observers.hpp"

#include <algorithm>

namespace a2a3 {
namespace {

std::string kernel_names(const PhaseTimes::Phase& phase, const interp::LaunchPlan& plan) {
  std::vector<std::string> names;
  for (const std::uint32_t task : phase.tasks) {
    const std::string& name = plan.tasks[task].kernel->name;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

void add_times(PhaseCost& cost, const PhaseTimes::Phase& phase, const interp::LaunchPlan& plan,
               const Locate& locate) {
  cost.kernels = kernel_names(phase, plan);
  cost.end = phase.end;
  cost.begin = std::min(phase.begin, phase.end);
  for (const sim::Picoseconds waiting : phase.waiting)
    cost.waiting = std::max(cost.waiting, waiting);
  for (isa::SourceId source = 0; source < phase.sources.size(); ++source) {
    if (!phase.sources[source]) continue;
    const ir::SourceLocation at = locate(source);
    if (!at.known()) continue;
    cost.first_line = cost.first_line == 0 ? at.line : std::min(cost.first_line, at.line);
    cost.last_line = std::max(cost.last_line, at.line);
  }
}

}  // namespace

void CostObservers::attach_to(sim::Machine& machine) {
  machine.attach(traffic_);
  machine.attach(times_);
  machine.attach(phases_);
  machine.attach(sources_);
}

Cost CostObservers::cost(const interp::LaunchPlan& plan, const Locate& locate,
                         const std::vector<sim::Picoseconds>& rank_end) const {
  Cost cost;
  for (std::uint32_t r = 0; r < rank_end.size(); ++r) {
    RankCost& rank = cost.ranks.emplace_back();
    rank.traffic = traffic_.rank(r);
    rank.total = rank_end[r];
    const std::vector<sim::Traffic>& traffic = traffic_.phases(r);
    const std::vector<PhaseTimes::Phase>& times = phases_.phases(r);
    rank.phases.resize(std::max(traffic.size(), times.size()));
    for (std::size_t p = 0; p < rank.phases.size(); ++p) {
      if (p < traffic.size()) rank.phases[p].traffic = traffic[p];
      if (p < times.size()) add_times(rank.phases[p], times[p], plan, locate);
    }
  }
  for (const sim::CoreTime& core : times_.cores()) {
    RankCost& rank = cost.ranks[core.device];
    for (std::size_t p = 0; p < core.busy.size(); ++p)
      rank.busy[p] += core.busy[p];
    rank.waiting += core.waiting;
    rank.cores.push_back(core);
  }
  cost.links = traffic_.links();
  return cost;
}

}  // namespace a2a3
