// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "interp/host_run.hpp"
#include "interp/launch_plan.hpp"

namespace a2a3::interp {

PlanResult plan_launch(const ir::Module& module, const BoundSignature& signature,
                       const PlanOptions& options) {
  PlanResult result;
  HostRun run(module, signature, options, result.diagnostics);
  const bool complete = run.run();
  result.over_limit = run.over_limit();
  if (!complete) return result;
  result.plan =
      layout(run.take_record(), signature, options, module.entry->location, result.diagnostics);
  return result;
}

namespace {

std::string shape_text(const std::vector<std::int64_t>& shape, isa::DType dtype) {
  return fmt::format("[{}] {}", fmt::join(shape, ", "), isa::name(dtype));
}

std::string text(const KernelArgument& argument, const LaunchPlan& plan) {
  if (const auto* scalar = std::get_if<isa::Scalar>(&argument)) {
    return isa::is_float(scalar->dtype) ? fmt::format("{}", scalar->f)
                                        : fmt::format("{}", scalar->i);
  }
  const auto& tensor = std::get<TensorArgument>(argument);
  const std::string where =
      tensor.window >= 0
          ? fmt::format("window {}+{}", plan.windows[static_cast<std::size_t>(tensor.window)].name,
                        tensor.window_offset_bytes)
          : fmt::format("gm+{}", tensor.base.offset_bytes);
  const std::string strides =
      tensor.stride.empty() ? "" : fmt::format(", strides [{}]", fmt::join(tensor.stride, ", "));
  return fmt::format("{} {} at {}{}", tensor.name, shape_text(tensor.shape, tensor.dtype), where,
                     strides);
}

}  // namespace

std::string print(const LaunchPlan& plan) {
  std::string out = fmt::format("devices: {}\n", plan.world_size);
  for (std::size_t i = 0; i < plan.domains.size(); ++i) {
    out += fmt::format("domain {}: devices {}\n", i, fmt::join(plan.domains[i].devices, ", "));
  }
  for (const WindowBuffer& window : plan.windows) {
    out +=
        fmt::format("window {}: {} bytes, domain {}, at", window.name, window.bytes, window.domain);
    for (const auto& [device, offset] : window.offset_bytes) {
      out += fmt::format(" {}:gm+{}", device, offset);
    }
    out += '\n';
  }
  for (const HostCopy& copy : plan.copies) {
    const HostParameter& parameter = plan.parameters[copy.parameter];
    out +=
        fmt::format("copy {}{}: {} bytes of {} {} from byte {}, device {} gm+{}\n",
                    copy.copy_in ? "in" : "", copy.copy_out ? (copy.copy_in ? "/out" : "out") : "",
                    copy.bytes, parameter.name, shape_text(parameter.shape, parameter.dtype),
                    copy.host_offset_bytes, copy.device.device, copy.device.offset_bytes);
  }
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    const Task& task = plan.tasks[i];
    const Launch& launch = plan.launches[task.launch];
    out += fmt::format("task {}: {} on device {}", i, task.kernel->name, task.device);
    if (launch.blocks > 1) out += fmt::format(", block {} of {}", task.block, launch.blocks);
    out += fmt::format(", launch {}", task.launch);
    if (!launch.after.empty()) out += fmt::format(" after {}", fmt::join(launch.after, ", "));
    out += '\n';
    for (std::size_t a = 0; a < task.arguments.size(); ++a) {
      out += fmt::format("  {} = {}\n", task.kernel->parameters[a].name,
                         text(task.arguments[a], plan));
    }
  }
  for (std::size_t device = 0; device < plan.gm_bytes.size(); ++device) {
    out += fmt::format("device {}: {} bytes of global memory\n", device, plan.gm_bytes[device]);
  }
  return out;
}

}  // namespace a2a3::interp
