// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "interp/launch_plan.hpp"

namespace a2a3::interp {

/// What a reference of a host or chip-level function stands for: a part of something that will get
/// a place in global memory.
struct HostObject {
  enum class Kind : std::uint8_t { parameter, buffer, view, temporary };
  Kind kind = Kind::parameter;
  std::size_t index = 0;  ///< parameter, window buffer (also of a view) or temporary
  isa::DType dtype = isa::DType::fp32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> stride;  ///< in elements; empty: row-major without gaps
  std::uint64_t offset_bytes = 0;    ///< inside the parameter, buffer or temporary
  std::uint64_t bytes = 0;           ///< from the first element to behind the last one
  bool sliced = false;
  bool assembled = false;  ///< a temporary that became a box of something else
  std::string name;
};

/// Bytes without gaps.
struct ByteRun {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// One dispatch's use of part of a host tensor.
struct Access {
  std::size_t parameter = 0;
  std::uint32_t device = 0;
  std::uint64_t begin = 0;  ///< bytes of the host tensor
  std::uint64_t end = 0;
  std::vector<ByteRun> runs;  ///< of a slice with gaps, ascending; empty: all of begin..end
  bool read = false;
  bool write = false;
  bool sliced = false;
  std::string name;
  ir::SourceLocation location;
};

/// A tensor that a chip-level function made for itself.
struct Temporary {
  std::uint32_t device = 0;
  std::uint64_t bytes = 0;
  std::string name;
};

/// A tensor argument whose place in memory is still open.
struct OpenArgument {
  std::size_t task = 0;
  std::size_t argument = 0;
  std::size_t object = 0;
};

/// Everything that host orchestration asked for, in program order; layout() gives it places.
struct LaunchRecord {
  std::vector<HostObject> objects;
  std::vector<WindowBuffer> windows;
  std::vector<bool> viewed;                             ///< by window: pld.window was called on it
  std::vector<std::set<std::uint32_t>> window_devices;  ///< by window: dispatches that receive it
  std::vector<Temporary> temporaries;
  std::vector<Access> accesses;
  std::vector<Launch> launches;
  std::vector<Task> tasks;
  std::vector<OpenArgument> open_arguments;
};

/// Forms the communication domains, places windows, tensor slices and temporaries on the devices
/// and fills in the tasks' arguments. Reports slices shared between devices, outputs that no
/// dispatch gets, and devices that are too small.
[[nodiscard]] LaunchPlan layout(LaunchRecord record, const BoundSignature& signature,
                                const PlanOptions& options, ir::SourceLocation entry,
                                ir::Diagnostics& diagnostics);

}  // namespace a2a3::interp
