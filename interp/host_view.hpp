// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interp/launch_record.hpp"

/// Boxes of what orchestration holds: parts with gaps between their rows.
namespace a2a3::interp {

/// One axis of a box; a dropped one (a scalar index) has extent 1.
struct HostAxis {
  std::int64_t offset = 0;
  std::int64_t extent = 1;
  bool dropped = false;
};

/// The object's strides in elements, also when it says none.
[[nodiscard]] std::vector<std::int64_t> strides_of(const HostObject& object);

/// The part of an object that the axes (one per dimension, all inside) say, named `x[2, 0:4]`.
[[nodiscard]] HostObject box_of(const HostObject& whole, const std::vector<HostAxis>& axes);

/// How many byte_runs() an object has.
[[nodiscard]] std::uint64_t run_count(const HostObject& object);

/// The byte ranges of an object, neighbours joined, ascending.
[[nodiscard]] std::vector<ByteRun> byte_runs(const HostObject& object);

/// Both belong to the same parameter, buffer or temporary; on one device that is the same memory.
[[nodiscard]] bool same_memory(const HostObject& a, const HostObject& b);

/// The same elements in the same order, dimensions of extent 1 apart.
[[nodiscard]] bool same_elements(const HostObject& a, const HostObject& b);

/// Gives the object another shape. False when that needs a packed source and it has gaps.
[[nodiscard]] bool reshape(HostObject& object, std::vector<std::int64_t> shape, isa::DType dtype);

/// The object, a part of a temporary of that shape, as it lies when the temporary is `box`; nothing
/// when it sees the temporary's elements in an order that the box does not have.
[[nodiscard]] std::optional<HostObject> moved_into(const HostObject& object,
                                                   const HostObject& temporary,
                                                   const HostObject& box);

}  // namespace a2a3::interp
