// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "ir/ops/region.hpp"
#include "ir/ops/rules.hpp"

namespace a2a3::ir::rules {
namespace {

constexpr std::array<std::string_view, 7> kModes{"none", "rint",  "round", "floor",
                                                 "ceil", "trunc", "odd"};

bool is_mode(OpCall& call, std::size_t operand) {
  const Expr& expr = call.operand(operand);
  if (expr.type.kind == TypeKind::unknown) return false;
  const auto* text = expr.constant ? std::get_if<std::string>(&expr.constant->value) : nullptr;
  if (text != nullptr && std::find(kModes.begin(), kModes.end(), *text) != kModes.end()) {
    return true;
  }
  call.error(operand,
             "pl.cast mode must be \"none\", \"rint\", \"round\", \"floor\", \"ceil\", "
             "\"trunc\" or \"odd\", got " +
                 call.shown_type(operand));
  return false;
}

Type scalar_cast(OpCall& call, isa::DType target) {
  const isa::DType source = call.type(0).dtype;
  const bool float_and_index = (isa::is_float(target) && source == isa::DType::index) ||
                               (isa::is_float(source) && target == isa::DType::index);
  if (float_and_index) {
    call.error(0, "Cast between float and index types is not supported");
  } else if (call.has(2)) {
    call.error(2, "pl.cast of a scalar takes no mode");
  } else if (source == isa::DType::boolean || target == isa::DType::boolean) {
    call.error(0, "pl.cast cannot convert " + call.show(call.type(0)) + " to " +
                      std::string(isa::name(target)));
  }
  return Type::scalar(target);
}

}  // namespace

// pl.cast(x, target_type, mode="round")
Type cast(OpCall& call) {
  const auto target = call.dtype(1, "pl.cast");
  if (call.has(2) && !is_mode(call, 2)) return {};
  if (call.type(0).kind == TypeKind::unknown || !target) return {};
  if (call.type(0).kind == TypeKind::scalar) return scalar_cast(call, *target);
  if (!kind_fits_spelling(call, 0)) return {};
  const bool tensor = call.type(0).is_tensor_like();
  if (tensor && !is_loadable(call.checker(), call.operand(0), "tensor.cast")) return {};
  if (!tensor && !call.type(0).is_computed_tensor() &&
      !call.is_tile(0, "pl.cast takes a tile, a tensor or a scalar")) {
    return {};
  }
  if (*target == isa::DType::index || *target == isa::DType::boolean) {
    call.error(1, "a tile cannot have dtype " + std::string(isa::name(*target)));
    return {};
  }
  Type tile = tensor ? Type::computed_tensor(call.type(0).dtype, call.type(0).shape) : call.type(0);
  tile.dtype = *target;
  (void)is_aligned_tile(call.checker(), tile, call.operand(1).location);
  return tile;
}

}  // namespace a2a3::ir::rules
