// SPDX-License-Identifier: Apache-2.0
#include "sim/observers/core_times.hpp"

#include <algorithm>

namespace a2a3::sim {

CoreTimes::Entry& CoreTimes::at(const Origin& origin, Picoseconds begin, Picoseconds end) {
  if (entries_.size() <= origin.device) entries_.resize(origin.device + 1);
  auto& cores = entries_[origin.device];
  if (cores.size() <= origin.core) cores.resize(origin.core + 1);
  Entry& entry = cores[origin.core];
  if (!entry.used) {
    entry.used = true;
    entry.time.device = origin.device;
    entry.time.core = origin.core;
    entry.time.begin = begin;
  }
  entry.time.begin = std::min(entry.time.begin, begin);
  entry.time.end = std::max(entry.time.end, end);
  return entry;
}

void CoreTimes::on_pipe_activity(const PipeActivity& event) {
  Entry& entry = at(event.origin, event.begin, event.end);
  const auto pipe = static_cast<std::size_t>(event.pipe);
  Picoseconds& until = entry.busy_until[pipe];
  if (event.end <= until) return;
  entry.time.busy[pipe] += event.end - std::max(event.begin, until);
  until = event.end;
}

void CoreTimes::on_wait_ended(const WaitEnded& event) {
  at(event.origin, event.begin, event.end).time.waiting += event.end - event.begin;
}

std::vector<CoreTime> CoreTimes::cores() const {
  std::vector<CoreTime> used;
  for (const auto& device : entries_)
    for (const Entry& entry : device)
      if (entry.used) used.push_back(entry.time);
  return used;
}

}  // namespace a2a3::sim
