// SPDX-License-Identifier: Apache-2.0
// Window buffers, views, and how arguments take the shape of parameters.
#include <fmt/format.h>

#include "interp/dim_binding.hpp"
#include "interp/host_run.hpp"
#include "interp/host_view.hpp"
#include "ir/signal_layout.hpp"

namespace a2a3::interp {
std::optional<std::vector<std::int64_t>> HostRun::shape_of(const Activation& activation,
                                                           const Op& op, const RegisterList& list,
                                                           isa::DType dtype) {
  std::vector<std::int64_t> shape;
  for (std::size_t d = 0; d < list.rank; ++d) {
    shape.push_back(activation.frame.scalars[static_cast<std::size_t>(list.index[d])]);
  }
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] > 0) continue;
    const bool may_be_empty = op.code == OpCode::alloc_window || op.code == OpCode::window;
    if (may_be_empty && ir::is_ring_signal_of_one_rank(dtype, {shape.begin(), shape.end()})) break;
    error(where(op), fmt::format("shape dimension[{}] is {}; all dimensions must be positive{}{}",
                                 d, shape[d], shape[d] == 0 ? "; " : "",
                                 shape[d] == 0 ? ir::kOnlyRingSignalsAreEmpty : ""));
    return std::nullopt;
  }
  return shape;
}

bool HostRun::effect(Activation& activation, const Op& op) {
  switch (op.code) {
    case OpCode::world_size:
      activation.frame.scalars[static_cast<std::size_t>(op.dst)] = options_.world_size;
      return true;
    case OpCode::alloc_window:
      return alloc_window(activation, op);
    case OpCode::window:
      return window(activation, op);
    case OpCode::view:
      return slice(activation, op);
    case OpCode::assemble:
      return assemble(activation, op);
    case OpCode::extent:
      return extent(activation, op);
    case OpCode::create_tensor:
      return create_tensor(activation, op);
    case OpCode::task_begin:
      begin_task(activation, op);
      return true;
    case OpCode::task_end:
      end_task(activation, op);
      return true;
    case OpCode::manual_begin:
      dependences_.open_scope();
      return true;
    case OpCode::manual_end:
      dependences_.close_scope();
      return true;
    case OpCode::spmd_begin:
      return begin_spmd(activation, op);
    case OpCode::spmd_end:
      activation.spmd = {};
      return true;
    case OpCode::read:
    case OpCode::write:
      return error(where(op),
                   "orchestration cannot read or write elements of a tensor: it runs "
                   "before the devices do");
    default:
      return error(where(op), "this operation can only stand in a kernel");
  }
}

bool HostRun::alloc_window(Activation& activation, const Op& op) {
  const ShapeSite& site = activation.frame.program->shapes[op.site];
  WindowBuffer buffer;
  buffer.name = site.name;
  buffer.location = where(op);
  std::optional<std::uint64_t> bytes;
  if (site.list.empty()) {
    const std::int64_t count = activation.frame.scalars[static_cast<std::size_t>(op.a)];
    // A ring signal of one rank has 2*(NR-1)*NR = 0 cells.
    if (count < 0) {
      return error(where(op), fmt::format("window buffer '{}' has {} bytes; its size must be "
                                          "positive",
                                          buffer.name, count));
    }
    bytes = tensor_bytes({count}, isa::DType::int8);
  } else {
    const auto shape = shape_of(activation, op, site.list, site.dtype);
    if (!shape) return false;
    bytes = tensor_bytes(*shape, site.dtype);
  }
  if (!bytes) return error(where(op), fmt::format("window buffer '{}' is too large", buffer.name));
  buffer.bytes = *bytes;
  if (!window_of_source_.try_emplace(op.source, record_.windows.size()).second) {
    diagnostics_
        .error(where(op),
               fmt::format("window buffer '{}' is allocated more than once", buffer.name))
        .notes.push_back(
            {"every rank gets its copy from one allocation: move it out of the loop", {}});
    return false;
  }
  HostObject object;
  object.kind = HostObject::Kind::buffer;
  object.index = record_.windows.size();
  object.bytes = buffer.bytes;
  object.name = buffer.name;
  record_.windows.push_back(std::move(buffer));
  record_.viewed.push_back(false);
  record_.window_devices.emplace_back();
  activation.frame.references[static_cast<std::size_t>(op.dst)] =
      static_cast<std::int32_t>(add_object(std::move(object)));
  return true;
}

bool HostRun::window(Activation& activation, const Op& op) {
  const ShapeSite& site = activation.frame.program->shapes[op.site];
  const HostObject* buffer_object = object_of(activation, op, op.a);
  if (buffer_object == nullptr) return false;
  const auto shape = shape_of(activation, op, site.list, site.dtype);
  if (!shape) return false;
  HostObject view = *buffer_object;
  view.kind = HostObject::Kind::view;
  view.dtype = site.dtype;
  view.shape = *shape;
  const WindowBuffer& buffer = record_.windows[view.index];
  const auto bytes = tensor_bytes(*shape, site.dtype);
  if (!bytes || *bytes > buffer.bytes) {
    ir::Diagnostic& diagnostic = diagnostics_.error(
        where(op),
        fmt::format("pld.tensor.window: view needs {} bytes, buffer '{}' has {}",
                    bytes ? std::to_string(*bytes) : "more than 2^56", buffer.name, buffer.bytes));
    diagnostic.notes.push_back({fmt::format("'{}' is allocated here; pld.alloc_window_buffer(n) "
                                            "counts bytes, not elements",
                                            buffer.name),
                                buffer.location});
    return false;
  }
  view.bytes = *bytes;
  record_.viewed[view.index] = true;
  if (!site.name.empty()) record_.windows[view.index].view_names.insert(site.name);
  activation.frame.references[static_cast<std::size_t>(op.dst)] =
      static_cast<std::int32_t>(add_object(std::move(view)));
  return true;
}

