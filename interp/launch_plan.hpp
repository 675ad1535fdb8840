// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "ir/diagnostic.hpp"
#include "ir/module.hpp"
#include "isa/array.hpp"
#include "isa/operand.hpp"

namespace a2a3::interp {

/// A host function's parameter with every dimension bound.
struct HostParameter {
  std::string name;
  isa::DType dtype = isa::DType::fp32;
  ir::TypeKind kind = ir::TypeKind::tensor;  ///< tensor or scalar
  ir::Direction direction = ir::Direction::in;
  std::vector<std::int64_t> shape;
  isa::Scalar value;  ///< of a scalar parameter
  ir::SourceLocation location;
};

struct BindOptions {
  std::int64_t world_size = 1;
  /// Values of dynamic dimensions and scalar parameters by name; other names do no harm.
  std::map<std::string, ir::Constant> settings;
  std::map<std::string, std::vector<std::int64_t>>
      known_shapes;  ///< shapes of inputs read from files, by parameter
};

struct BoundSignature {
  std::vector<HostParameter> parameters;
  std::map<std::uint32_t, std::int64_t> dims;  ///< DynamicDim id -> value
  ir::Diagnostics diagnostics;
};

/// Gives every dynamic dimension of the entry's parameters its value: its setting, else the shape
/// of a given input, else the number of devices. Errors: a setting that is no whole number for a
/// dimension, or no value of a scalar parameter's dtype; a scalar parameter without one; shapes
/// that do not fit.
[[nodiscard]] BoundSignature bind_signature(const ir::Module& module, const BindOptions& options);

/// Ranks that share windows; rank r of the domain is device `devices[r]`.
struct CommDomain {
  std::vector<std::uint32_t> devices;
};

/// A window buffer: one region of the same size on every device of its domain.
struct WindowBuffer {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint32_t domain = 0;
  std::map<std::uint32_t, std::uint64_t> offset_bytes;  ///< by device
  ir::SourceLocation location;
  std::set<std::string> view_names = {};  ///< of its views in the host and chip-level functions
};

/// A tensor argument of a kernel: a view of one region on the task's device.
struct TensorArgument {
  isa::DType dtype = isa::DType::fp32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> stride;  ///< in elements; empty: row-major without gaps
  isa::GlobalAddress base;
  std::int32_t window = -1;               ///< index into LaunchPlan::windows; -1 for a plain tensor
  std::uint64_t window_offset_bytes = 0;  ///< of `base` inside the window
  std::string name;                       ///< "data", "x[2]": for messages
};

using KernelArgument = std::variant<TensorArgument, isa::Scalar>;

/// One block of a launch: a kernel that runs on one core.
struct Task {
  std::uint32_t device = 0;
  std::uint32_t launch = 0;  ///< index into LaunchPlan::launches
  std::uint32_t block = 0;   ///< of the launch's blocks; 0 outside of pl.spmd
  const ir::Function* kernel = nullptr;
  std::vector<KernelArgument> arguments;
  std::map<std::uint32_t, std::int64_t> dims;  ///< DynamicDim id -> value in this call
  ir::SourceLocation call;                     ///< of the kernel by the chip-level function
  ir::SourceLocation dispatch;                 ///< of the chip-level function by the host
};

/// One call of a kernel by a chip-level function: one block, or with pl.spmd several, which run on
/// different cores of the device as these come free.
struct Launch {
  std::uint32_t device = 0;
  std::uint32_t blocks = 0;
  /// Earlier launches on the same device that are complete before a block of this one starts;
  /// ascending.
  std::vector<std::uint32_t> after;
};

/// A contiguous piece of a host tensor that lives on a device during the run.
struct HostCopy {
  std::size_t parameter = 0;  ///< index into the bound parameters
  std::uint64_t host_offset_bytes = 0;
  isa::GlobalAddress device;
  std::uint64_t bytes = 0;
  bool copy_in = false;
  bool copy_out = false;
};

/// What host orchestration decided: where everything lies and what runs where, in order.
struct LaunchPlan {
  std::int64_t world_size = 1;
  std::vector<HostParameter> parameters;
  std::vector<CommDomain> domains;
  std::vector<WindowBuffer> windows;
  std::vector<HostCopy> copies;
  std::vector<Launch> launches;         ///< in dispatch order
  std::vector<Task> tasks;              ///< in dispatch order
  std::vector<std::uint64_t> gm_bytes;  ///< by device: size of the region in use
};

/// Whether what a copy brings to the device has values: an Out of the host function has none, also
/// where a kernel takes it as an InOut.
[[nodiscard]] inline bool brings_values(const LaunchPlan& plan, const HostCopy& copy) {
  return copy.copy_in && plan.parameters[copy.parameter].direction != ir::Direction::out;
}

struct PlanOptions {
  std::int64_t world_size = 1;
  std::uint64_t gm_capacity_bytes = std::uint64_t{64} << 30;
  std::uint64_t max_host_steps = 100'000'000;  ///< --max-host-steps
};

struct PlanResult {
  LaunchPlan plan;
  ir::Diagnostics diagnostics;
  bool over_limit = false;  ///< an error is that of PlanOptions::max_host_steps
};

/// Runs the entry function and the chip-level functions it dispatches. Only shapes and scalars take
/// part, no data.
[[nodiscard]] PlanResult plan_launch(const ir::Module& module, const BoundSignature& signature,
                                     const PlanOptions& options);

/// The plan as readable text (`run --print-plan`).
[[nodiscard]] std::string print(const LaunchPlan& plan);

}  // namespace a2a3::interp
