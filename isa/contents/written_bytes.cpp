// SPDX-License-Identifier: Apache-2.0
#include "isa/contents/written_bytes.hpp"

#include <functional>

#include "isa/order/access.hpp"

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
  if (!complete_) return;
  ByteSet& written = written_[address.device];
  size_bytes_ -= written.size_bytes();
  written.assign(address.offset_bytes, address.offset_bytes + bytes, true);
  size_bytes_ += written.size_bytes();
  if (size_bytes_ / kBytesPerRecord <= max_records_) return;
  complete_ = false;
  written_.clear();
}

void WrittenBytes::for_each_gap(
    GlobalAddress address, std::uint64_t bytes,
    const std::function<void(GlobalAddress, std::uint64_t)>& visit) const {
  if (!complete_) return;
  const ByteSet& written = written_[address.device];
  const std::uint64_t end = address.offset_bytes + bytes;
  std::uint64_t at = written.find(false, address.offset_bytes, end);
  while (at < end) {
    const std::uint64_t until = written.find(true, at, end);
    visit({address.device, at}, until - at);
    at = written.find(false, until, end);
  }
}

void WrittenBytes::read(std::uint32_t reader, SourceId source, GlobalAddress address,
                        std::uint64_t bytes, bool adds) {
  const auto enter = [&](GlobalAddress gap, std::uint64_t size) {
    const std::int32_t region = region_(gap);
    if (adds && region >= 0) return;
    const auto [known, is_new] = reads_.try_emplace({source, region, adds});
    UnwrittenRead& entry = known->second;
    if (is_new) entry = {source, region, gap, size, 0, adds, false, {}};
    ++entry.count;
    entry.readers.insert(reader);
    entry.remote = entry.remote || reader != gap.device;
  };
  for_each_gap(address, bytes, std::ref(enter));
}

std::vector<UnwrittenRead> WrittenBytes::reads() const {
  std::vector<UnwrittenRead> all;
  all.reserve(reads_.size());
  for (const auto& [key, read] : reads_)
    all.push_back(read);
  return all;
}

}  // namespace a2a3::isa
