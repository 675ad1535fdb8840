// SPDX-License-Identifier: Apache-2.0
#include "sim/observers/signal_log.hpp"

namespace a2a3::sim {

void SignalLog::on_signal_landed(const SignalLanded& event) {
  const isa::TNotify& notify = event.notify;
  const Key key{.device = notify.cell.device,
                .offset_bytes = notify.cell.offset_bytes,
                .from_device = event.origin.device,
                .source = event.origin.source,
                .op = notify.op};
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
  for (auto at = credits_.lower_bound(Key{.device = device});
       at != credits_.end() && at->first.device == device; ++at)
    landed.push_back(at->second);
  return landed;
}

}  // namespace a2a3::sim