bool HostRun::create_tensor(Activation& activation, const Op& op) {
  const ShapeSite& site = activation.frame.program->shapes[op.site];
  if (!activation.device) {
    return error(where(op),
                 "create_tensor makes a tensor on one device: it can only stand in a "
                 "chip-level function");
  }
  const auto shape = shape_of(activation, op, site.list, site.dtype);
  if (!shape) return false;
  const auto bytes = tensor_bytes(*shape, site.dtype);
  if (!bytes) return error(where(op), "the tensor is too large");
  HostObject object;
  object.kind = HostObject::Kind::temporary;
  object.index = record_.temporaries.size();
  object.dtype = site.dtype;
  object.shape = *shape;
  object.bytes = *bytes;
  object.name = site.name.empty() ? "temporary" : site.name;
  record_.temporaries.push_back({*activation.device, *bytes, object.name});
  temporaries_.push_back({object, {}, {}});
  activation.frame.references[static_cast<std::size_t>(op.dst)] =
      static_cast<std::int32_t>(add_object(std::move(object)));
  return true;
}

bool HostRun::bind_arguments(const ir::Function& callee, Values& arguments,
                             ir::DimBindings& bindings, const ir::SourceLocation& where) {
  for (std::size_t i = 0; i < arguments.size() && i < callee.parameters.size(); ++i) {
    if (arguments[i].type.file != RegisterFile::reference) continue;
    HostObject object = record_.objects[static_cast<std::size_t>(arguments[i].bits)];
    const HostObject before = object;
    if (!bind_object(callee.parameters[i], object, bindings, where)) return false;
    if (object.shape != before.shape || object.dtype != before.dtype ||
        object.stride != before.stride) {
      arguments[i].bits = add_object(std::move(object));
    }
  }
  return true;
}

bool HostRun::bind_object(const ir::Parameter& parameter, HostObject& object,
                          ir::DimBindings& bindings, const ir::SourceLocation& where) {
  const std::vector<ir::Dim>& dims = parameter.type.shape;
  const bool same_rank = dims.size() == object.shape.size();
  const bool is_window = object.kind == HostObject::Kind::view;
  std::vector<std::int64_t> shape;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    Unified unified = Unified::unknown;
    if (same_rank) unified = unify(module_, dims[d], object.shape[d], bindings);
    const auto value = ir::evaluate(module_, dims[d], bindings);
    // A view is indexed as the callee says; a plain tensor must be what the callee says.
    if (unified == Unified::different && !(is_window && value)) {
      return error(where, fmt::format("dimension {} of \"{}\" is {}{}, but \"{}\" has {} there", d,
                                      parameter.name, module_.describe(dims[d]),
                                      value && !dims[d].is_constant() ? fmt::format(" = {}", *value)
                                                                      : std::string{},
                                      object.name, object.shape[d]));
    }
    if (unified == Unified::ambiguous) {
      return error(where, fmt::format("dimension {} of \"{}\" is {}, and \"{}\" has {} there: more "
                                      "than one value fits, choose with --set",
                                      d, parameter.name, module_.describe(dims[d]), object.name,
                                      object.shape[d]));
    }
    if (!value && !same_rank) {
      return error(where, fmt::format("dimension {} of \"{}\" ({}) cannot be told from \"{}\", "
                                      "which has {} dimensions",
                                      d, parameter.name, module_.describe(dims[d]), object.name,
                                      object.shape.size()));
    }
    shape.push_back(value.value_or(same_rank ? object.shape[d] : 1));
  }
  const auto needed = tensor_bytes(shape, parameter.type.dtype);
  const bool is_whole_view = is_window && !object.sliced;
  const std::uint64_t room =
      is_whole_view ? record_.windows[object.index].bytes - object.offset_bytes : object.bytes;
  if (!needed || (object.stride.empty() && *needed > room)) {
    return error(where, fmt::format("parameter \"{}\" of shape [{}] needs {} bytes, \"{}\" has {}",
                                    parameter.name, fmt::join(shape, ", "), needed.value_or(0),
                                    object.name, room));
  }
  const std::vector<std::int64_t> before = object.shape;
  if (reshape(object, std::move(shape), parameter.type.dtype)) return true;
  return error(where, fmt::format("parameter \"{}\" is {}, \"{}\" has shape [{}] with gaps between "
                                  "its rows: target shape reinterpret requires a packed source",
                                  parameter.name, module_.describe(parameter.type), object.name,
                                  fmt::join(before, ", ")));
}

void HostRun::note_use(const ir::Parameter& parameter, const HostObject& object,
                       const std::vector<ByteRun>& runs, std::uint32_t device,
                       const ir::SourceLocation& where) {
  if (object.kind == HostObject::Kind::view || object.kind == HostObject::Kind::buffer) {
    record_.window_devices[object.index].insert(device);
    return;
  }
  if (object.kind != HostObject::Kind::parameter) return;
  Access access;
  access.parameter = object.index;
  access.device = device;
  access.begin = object.offset_bytes;
  access.end = object.offset_bytes + object.bytes;
  if (!object.stride.empty()) access.runs = runs;
  access.read = parameter.type.direction != ir::Direction::out;
  access.write = parameter.type.direction != ir::Direction::in;
  access.sliced = object.sliced;
  access.name = object.name;
  access.location = where;
  record_.accesses.push_back(std::move(access));
}

}  // namespace a2a3::interp
