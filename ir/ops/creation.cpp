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
  if (number) check_fill_value(call, 2, *dtype, name);
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
  if (!is_memory_shape(call, 0, *shape, *dtype, name)) return {};
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
  if (!call.checker().literal_fits(value, *dtype, "pl.const")) return {};
  if (isa::is_float(*dtype) && integer != nullptr) {
    call.set_constant({static_cast<double>(*integer)});
  } else {
    call.set_constant(*value.constant);
  }
  return Type::scalar(*dtype);
}

}  // namespace a2a3::ir::rules
