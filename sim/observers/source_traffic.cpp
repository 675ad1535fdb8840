// SPDX-License-Identifier: Apache-2.0
#include "sim/observers/source_traffic.hpp"

#include <algorithm>

namespace a2a3::sim {

SourceTraffic::Entry& SourceTraffic::entry(std::uint32_t device, const Origin& origin) {
  auto& sources = entries_.at(device);
  if (sources.size() <= origin.source) sources.resize(origin.source + 1);
  return sources[origin.source];
}

void SourceTraffic::on_signal_landed(const SignalLanded& event) {
  TrafficCounter::on_signal_landed(event);
  if (event.notify.op != isa::NotifyOp::set) return;
  if (event.origin.device == event.notify.cell.device) return;
  entry(event.notify.cell.device, event.origin).set_values_received += event.notify.value;
}

void SourceTraffic::on_pipe_activity(const PipeActivity& activity) {
  was_at_work(activity.origin, activity.begin, activity.end);
}

void SourceTraffic::on_wait_ended(const WaitEnded& wait) {
  was_at_work(wait.origin, wait.begin, wait.end);
}

void SourceTraffic::was_at_work(const Origin& origin, Picoseconds begin, Picoseconds end) {
  Entry& at = entry(origin.device, origin);
  at.begin = std::min(at.begin, begin);
  at.end = std::max(at.end, end);
}

}  // namespace a2a3::sim
