// SPDX-License-Identifier: Apache-2.0
// What a vector core does on a relaxed machine, and its hazards.
#include <span>
#include <utility>

#include "models/relaxed.hpp"
#include "sim/core/vector_core.hpp"

namespace a2a3::sim {

/// Whether the write or signal that has come to its memory takes effect later.
bool VectorCore::is_late(Handle handle, Picoseconds now) {
  InFlight& operation = pipes_.at(handle);
  if (std::exchange(operation.was_late, true)) {
    if (!operation.has_turn) spend(handle, TimeUse::memory, now);
    return false;
  }
  const Picoseconds delay = models::landing_delay(
      relaxed_, {params_.device, params_.core, operation.peer, operation.number});
  if (delay == 0) return false;
  agenda_.add(now + delay, Agenda::Kind::memory, handle);
  return true;
}

/// A store without a fence: it has come to its memory, which is all that the core waits for.
void VectorCore::store_late(Handle handle, Picoseconds now) {
  const InFlight& store = pipes_.at(handle);
  const GmPort::Access access{.origin = store.origin,
                              .now = now,
                              .streamed = 0,
                              .without_data = !control_.moves_data,
                              .signal = false};
  port_.begin(access);
  isa::execute(store.operation, local_.bytes(), late_);
  report_local_transfer(store);
  const Picoseconds delay =
      models::landing_delay(relaxed_, {params_.device, params_.core, store.peer, store.number});
  agenda_.add(late_.land_at(store.peer, access, now + delay), Agenda::Kind::landing, store.peer);
  const Picoseconds end = end_of_store(store, now);
  spend(handle, TimeUse::hop, end);
  pipes_.executed(handle, end);
}

/// A Set on a machine that writes whole lines: as the line is now, when its message leaves.
void VectorCore::fetch_line(const InFlight& signal) {
  const auto& notify = std::get<isa::TNotify>(signal.operation);
  if (set_line_bytes_ == 0 || notify.op != isa::NotifyOp::set) return;
  const std::uint64_t into = notify.cell.offset_bytes % set_line_bytes_;
  line_ = port_.peek_line({notify.cell.device, notify.cell.offset_bytes - into}, set_line_bytes_);
}

/// The cells around that of the Set become again what they were then.
void VectorCore::write_line_back(const InFlight& signal) {
  if (signal.pipe != Pipe::scalar) return;
  const isa::GlobalAddress cell = std::get<isa::TNotify>(signal.operation).cell;
  const std::uint64_t into = cell.offset_bytes % set_line_bytes_;
  const std::vector<std::byte> line = std::exchange(line_, {});
  const auto before = std::span(line).first(into);
  const auto behind = std::span(line).subspan(into + sizeof(std::int32_t));
  if (!before.empty()) port_.write({cell.device, cell.offset_bytes - into}, before);
  if (!behind.empty()) port_.write({cell.device, cell.offset_bytes + sizeof(std::int32_t)}, behind);
}

}  // namespace a2a3::sim
