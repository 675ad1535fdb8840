// SPDX-License-Identifier: Apache-2.0
#include "ir/fold.hpp"
#include "ir/ops/region.hpp"
#include "ir/ops/rules.hpp"

namespace a2a3::ir::rules {
namespace {

std::optional<isa::DType> stored_dtype(OpCall& call, const std::string& name) {
  const auto dtype = call.dtype(1, name);
  if (dtype && (*dtype == isa::DType::index || *dtype == isa::DType::boolean)) {
    call.error(
        1, name + " dtype must be one that memory can hold, got " + std::string(isa::name(*dtype)));
    return std::nullopt;
  }
  return dtype;
}

}  // namespace

// pl.tile.create(shape, dtype, target_memory=Vec)
Type tile_create(OpCall& call) {
  const std::string name = "pl.tile.create";
  const auto shape = tile_shape(call, 0, name);
  const auto dtype = stored_dtype(call, name);
  const bool memory = is_vector_memory(call, 2, name);
  if (!shape || !dtype || !memory) return {};
  Type tile = Type::tile(*dtype, *shape);
  (void)is_aligned_tile(call.checker(), tile, call.operand(0).location);
  return tile;
}

// pl.tile.full(shape, *, dtype, value)
Type tile_full(OpCall& call) {
  const std::string name = "pl.tile.full";
  const auto shape = tile_shape(call, 0, name);
  const auto dtype = stored_dtype(call, name);
  const bool number = call.is_scalar(2, name + " value must be a scalar");
  if (!shape || !dtype) return {};
  if (number && isa::is_float(call.type(2).dtype) && !isa::is_float(*dtype)) {
    call.error(2, name + " value is a floating-point number, which does not fit dtype " +
                      std::string(isa::name(*dtype)));
  }
  Type tile = Type::tile(*dtype, *shape);
  (void)is_aligned_tile(call.checker(), tile, call.operand(0).location);
  return tile;
}

// pl.create_tensor(shape, *, dtype)
Type create_tensor(OpCall& call) {
  const std::string name = "pl.create_tensor";
  const auto shape = call.dims(0, name);
  const auto dtype = stored_dtype(call, name);
  if (!shape || !dtype) return {};
  if (shape->empty()) {
    call.error(0, name + " shape must be non-empty");
    return {};
  }
  for (std::size_t i = 0; i < shape->size(); ++i) {
    const auto constant = (*shape)[i].constant();
    if (!constant || *constant > 0) continue;
    call.checker().error(call.item_location(0, i), name + " shape[" + std::to_string(i) +
                                                       "] must be positive, got " +
                                                       std::to_string(*constant));
    return {};
  }
  Type tensor = Type::of(TypeKind::tensor);
  tensor.dtype = *dtype;
  tensor.shape = *shape;
  tensor.direction = Direction::inout;
  return tensor;
}

// pl.const(value, dtype)
Type const_value(OpCall& call) {
  const auto dtype = call.dtype(1, "pl.const");
  const Expr& value = call.operand(0);
  if (value.type.kind == TypeKind::unknown || !dtype) return {};
  const auto* integer =
      value.constant ? std::get_if<std::int64_t>(&value.constant->value) : nullptr;
  const auto* number = value.constant ? std::get_if<double>(&value.constant->value) : nullptr;
  if (integer == nullptr && number == nullptr) {
    call.error(0, "pl.const takes a number known before the run, got " + call.shown_type(0));
    return {};
  }
  if (isa::is_float(*dtype)) {
    call.set_constant({number != nullptr ? *number : static_cast<double>(*integer)});
  } else if (integer == nullptr) {
    call.error(0, "pl.const " + to_string(*value.constant) + " does not fit dtype " +
                      std::string(isa::name(*dtype)));
    return {};
  } else {
    call.set_constant({*integer});
  }
  return Type::scalar(*dtype);
}

}  // namespace a2a3::ir::rules
