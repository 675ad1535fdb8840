// SPDX-License-Identifier: Apache-2.0
#include "a2a3/traffic_part.hpp"

#include <algorithm>

#include "a2a3/result.hpp"

namespace a2a3 {

bool RankTraffic::agrees(const TrafficQuantity& quantity) const {
  const auto& number = expected.*quantity.expected;
  return !number || *number == static_cast<std::int64_t>(measured.*quantity.measured);
}

bool RankTraffic::right() const {
  return std::ranges::all_of(kTrafficQuantities,
                             [this](const TrafficQuantity& quantity) { return agrees(quantity); });
}

std::int64_t RankTraffic::padding_bytes() const {
  const auto received = static_cast<std::int64_t>(measured.payload_received_bytes);
  return received - expected.useful_bytes.value_or(received);
}

bool TrafficPart::right() const {
  return std::ranges::all_of(ranks, &RankTraffic::right);
}

double TrafficPart::algbw() const {
  constexpr double kPicosecondsPerSecond = 1e12;
  if (time == 0 || !has_own_time()) return 0;
  return static_cast<double>(buffer_bytes) * kPicosecondsPerSecond / static_cast<double>(time);
}

std::vector<RankTraffic> sum(const std::vector<TrafficPart>& parts) {
  if (parts.empty()) return {};
  std::vector<RankTraffic> total = parts.front().ranks;
  for (std::size_t p = 1; p < parts.size(); ++p) {
    for (std::size_t r = 0; r < total.size(); ++r) {
      total[r].expected += parts[p].ranks[r].expected;
      total[r].measured += parts[p].ranks[r].measured;
    }
  }
  return total;
}

TrafficPart claimed_part(const Result& result, const models::TrafficClaim& claim) {
  TrafficPart part{.schedule = claim.schedule,
                   .location = {},
                   .formula = claim.formula,
                   .ranks = {},
                   .buffer_bytes = claim.buffer_bytes,
                   .size = claim.size,
                   .bus_factor = claim.bus_factor,
                   .time = result.end};
  for (std::size_t r = 0; r < claim.ranks.size(); ++r) {
    part.ranks.push_back({claim.ranks[r], result.other_traffic.at(r)});
  }
  return part;
}

}  // namespace a2a3
