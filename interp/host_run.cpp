// SPDX-License-Identifier: Apache-2.0
#include "interp/host_run.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "interp/dim_binding.hpp"
#include "interp/host_view.hpp"
#include "ir/arithmetic_warnings.hpp"

namespace a2a3::interp {
namespace {

/// Host steps that a view, slice or argument counts as, which is kept to the end: --max-host-steps
/// bounds the memory of a plan.
constexpr std::uint64_t kStepsPerObject = 100;

/// Functions call one another at most this deep: host, chip, kernel, and chip-level functions that
/// call others.
constexpr int kMaxDepth = 64;

}  // namespace

HostRun::HostRun(const ir::Module& module, const BoundSignature& signature,
                 const PlanOptions& options, ir::Diagnostics& diagnostics)
    : module_(module), signature_(signature), options_(options), diagnostics_(diagnostics) {}

bool HostRun::error(const ir::SourceLocation& where, std::string message) {
  diagnostics_.error(where, std::move(message));
  return false;
}

std::int64_t HostRun::add_object(HostObject object) {
  steps_ += kStepsPerObject;
  if (object.kind == HostObject::Kind::temporary) {
    temporaries_[object.index].objects.push_back(record_.objects.size());
  }
  record_.objects.push_back(std::move(object));
  return static_cast<std::int64_t>(record_.objects.size()) - 1;
}

const HostObject* HostRun::object_of(const Activation& activation, const Op& op,
                                     std::int32_t reference) {
  const std::int32_t object =
      reference == kNoRegister ? -1
                               : activation.frame.references[static_cast<std::size_t>(reference)];
  if (object >= 0 && !record_.objects[static_cast<std::size_t>(object)].assembled) {
    return &record_.objects[static_cast<std::size_t>(object)];
  }
  if (object >= 0) {
    error(where(op), fmt::format("\"{}\" was assembled into another tensor before, and its kernels "
                                 "write there: go on with that one",
                                 record_.objects[static_cast<std::size_t>(object)].name));
    return nullptr;
  }
  error(where(op),
        "this uses the result of a function that returns none of its arguments, or not always the "
        "same one");
  return nullptr;
}

bool HostRun::run() {
  Activation entry;
  entry.function = module_.entry;
  entry.bindings.dims = signature_.dims;
  entry.bindings.world_size = options_.world_size;
  Values arguments;
  for (std::size_t i = 0; i < signature_.parameters.size(); ++i) {
    const HostParameter& parameter = signature_.parameters[i];
    if (parameter.kind == ir::TypeKind::scalar) {
      arguments.push_back(
          {{RegisterFile::scalar, parameter.dtype, 0}, register_bits(parameter.value)});
      continue;
    }
    HostObject object;
    object.kind = HostObject::Kind::parameter;
    object.index = i;
    object.dtype = parameter.dtype;
    object.shape = parameter.shape;
    object.bytes = tensor_bytes(parameter.shape, parameter.dtype).value_or(0);
    object.name = parameter.name;
    arguments.push_back({{RegisterFile::reference, parameter.dtype, 0}, add_object(object)});
  }
  return execute(entry, arguments).has_value();
}

std::optional<HostRun::Values> HostRun::execute(Activation& activation, const Values& arguments) {
  const Program& program = programs_.get(*activation.function);
  if (diagnostics_.has_errors()) return std::nullopt;
  Frame& frame = activation.frame;
  frame.start(program);
  for (std::size_t i = 0; i < program.parameters.size() && i < arguments.size(); ++i) {
    const auto into = static_cast<std::size_t>(program.parameters[i].index);
    if (arguments[i].type.file == RegisterFile::scalar) {
      frame.scalars[into] = arguments[i].bits;
    } else {
      frame.references[into] = static_cast<std::int32_t>(arguments[i].bits);
    }
  }
  for (const auto& [dim, into] : program.dims) {
    const auto value = activation.bindings.dims.find(dim);
    frame.scalars[static_cast<std::size_t>(into)] =
        value == activation.bindings.dims.end() ? options_.world_size : value->second;
  }
  for (;;) {
    frame.steps = steps_;
    const Advance now = advance(frame, options_.max_host_steps);
    steps_ = frame.steps;
    if (now.stop != Stop::effect) {
      if (stopped(activation, now)) continue;
      return std::nullopt;
    }
    const Op& op = *now.op;
    if (op.code == OpCode::finish) {
      Values results;
      for (const TypedRegister& type : program.results[op.site]) {
        const auto index = static_cast<std::size_t>(type.index);
        results.push_back({type, type.index == kNoRegister           ? -1
                                 : type.file == RegisterFile::scalar ? frame.scalars[index]
                                                                     : frame.references[index]});
      }
      return results;
    }
    if (op.code == OpCode::call) {
      const CallSite& site = program.calls[op.site];
      const auto results = call(activation, op, site);
      if (!results) return std::nullopt;
      for (std::size_t i = 0; i < site.results.size() && i < results->size(); ++i) {
        const auto into = static_cast<std::size_t>(site.results[i].index);
        if (site.results[i].file == RegisterFile::scalar) {
          frame.scalars[into] = (*results)[i].bits;
        } else {
          frame.references[into] = static_cast<std::int32_t>((*results)[i].bits);
        }
      }
      continue;
    }
    if (!effect(activation, op)) return std::nullopt;
  }
}

bool HostRun::stopped(const Activation& activation, const Advance& advance) {
  const Op& op = *advance.op;
  switch (advance.stop) {
    case Stop::negative_operand:
      if (warned_.enter(op.source)) {
        ir::warn_of_truncation(diagnostics_, where(op),
                               {op.code == OpCode::modulo, advance.lhs, advance.rhs, op.dtype,
                                activation.function->kind});
      }
      return true;
    case Stop::wraps:
      if (activation.function->kind == ir::FunctionKind::host) {
        return error(where(op), fmt::format("the result {} does not fit into {}", advance.exact(),
                                            isa::name(op.dtype)));
      }
      if (warned_.enter(op.source) && warned_.enter_line(where(op)))
        ir::warn_of_wrapping(diagnostics_, where(op), advance.exact(), op.dtype);
      return true;
    case Stop::division_by_zero:
      return error(where(*advance.op),
                   fmt::format("division by zero: the dividend is {}", advance.lhs));
    case Stop::shift_out_of_range:
      return error(where(*advance.op),
                   fmt::format("shift by {}: a shift count must be in 0..63", advance.rhs));
    case Stop::zero_step:
      return error(where(*advance.op), "the loop's step is 0");
    default:
      return too_many_steps(where(*advance.op));
  }
}

bool HostRun::too_many_steps(const ir::SourceLocation& where) {
  over_limit_ = true;
  return error(where, fmt::format("host orchestration took more than {} steps; --max-host-steps "
                                  "sets the limit",
                                  options_.max_host_steps));
}

std::optional<std::vector<ByteRun>> HostRun::runs_of(const HostObject& object,
                                                     std::uint64_t steps_per_run,
                                                     const ir::SourceLocation& where) {
  steps_ += steps_per_run * (run_count(object) - 1);
  if (steps_ <= options_.max_host_steps) return byte_runs(object);
  too_many_steps(where);
  return std::nullopt;
}

std::optional<HostRun::Values> HostRun::call(Activation& caller, const Op& op,
                                             const CallSite& site) {
  const ir::Function& callee = *site.function;
  Values arguments;
  for (const TypedRegister& type : site.arguments) {
    if (type.file == RegisterFile::scalar) {
      arguments.push_back({type, type.index == kNoRegister
                                     ? -1
                                     : caller.frame.scalars[static_cast<std::size_t>(type.index)]});
      continue;
    }
    const HostObject* object = object_of(caller, op, type.index);
    if (object == nullptr) return std::nullopt;
    arguments.push_back({type, object - record_.objects.data()});
  }
  ir::DimBindings bindings = caller.bindings;
  if (!bind_arguments(callee, arguments, bindings, where(op))) return std::nullopt;
  if (callee.kind == ir::FunctionKind::kernel) {
    return make_task(caller, op, site, arguments, std::move(bindings));
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].type.file != RegisterFile::reference || arguments[i].bits < 0) continue;
    const HostObject& object = record_.objects[static_cast<std::size_t>(arguments[i].bits)];
    if (object.kind == HostObject::Kind::view)
      record_.windows[object.index].view_names.insert(callee.parameters[i].name);
  }
  Activation activation;
  activation.function = &callee;
  activation.bindings = std::move(bindings);
  activation.depth = caller.depth + 1;
  activation.device = caller.device;
  activation.dispatch = caller.dispatch;
  if (activation.depth > kMaxDepth) {
    error(where(op), fmt::format("calls are nested more than {} deep", kMaxDepth));
    return std::nullopt;
  }
  const bool dispatch = !caller.device;
  if (dispatch) {
    const std::int64_t device = site.device == kNoRegister
                                    ? 0
                                    : caller.frame.scalars[static_cast<std::size_t>(site.device)];
    if (device < 0 || device >= options_.world_size) {
      error(where(op), fmt::format("device={}, but the run has devices 0..{}", device,
                                   options_.world_size - 1));
      return std::nullopt;
    }
    activation.device = static_cast<std::uint32_t>(device);
    activation.dispatch = where(op);
    dispatch_order_.begin(static_cast<std::uint32_t>(record_.launches.size()));
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].type.file != RegisterFile::reference) continue;
      const HostObject& object = record_.objects[static_cast<std::size_t>(arguments[i].bits)];
      const auto runs = runs_of(object, kStepsPerKeptRun, where(op));
      if (!runs) return std::nullopt;
      note_use(callee.parameters[i], object, *runs, *activation.device, where(op));
      for (const ByteRun& run : *runs)
        dispatch_order_.access(range_of(callee.parameters[i], object, run, *activation.device));
    }
  }
  auto results = execute(activation, arguments);
  if (dispatch) dispatch_order_.end(before_);
  return results;
}

}  // namespace a2a3::interp
