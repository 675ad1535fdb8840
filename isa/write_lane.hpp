// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "isa/dtype.hpp"
#include "isa/operand.hpp"

namespace a2a3::isa {

/// A write that has left its core and is not in memory yet.
struct WriteInFlight {
  GlobalAddress address;
  std::vector<std::byte> bytes;
  std::optional<DType> added;  ///< the memory adds elements of this type; else it overwrites
};

/// The writes of one core to one device that are in flight, in the order of their making: the
/// oldest one lands first.
class WriteLane {
 public:
  void add(GlobalAddress address, std::span<const std::byte> bytes, std::optional<DType> added) {
    writes_.push_back({address, {bytes.begin(), bytes.end()}, added});
  }
  [[nodiscard]] bool empty() const { return writes_.empty(); }
  /// Takes the oldest one; there must be one.
  [[nodiscard]] WriteInFlight take();
  /// How many have to land before none in flight touches these bytes of the lane's device.
  [[nodiscard]] std::size_t behind(GlobalAddress address, std::size_t bytes) const;

 private:
  std::deque<WriteInFlight> writes_;
};

}  // namespace a2a3::isa
