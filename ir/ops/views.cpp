// SPDX-License-Identifier: Apache-2.0
// The same data seen with another shape or valid box, and shapes as values.
#include "ir/ops/region.hpp"
#include "ir/ops/rules.hpp"
#include "ir/signal_layout.hpp"

namespace a2a3::ir::rules {

// pl.tile.set_validshape(tile, valid_rows, valid_cols)
Type tile_set_validshape(OpCall& call) {
  const std::string name = "pl.tile.set_validshape";
  const bool tile = call.is_tile(0, name + " tile must be a tile");
  bool good = call.is_integer_scalar(1, name + " valid_rows must be an integer scalar");
  good = call.is_integer_scalar(2, name + " valid_cols must be an integer scalar") && good;
  if (!tile) return {};
  Type result = call.type(0);
  if (result.shape.size() != 2) {
    call.error(0, name + " takes a 2-D tile, got " + call.show(result));
    return {};
  }
  for (std::size_t i = 0; good && i < 2; ++i) {
    const Dim extent = call.dim_of(call.operand(i + 1));
    const auto constant = extent.constant();
    if ((constant && *constant < 0) || extent.provably_greater(result.shape[i])) {
      call.error(i + 1, name + " " + call.parameter(i + 1) + " (" + call.show(extent) +
                            ") is outside of 0.." + call.show(result.shape[i]));
      return {};
    }
    result.valid_shape[i] = extent;
  }
  return result;
}

// pl.tile.fillpad(tile, pad_value=0)
Type tile_fillpad(OpCall& call) {
  const std::string name = "pl.tile.fillpad";
  if (call.has(1) && call.is_scalar(1, name + " pad_value must be a scalar") &&
      call.type(0).kind == TypeKind::tile) {
    check_fill_value(call, 1, call.type(0).dtype, name);
  }
  if (!call.is_tile(0, name + " tile must be a tile")) return {};
  Type result = call.type(0);
  result.valid_shape = result.shape;
  return result;
}

// pl.tensor.reshape(tensor, shape)
Type tensor_reshape(OpCall& call) {
  const std::string name = "pl.tensor.reshape";
  const bool tensor =
      call.is_tensor_like(0, name + " tensor must be a Tensor or a DistributedTensor");
  const auto shape = call.dims(1, name);
  if (!tensor || !shape || !is_packed(call, 0, name + " target")) return {};
  if (!is_memory_shape(call, 1, *shape, call.type(0).dtype, name)) return {};
  Type result = call.result_is(0);
  const Dim before = result.elements_count();
  result.shape = *shape;
  const Dim after = result.elements_count();
  if (const auto difference = (before - after).constant(); difference && *difference != 0) {
    call.error(1, name + " shape must keep the number of elements, got " + call.show(after) +
                      " vs " + call.show(before));
  }
  return result;
}

// pl.tensor.dim(tensor, axis)
Type tensor_dim(OpCall& call) {
  const std::string name = "pl.tensor.dim";
  const bool tensor =
      call.is_tensor_like(0, name + " tensor must be a Tensor or a DistributedTensor");
  const auto axis = call.constant_int(1, 0, name);
  if (!tensor || !axis) return Type::scalar(isa::DType::index);
  const auto& shape = call.type(0).shape;
  if (*axis < 0 || *axis >= static_cast<std::int64_t>(shape.size())) {
    call.error(
        1, name + " axis " + std::to_string(*axis) + " is outside of " + call.show(call.type(0)));
  } else {
    call.checker().set_value(call.expr(), call.type(0).reach()[static_cast<std::size_t>(*axis)]);
  }
  return Type::scalar(isa::DType::index);
}

// pld.system.check_signal(signal, collective, layout, elements=0)
Type check_signal(OpCall& call) {
  const std::string name = "pld.system.check_signal";
  (void)call.is_window(0, name + " signal must be a DistributedTensor (window-bound)");
  for (const std::size_t operand : {std::size_t{1}, std::size_t{2}}) {
    const auto& constant = call.operand(operand).constant;
    const auto* text = constant ? std::get_if<std::string>(&constant->value) : nullptr;
    const bool good = text != nullptr && (operand == 1 || signal_layout(*text));
    if (good || call.type(operand).kind == TypeKind::unknown) continue;
    call.error(operand, name + " " + call.parameter(operand) +
                            (operand == 1 ? " must be a string"
                                          : " must be \"mesh\", \"ring\", \"host\" or "
                                            "\"host_ring\"") +
                            ", got " + call.shown_type(operand));
  }
  (void)call.constant_int(3, 0, name);
  return Type::none();
}

// pld.system.check_count(count, peer)
Type check_count(OpCall& call) {
  const std::string name = "pld.system.check_count";
  for (const std::size_t operand : {std::size_t{0}, std::size_t{1}}) {
    (void)call.is_integer_scalar(
        operand, name + " " + call.parameter(operand) + " must be an integer scalar");
  }
  return Type::none();
}

}  // namespace a2a3::ir::rules
