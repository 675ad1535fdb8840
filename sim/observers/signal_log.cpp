// SPDX-License-Identifier: Apache-2.0
#include "sim/observers/signal_log.hpp"

namespace a2a3::sim {

void SignalLog::on_signal_landed(const SignalLanded& event) {
  const isa::TNotify& notify = event.notify;
  const Key key{notify.cell.device, notify.cell.offset_bytes, event.origin.device,
                event.origin.source, notify.op};
  CellCredit& credit = credits_[key];
  credit.cell = notify.cell;
  credit.from_device = event.origin.device;
  credit.source = event.origin.source;
  credit.op = notify.op;
  ++credit.count;
  credit.sum += notify.value;
  credit.last_landed = event.time;
}

std::vector<CellCredit> SignalLog::credits(std::uint32_t device) const {
  std::vector<CellCredit> landed;
  for (auto at = credits_.lower_bound({device, 0, 0, 0, isa::NotifyOp::atomic_add});
       at != credits_.end() && at->second.cell.device == device; ++at)
    landed.push_back(at->second);
  return landed;
}

}  // namespace a2a3::sim
