// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <tlm>

#include "isa/operand.hpp"
#include "models/machine_description.hpp"
#include "sim/observer.hpp"

namespace a2a3::sim {

/// What a memory transaction says beyond the generic payload. A memory that does not know it does
/// plain reads and writes; only an atomic add needs one that does.
struct AccessExtension : tlm::tlm_extension<AccessExtension> {
  /// A write that adds element by element.
  std::optional<isa::DType> atomic_add;
  /// Of TLM_IGNORE_COMMAND: asks for the turn of an atomic add at its line; the time until then
  /// comes back in the delay. A memory that does not know it lets everyone have theirs at once.
  bool atomic_turn = false;
  /// The bytes of a transaction that is made at its last byte have been flowing for this long.
  Picoseconds streamed = 0;
  /// Of payload in a run without data: takes its time, but no byte moves.
  bool without_data = false;
  /// The memory's answer, added up: what the bytes take at its rate, without waits for others.
  Picoseconds served = 0;
  /// The memory's answer to a read: it does not know the bytes, in a run without data.
  bool unknown = false;

  [[nodiscard]] tlm::tlm_extension_base* clone() const override {
    auto* copy = new AccessExtension;
    copy->copy_from(*this);
    return copy;
  }
  void copy_from(const tlm::tlm_extension_base& other) override {
    const auto& from = static_cast<const AccessExtension&>(other);
    atomic_add = from.atomic_add;
    atomic_turn = from.atomic_turn;
    streamed = from.streamed;
    without_data = from.without_data;
    served = from.served;
    unknown = from.unknown;
  }
};

/// Addresses on the bus: the device above bit 40, the byte offset in its global memory below.
inline constexpr int kBusDeviceShift = 40;
static_assert(models::kMaxMemoryBytes <= std::uint64_t{1} << kBusDeviceShift);

[[nodiscard]] constexpr std::uint64_t bus_address(isa::GlobalAddress address) {
  return (std::uint64_t{address.device} << kBusDeviceShift) | address.offset_bytes;
}
[[nodiscard]] constexpr isa::GlobalAddress from_bus_address(std::uint64_t address) {
  return {.device = static_cast<std::uint32_t>(address >> kBusDeviceShift),
          .offset_bytes = address & ((std::uint64_t{1} << kBusDeviceShift) - 1)};
}

}  // namespace a2a3::sim
