// SPDX-License-Identifier: Apache-2.0
#include "a2a3/phase_times.hpp"

#include <algorithm>

namespace a2a3 {

PhaseTimes::Phase& PhaseTimes::at(const sim::Origin& origin, sim::Picoseconds begin,
                                  sim::Picoseconds end) {
  auto& [phases, last] = ranks_[origin.device];
  if (origin.phase >= phases.size()) phases.resize(origin.phase + 1);
  Phase& phase = phases[origin.phase];
  phase.begin = std::min(phase.begin, begin);
  phase.end = std::max(phase.end, end);
  if (phase.tasks.empty() || origin.phase != last.phase || origin.task != last.task) {
    if (phase.tasks.empty() || phase.tasks.back() != origin.task)
      phase.tasks.push_back(origin.task);
  } else if (origin.source == last.source) {
    return phase;
  }
  if (origin.source >= phase.sources.size()) phase.sources.resize(origin.source + 1);
  phase.sources[origin.source] = true;
  last = origin;
  return phase;
}

void PhaseTimes::on_pipe_activity(const sim::PipeActivity& activity) {
  at(activity.origin, activity.begin, activity.end);
}

void PhaseTimes::on_wait_ended(const sim::WaitEnded& wait) {
  std::vector<sim::Picoseconds>& waiting = at(wait.origin, wait.begin, wait.end).waiting;
  if (wait.origin.core >= waiting.size()) waiting.resize(wait.origin.core + 1);
  waiting[wait.origin.core] += wait.end - wait.begin;
}

}  // namespace a2a3
