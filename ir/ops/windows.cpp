// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/region.hpp"
#include "ir/ops/rules.hpp"
#include "ir/signal_layout.hpp"

namespace a2a3::ir::rules {
namespace {

const std::string kAlloc = "pld.tensor.alloc_window_buffer";

std::optional<Dim> shape_bytes(OpCall& call) {
  const auto dtype = call.dtype(1, kAlloc);
  const auto shape = call.dims(0, kAlloc);
  if (!call.has(1)) {
    call.error(0, kAlloc + " requires dtype= when the first argument is a shape");
    return std::nullopt;
  }
  if (!shape || !dtype) return std::nullopt;
  if (!is_ring_signal_of_one_rank(*dtype, *shape) &&
      !is_memory_shape(call, 0, *shape, *dtype, kAlloc)) {
    return std::nullopt;
  }
  Dim bytes(isa::size_of(*dtype));
  for (const Dim& extent : *shape)
    bytes = bytes * extent;
  return bytes;
}

std::optional<Dim> buffer_bytes(OpCall& call) {
  if (std::holds_alternative<Sequence>(call.operand(0).node)) return shape_bytes(call);
  if (!call.is_integer_scalar(0, kAlloc + " takes a number of bytes or a shape")) {
    return std::nullopt;
  }
  if (call.has(1)) {
    call.error(1, kAlloc + " dtype= is only valid when the first argument is a shape");
    return std::nullopt;
  }
  const Dim bytes = call.dim_of(call.operand(0));
  const auto constant = bytes.constant();
  // A ring signal of one rank has 2*(NR-1)*NR = 0 cells. A 0 that is written is a mistake.
  const bool is_written = std::holds_alternative<IntLiteral>(call.operand(0).node);
  if (constant && (*constant < (is_written ? 1 : 0) || *constant > kMostBytes)) {
    call.error(0, kAlloc + " size must be positive and at most 2^48 bytes, got " +
                      std::to_string(*constant));
    return std::nullopt;
  }
  return bytes;
}

/// Reports a view that is larger than its buffer.
void check_view_fits(OpCall& call, const BufferUse& buffer, const Type& view) {
  if (!buffer.bytes) return;
  const Dim needed = view.elements_count() * Dim(isa::size_of(view.dtype));
  if (!needed.provably_greater(*buffer.bytes)) return;
  auto& diagnostic =
      call.error(1, "pld.tensor.window: view needs " + call.show(needed) + " bytes, buffer '" +
                        buffer.name + "' has " + call.show(*buffer.bytes));
  if (buffer.counts_bytes) {
    diagnostic.notes.push_back(
        {"the int form of pld.alloc_window_buffer counts bytes, not elements", buffer.location});
  } else {
    diagnostic.notes.push_back(
        {"it is allocated here: give the buffer the shape of the view", buffer.location});
  }
}

}  // namespace

// pld.alloc_window_buffer(bytes) or pld.alloc_window_buffer([d0, d1], dtype=...)
Type alloc_window_buffer(OpCall& call) {
  const std::string* name = call.checker().assigned_name();
  const auto bytes = buffer_bytes(call);
  if (name == nullptr || *name == "_") {
    call.error(kAlloc +
               " must appear as the RHS of a simple assignment (its result must be bound "
               "to a named variable)");
    return {};
  }
  auto& buffers = call.checker().program().buffers;
  for (BufferUse& other : buffers) {
    if (other.name != *name) continue;
    other.viewed = other.dispatched = true;  // its uses are lost behind the second allocation
    call.error(kAlloc + " name '" + *name + "' is already declared in this program")
        .notes.push_back({"the first buffer of this name", other.location});
    return {};
  }
  const bool in_loop = call.checker().in_loop();
  if (in_loop) {
    call.error(kAlloc +
               " inside a loop: one call allocates the buffer on every rank; allocate it "
               "before the loop");
  }
  Origin origin;
  origin.buffer = static_cast<std::int32_t>(buffers.size());
  const bool wrong = !bytes || in_loop;  // reported: whether it is used is no further mistake
  const bool counts_bytes = !std::holds_alternative<Sequence>(call.operand(0).node);
  buffers.push_back({*name, call.expr().location, bytes, counts_bytes, wrong, wrong, {}});
  call.checker().set_origin(call.expr(), origin);
  return Type::of(TypeKind::ptr);
}

// pld.window(buffer, shape, *, dtype)
Type window(OpCall& call) {
  const std::string name = "pld.tensor.window";
  const auto shape = call.dims(1, name);
  const auto dtype = call.dtype(2, name);
  BufferUse* buffer = nullptr;
  if (call.type(0).kind == TypeKind::ptr) {
    const std::int32_t index = call.origin(0).buffer;
    if (index >= 0) {
      buffer = &call.checker().program().buffers.at(static_cast<std::size_t>(index));
      buffer->viewed = true;
    }
    call.checker().set_origin(call.expr(), call.origin(0));
  } else if (call.type(0).kind != TypeKind::unknown) {
    call.error(0, name + " expects a Ptr handle (output of pld.tensor.alloc_window_buffer); got " +
                      call.shown_type(0));
    return {};
  }
  if (!shape || !dtype) return {};
  if (!is_ring_signal_of_one_rank(*dtype, *shape) &&
      !is_memory_shape(call, 1, *shape, *dtype, name)) {
    return {};
  }
  if (*dtype == isa::DType::index) {
    call.error(2, name + " dtype must be one that memory can hold, got INDEX");
    return {};
  }
  Type view = Type::of(TypeKind::distributed_tensor);
  view.dtype = *dtype;
  view.shape = *shape;
  view.direction = Direction::inout;
  if (buffer != nullptr) check_view_fits(call, *buffer, view);
  return view;
}

}  // namespace a2a3::ir::rules
