// SPDX-License-Identifier: Apache-2.0
#include "isa/order/written_bytes.hpp"

#include <algorithm>
#include <iterator>

namespace a2a3::isa {

void WrittenBytes::on_access(const RunEvent& event, AccessKind kind, GlobalAddress address,
                             std::uint64_t bytes) {
  const bool adds = kind == AccessKind::atomic_add;
  if (adds || kind == AccessKind::read) read(event.device, event.source, address, bytes, adds);
  if (kind != AccessKind::read) write(address, bytes);
}

void WrittenBytes::on_notify(const RunEvent& /*event*/, const TNotify& notify,
                             CellChange /*cell*/) {
  write(notify.cell, sizeof(std::int32_t));
}

void WrittenBytes::write(GlobalAddress address, std::uint64_t bytes) {
  if (bytes == 0) return;
  auto& stretches = written_[address.device];
  std::uint64_t begin = address.offset_bytes;
  std::uint64_t end = begin + bytes;
  auto at = stretches.upper_bound(begin);
  if (at != stretches.begin() && std::prev(at)->second >= begin) {
    --at;
    if (at->second >= end) return;
    begin = at->first;
  }
  while (at != stretches.end() && at->first <= end) {
    end = std::max(end, at->second);
    at = stretches.erase(at);
  }
  stretches.emplace_hint(at, begin, end);
}

void WrittenBytes::for_each_gap(
    GlobalAddress address, std::uint64_t bytes,
    const std::function<void(GlobalAddress, std::uint64_t)>& visit) const {
  const auto& stretches = written_[address.device];
  std::uint64_t at = address.offset_bytes;
  const std::uint64_t end = at + bytes;
  auto next = stretches.upper_bound(at);
  if (next != stretches.begin() && std::prev(next)->second > at) at = std::prev(next)->second;
  while (at < end) {
    const std::uint64_t until = next == stretches.end() ? end : std::min(end, next->first);
    if (until > at) visit({address.device, at}, until - at);
    if (next == stretches.end()) return;
    at = next->second;
    ++next;
  }
}

void WrittenBytes::read(std::uint32_t reader, SourceId source, GlobalAddress address,
                        std::uint64_t bytes, bool adds) {
  for_each_gap(address, bytes, [&](GlobalAddress gap, std::uint64_t size) {
    const std::int32_t region = region_(gap);
    if (adds && region >= 0) return;
    const auto [known, is_new] = reads_.try_emplace({source, region, adds});
    UnwrittenRead& entry = known->second;
    if (is_new) entry = {source, region, gap, size, 0, adds, false, {}};
    ++entry.count;
    entry.readers.insert(reader);
    entry.remote = entry.remote || reader != gap.device;
  });
}

std::vector<UnwrittenRead> WrittenBytes::reads() const {
  std::vector<UnwrittenRead> all;
  all.reserve(reads_.size());
  for (const auto& [key, read] : reads_)
    all.push_back(read);
  return all;
}

}  // namespace a2a3::isa
