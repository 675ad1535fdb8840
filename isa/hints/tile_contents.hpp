// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "isa/hints/range_map.hpp"
#include "isa/instruction.hpp"

namespace a2a3::isa {

/// Names a value: bytes of one identity are the same. 0: what a memory began with.
using ValueIdentity = std::uint64_t;
/// A transfer between devices, in the order in which they came.
using DeliveryId = std::uint32_t;

/// What lies in the tiles of the tasks that run: which values, and what brought them.
class TileContents {
 public:
  /// Calls use(delivery) for those that brought what the operation takes from its tiles.
  void read(std::uint32_t task, const Operation& operation,
            const std::function<void(DeliveryId)>& use) const;
  /// The operation writes its tiles, stages of transfers included. `arrival`: a load that brings
  /// them from another device.
  void write(std::uint32_t task, const Operation& operation, ValueIdentity identity,
             std::optional<DeliveryId> arrival);

  /// Appends to the key which parts of which values the tile holds, from where in it. False when
  /// nothing wrote some of its bytes.
  bool describe(std::vector<std::int64_t>& key, std::uint32_t task, const Tile& tile) const;

  /// The task is over.
  void forget(std::uint32_t task) { tiles_.erase(task); }
  void clear() { tiles_.clear(); }

 private:
  struct Bytes {
    ValueIdentity identity = 0;
    std::uint64_t begin = 0;  ///< of the bytes that were written together
    std::optional<DeliveryId> arrival;
    friend bool operator==(const Bytes&, const Bytes&) = default;
  };
  using Memory = RangeMap<Bytes>;
  [[nodiscard]] const Memory* find(std::uint32_t task, MemorySpace space) const;

  std::map<std::uint32_t, std::map<MemorySpace, Memory>> tiles_;  ///< by task
};

}  // namespace a2a3::isa
