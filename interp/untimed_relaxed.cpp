// SPDX-License-Identifier: Apache-2.0
// What a relaxed order adds to the untimed engine: writes that land later, fences, lines that a Set
// writes back, and windows that are zeroed late.
#include <algorithm>
#include <cstring>

#include "interp/untimed_machine.hpp"

namespace a2a3::interp {

/// Whether the core executes the instruction in a later turn.
bool UntimedMachine::must_wait_before(std::size_t core, const isa::Instruction& instruction) {
  if (relaxed_->is_fence(instruction.operation) && relaxed_->in_flight(core)) {
    held_[core] = &instruction;
    fencing_[core] = true;
    return true;
  }
  if (!fetches_line(core, instruction.operation)) return false;
  held_[core] = &instruction;
  ready_.push_back(core);
  return true;
}

/// Whether the core goes on only when what it wrote has landed.
bool UntimedMachine::must_wait_behind(std::size_t core, const isa::Operation& operation) {
  if (!relaxed_->fences_itself(core, operation) || !relaxed_->in_flight(core)) return false;
  fencing_[core] = true;
  return true;
}

/// Whether the core has only come to a Set that writes a whole line: as the line is now.
bool UntimedMachine::fetches_line(std::size_t core, const isa::Operation& operation) {
  const isa::ByteRange line = relaxed_->line_of(operation, gm_);
  if (line.begin == line.end || !lines_[core].empty()) return false;
  current_ = core;
  land_behind({line.device, line.begin}, line.end - line.begin);
  const auto memory = gm_[line.device].subspan(line.begin, line.end - line.begin);
  lines_[core].assign(memory.begin(), memory.end());
  return true;
}

/// A Set that writes a whole line writes the cells beside its own, too. The bytes around windows do
/// not matter.
void UntimedMachine::tell_line(const isa::RunEvent& event, const isa::TNotify& notify) const {
  const isa::ByteRange line = relaxed_->line_of(notify, gm_);
  if (line.begin == line.end) return;
  const std::uint64_t cell = notify.cell.offset_bytes;
  const std::uint64_t behind = cell + sizeof(std::int32_t);
  const auto tell = [&](std::uint64_t begin, std::uint64_t end) {
    if (begin < end) events_.overwrite(event, {line.device, begin}, end - begin);
  };
  const auto& used = options_.relaxed->used_bytes[line.device];
  auto range = used.upper_bound(line.begin);
  if (range != used.begin()) --range;
  for (; range != used.end() && range->first < line.end; ++range) {
    const auto& [begin, end] = *range;
    tell(std::max(begin, line.begin), std::min(end, cell));
    tell(std::max(begin, behind), std::min(end, line.end));
  }
}

/// The cells around that of the Set become again what they were when the core came to it.
void UntimedMachine::write_back_line(std::size_t core, const isa::Operation& operation) {
  const isa::ByteRange line = relaxed_->line_of(operation, gm_);
  if (line.begin == line.end) return;
  const auto& notify = std::get<isa::TNotify>(operation);
  const auto bytes = std::span<const std::byte>(lines_[core]);
  const std::size_t before = notify.cell.offset_bytes - line.begin;
  const std::size_t behind = before + sizeof(std::int32_t);
  write({line.device, line.begin}, bytes.first(before));
  write({line.device, line.begin + behind}, bytes.subspan(behind));
  lines_[core].clear();
}

/// Before the device's first instruction, where windows are zeroed late.
void UntimedMachine::zero_windows(std::uint32_t device) {
  const auto zeroings = relaxed_->take_zeroings(device);
  if (zeroings.empty()) return;
  isa::RunEvent event{options_.relaxed->first_zeroing_task + device, device, 0, 0};
  events_.begin(event);
  for (const RelaxedOrder::Zeroing& one : zeroings) {
    event.source = one.source;
    events_.overwrite(event, one.address, one.bytes);
    std::memset(bytes_at(one.address), 0, one.bytes);
    wake(one.address, one.bytes);
  }
  events_.complete(event.task);
}

/// Whether a write has landed by chance, or because there was nothing else to do.
bool UntimedMachine::land_one() {
  const auto landing = relaxed_->land(ready_.empty());
  if (!landing) return false;
  put_in_memory(*landing);
  return true;
}

/// The running core's writes are in memory up to the last one that touches these bytes.
void UntimedMachine::land_behind(isa::GlobalAddress address, std::size_t bytes) {
  if (!relaxed_) return;
  while (const auto landing = relaxed_->land_behind(current_, address, bytes))
    put_in_memory(*landing);
}

void UntimedMachine::put_in_memory(const RelaxedMemory::Landing& landing) {
  const auto& [core, write] = landing;
  if (write.added) {
    isa::accumulate(*write.added, {bytes_at(write.address), write.bytes.size()}, write.bytes);
  } else {
    std::memcpy(bytes_at(write.address), write.bytes.data(), write.bytes.size());
  }
  wake(write.address, write.bytes.size());
  if (relaxed_->in_flight(core) || !fencing_[core]) return;
  fencing_[core] = false;
  ready_.push_back(core);
}

}  // namespace a2a3::interp
