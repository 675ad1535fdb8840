// SPDX-License-Identifier: Apache-2.0
#include "sim/core/late_writes.hpp"

#include <algorithm>

namespace a2a3::sim {

void LateWrites::read(isa::GlobalAddress address, std::span<std::byte> destination) {
  port_.read(address, destination);
}

void LateWrites::write(isa::GlobalAddress address, std::span<const std::byte> source) {
  Lane& lane = lanes_[address.device];
  lane.writes.add(address, source, std::nullopt);
  ++lane.unfinished;
}

void LateWrites::atomic_add(isa::GlobalAddress address, isa::DType dtype,
                            std::span<const std::byte> source) {
  Lane& lane = lanes_[address.device];
  lane.writes.add(address, source, dtype);
  ++lane.unfinished;
}

Picoseconds LateWrites::land_at(std::uint32_t device, const GmPort::Access& access,
                                Picoseconds time) {
  Lane& lane = lanes_[device];
  lane.last = std::max(lane.last, time);
  lane.stores.push_back({access, lane.last, lane.unfinished});
  lane.in_flight += lane.unfinished;
  lane.unfinished = 0;
  end_ = std::max(end_, lane.last);
  return lane.last;
}

void LateWrites::land_oldest(Lane& lane, Picoseconds now) {
  Store store = lane.stores.front();
  lane.stores.pop_front();
  lane.in_flight -= store.writes;
  store.access.now = now;
  port_.land(lane.writes, store.writes, store.access);
}

void LateWrites::land(std::uint32_t device, Picoseconds now) {
  Lane& lane = lanes_[device];
  while (!lane.stores.empty() && lane.stores.front().time <= now)
    land_oldest(lane, now);
}

void LateWrites::settle(isa::GlobalAddress address, std::size_t bytes) {
  const auto known = lanes_.find(address.device);
  if (known == lanes_.end() || known->second.in_flight == 0) return;
  Lane& lane = known->second;
  while (!lane.stores.empty() && lane.writes.behind(address, bytes) > 0)
    land_oldest(lane, sc_core::sc_time_stamp().value());
}

}  // namespace a2a3::sim
