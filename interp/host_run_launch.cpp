// SPDX-License-Identifier: Apache-2.0
// Kernel calls become launches, and their blocks tasks.
#include <fmt/format.h>

#include "interp/host_run.hpp"
#include "interp/host_view.hpp"

namespace a2a3::interp {
namespace {

/// Host steps that making a task counts as, so that --max-host-steps bounds the memory of a plan.
constexpr std::uint64_t kStepsPerTask = 100;

}  // namespace

LaunchRecord HostRun::take_record() {
  for (std::size_t i = 0; i < before_.size(); ++i)
    record_.launches[i].after.assign(before_[i].begin(), before_[i].end());
  return std::move(record_);
}

bool HostRun::begin_spmd(Activation& activation, const Op& op) {
  const std::int64_t blocks = activation.frame.scalars[static_cast<std::size_t>(op.a)];
  if (blocks < 1 || blocks > kMaxBlocks) {
    return error(where(op),
                 fmt::format("pl.spmd of {} blocks: a launch has 1 to {}", blocks, kMaxBlocks));
  }
  activation.spmd = {.blocks = static_cast<std::uint32_t>(blocks), .launch = std::nullopt};
  return true;
}

void HostRun::begin_task(Activation& activation, const Op& op) {
  activation.task.emplace();
  for (const Register dependence : activation.frame.program->task_dependences[op.site]) {
    const auto& launches = task_sets_[static_cast<std::size_t>(
        activation.frame.scalars[static_cast<std::size_t>(dependence)])];
    activation.task->after.insert(launches.begin(), launches.end());
  }
}

void HostRun::end_task(Activation& activation, const Op& op) {
  if (op.dst != kNoRegister) {
    activation.frame.scalars[static_cast<std::size_t>(op.dst)] =
        static_cast<std::int64_t>(task_sets_.size());
    task_sets_.push_back(std::move(activation.task->launches));
  }
  activation.task.reset();
}

std::uint32_t HostRun::launch_of(Activation& caller) {
  if (caller.spmd.launch) return *caller.spmd.launch;
  const auto launch = static_cast<std::uint32_t>(record_.launches.size());
  record_.launches.push_back({*caller.device, caller.spmd.blocks, {}});
  before_.emplace_back();
  if (caller.task) {
    before_[launch] = caller.task->after;
    caller.task->launches.push_back(launch);
  }
  if (caller.spmd.blocks > 1) caller.spmd.launch = launch;
  return launch;
}

Dependences::Range HostRun::range_of(const ir::Parameter& parameter, const HostObject& object,
                                     const ByteRun& run, std::uint32_t device) {
  const bool window = object.kind == HostObject::Kind::view;
  const auto kind = window ? HostObject::Kind::buffer : object.kind;
  return {{device, static_cast<std::uint32_t>(kind), object.index},
          run.begin,
          run.end,
          window || parameter.type.direction != ir::Direction::in};
}

void HostRun::note_order(std::uint32_t launch, const ir::Parameter& parameter,
                         const HostObject& object, const std::vector<ByteRun>& runs,
                         std::uint32_t device) {
  for (const ByteRun& run : runs)
    dependences_.access(launch, range_of(parameter, object, run, device), before_[launch]);
}

std::optional<HostRun::Values> HostRun::make_task(Activation& caller, const Op& op,
                                                  const CallSite& site, const Values& arguments,
                                                  ir::DimBindings bindings) {
  const ir::Function& kernel = *site.function;
  if (!caller.device) {
    error(where(op), fmt::format("kernel \"{}\" is called by the host: a chip-level function must "
                                 "stand between them",
                                 kernel.name));
    return std::nullopt;
  }
  steps_ += kStepsPerTask;
  const std::uint32_t launch = launch_of(caller);
  Task task;
  task.device = *caller.device;
  task.launch = launch;
  task.block = caller.spmd.next_block;
  if (caller.spmd.launch) ++caller.spmd.next_block;
  task.kernel = &kernel;
  task.call = where(op);
  task.dispatch = caller.dispatch;
  task.dims = std::move(bindings.dims);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].type.file == RegisterFile::scalar) {
      const isa::DType dtype = kernel.parameters[i].type.dtype;
      task.arguments.emplace_back(make_scalar(arguments[i].bits, dtype));
      continue;
    }
    const HostObject& object = record_.objects[static_cast<std::size_t>(arguments[i].bits)];
    const auto runs = runs_of(object, kStepsPerKeptRun, task.call);
    if (!runs) return std::nullopt;
    note_use(kernel.parameters[i], object, *runs, task.device, caller.dispatch);
    note_order(launch, kernel.parameters[i], object, *runs, task.device);
    TensorArgument argument;
    argument.dtype = object.dtype;
    argument.shape = object.shape;
    argument.name = object.name;
    if (object.kind == HostObject::Kind::temporary) {
      temporaries_[object.index].uses.push_back(record_.open_arguments.size());
    }
    record_.open_arguments.push_back(
        {record_.tasks.size(), i, static_cast<std::size_t>(arguments[i].bits)});
    task.arguments.emplace_back(std::move(argument));
  }
  record_.tasks.push_back(std::move(task));
  Values results;
  for (const std::int32_t parameter : kernel.result_parameters) {
    HostValue value{{RegisterFile::reference, isa::DType::fp32, 0}, -1};
    if (parameter >= 0) value = arguments[static_cast<std::size_t>(parameter)];
    results.push_back(value);
  }
  return results;
}

}  // namespace a2a3::interp
