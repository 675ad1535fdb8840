// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>

#include "isa/memory.hpp"
#include "isa/write_lane.hpp"
#include "sim/core/gm_port.hpp"

namespace a2a3::sim {

/// The stores of one core of a relaxed machine without fences that are complete for the core and
/// not in memory yet. Those to one device land in the order of their making. The core's own
/// accesses see them: see settle().
class LateWrites final : public isa::GlobalPort {
 public:
  explicit LateWrites(GmPort& port) : port_(port) {}

  /// What is written up to land_at() is one store, which lands as this access at `time`, or at the
  /// time of the store to that device before it if that is later; returns when.
  Picoseconds land_at(std::uint32_t device, const GmPort::Access& access, Picoseconds time);
  /// The simulation is at the time of a store to the device, which may have landed before.
  void land(std::uint32_t device, Picoseconds now);
  /// The core is about to access these bytes: what it wrote there before lands first.
  void settle(isa::GlobalAddress address, std::size_t bytes);

  /// When the last of all is in memory.
  [[nodiscard]] Picoseconds end() const { return end_; }

  void read(isa::GlobalAddress address, std::span<std::byte> destination) override;
  void write(isa::GlobalAddress address, std::span<const std::byte> source) override;
  void atomic_add(isa::GlobalAddress address, isa::DType dtype,
                  std::span<const std::byte> source) override;

 private:
  struct Store {
    GmPort::Access access;
    Picoseconds time = 0;
    std::size_t writes = 0;
  };
  struct Lane {
    isa::WriteLane writes;
    std::size_t unfinished = 0;  ///< writes of a store whose time is not known yet
    std::size_t in_flight = 0;   ///< writes of all others
    std::deque<Store> stores;
    Picoseconds last = 0;
  };
  void land_oldest(Lane& lane, Picoseconds now);

  GmPort& port_;
  std::map<std::uint32_t, Lane> lanes_;  ///< by device
  Picoseconds end_ = 0;
};

}  // namespace a2a3::sim
