// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/elementwise.hpp"

#include <array>

#include "ir/check/op_call.hpp"
#include "ir/ops/region.hpp"
#include "ir/ops/rules.hpp"

namespace a2a3::ir {
namespace {

constexpr std::array<std::string_view, 6> kTileNames{"tile.add", "tile.sub",     "tile.mul",
                                                     "tile.div", "tile.maximum", "tile.minimum"};
constexpr std::array<std::string_view, 6> kScalarNames{
    "arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.maximumf", "arith.minimumf"};

/// The left tile governs: each dimension of the right one equals it or is 1.
bool broadcasts(const std::vector<Dim>& lhs, const std::vector<Dim>& rhs) {
  if (lhs.size() != rhs.size()) return false;
  for (std::size_t i = 0; i < lhs.size(); ++i) {
    if (!(rhs[i] == lhs[i]) && !(rhs[i] == Dim(1))) return false;
  }
  return true;
}

Type tile_tile(FunctionChecker& checker, const std::string& name, const Expr& lhs,
               const Expr& rhs) {
  if (lhs.type.dtype != rhs.type.dtype) {
    checker
        .error(rhs.location, "The operator " + name + " requires operands of one dtype, but got " +
                                 checker.module().describe(lhs.type) + " and " +
                                 checker.module().describe(rhs.type))
        .notes.push_back({"there is no implicit promotion: convert one of them with pl.cast", {}});
    return lhs.type;
  }
  if (!broadcasts(lhs.type.shape, rhs.type.shape)) {
    checker.error(rhs.location, "The operator " + name + " requires compatible shapes, but got " +
                                    checker.module().describe(lhs.type) + " and " +
                                    checker.module().describe(rhs.type));
  }
  return lhs.type;
}

Type tile_scalar(FunctionChecker& checker, const std::string& name, const Expr& tile,
                 const Expr& scalar) {
  const isa::DType dtype = scalar.type.dtype;
  if (dtype == isa::DType::boolean) {
    checker.error(scalar.location,
                  "The operator " + name + " takes a number, got " + checker.show_value(scalar));
  } else if (isa::is_float(tile.type.dtype) && dtype == isa::DType::index && !scalar.constant) {
    checker.error(scalar.location, "Cast between float and index types is not supported");
  } else if (!isa::is_float(tile.type.dtype) && isa::is_float(dtype)) {
    checker.error(scalar.location, "The operator " + name +
                                       " cannot apply a floating-point scalar "
                                       "to " +
                                       checker.module().describe(tile.type));
  } else {
    (void)checker.literal_fits(scalar, tile.type.dtype, "The operator " + name + ": the scalar");
  }
  return tile.type;
}

Type scalar_scalar(FunctionChecker& checker, Elementwise op, const Expr& lhs, const Expr& rhs,
                   SourceLocation at) {
  const auto index = static_cast<std::size_t>(op);
  const bool floats = isa::is_float(lhs.type.dtype) || isa::is_float(rhs.type.dtype);
  if (floats) {
    checker.error(at, std::string(kScalarNames[index]) +
                          " explicitly marked illegal: floating-point scalars have no arithmetic "
                          "in a kernel");
    return {};
  }
  const bool integers = isa::is_integer(lhs.type.dtype) && isa::is_integer(rhs.type.dtype);
  if (!integers || op == Elementwise::div) {
    checker.error(at, "The operator " + std::string(kTileNames[index]).substr(5) +
                          " is not defined for " + checker.module().describe(lhs.type) + " and " +
                          checker.module().describe(rhs.type) +
                          (integers ? "; use '//' for integers" : ""));
    return {};
  }
  return arithmetic_type(lhs, rhs);
}

/// Tensors are loaded whole; the result is computed.
Type tensor_elementwise(FunctionChecker& checker, const std::string& name, const Expr& lhs,
                        const Expr& rhs) {
  bool good = true;
  for (const Expr* side : {&lhs, &rhs}) {
    const Type& type = side->type;
    if (type.is_computed_tensor() || type.kind == TypeKind::scalar) continue;
    if (!type.is_tensor_like()) {
      checker.error(side->location, "The operator " + name + " takes tensors and scalars, got " +
                                        checker.show_value(*side));
      good = false;
    } else {
      good = is_loadable(checker, *side, name) && good;
    }
  }
  if (!good) return {};
  const Type type = lhs.type.kind == TypeKind::scalar   ? tile_scalar(checker, name, rhs, lhs)
                    : rhs.type.kind == TypeKind::scalar ? tile_scalar(checker, name, lhs, rhs)
                                                        : tile_tile(checker, name, lhs, rhs);
  return Type::computed_tensor(type.dtype, type.shape);
}

}  // namespace

Type check_elementwise(FunctionChecker& checker, Elementwise op, const Expr& lhs, const Expr& rhs,
                       SourceLocation at) {
  const std::string name(kTileNames[static_cast<std::size_t>(op)]);
  const bool left_tile = lhs.type.kind == TypeKind::tile;
  const bool right_tile = rhs.type.kind == TypeKind::tile;
  const bool left_scalar = lhs.type.kind == TypeKind::scalar;
  const bool right_scalar = rhs.type.kind == TypeKind::scalar;
  for (const Expr* side : {&lhs, &rhs}) {
    if (!is_in_memory(checker, *side, "The operator " + name, {isa::MemorySpace::ub})) return {};
  }
  if (left_tile && right_tile) return tile_tile(checker, name, lhs, rhs);
  if (left_tile && right_scalar) return tile_scalar(checker, name, lhs, rhs);
  if (left_scalar && right_tile) return tile_scalar(checker, name, rhs, lhs);
  if (left_scalar && right_scalar) return scalar_scalar(checker, op, lhs, rhs, at);
  const auto is_tensor = [](const Expr& side) {
    return side.type.is_tensor_like() || side.type.is_computed_tensor();
  };
  if (is_tensor(lhs) || is_tensor(rhs)) {
    if (checker.function().kind == FunctionKind::kernel)
      return tensor_elementwise(checker, "tensor." + name.substr(5), lhs, rhs);
    checker.error((is_tensor(lhs) ? lhs : rhs).location,
                  "arithmetic on tensors is supported in kernels only; see docs/coverage.md");
    return {};
  }
  const Expr& wrong = left_tile || left_scalar ? rhs : lhs;
  checker.error(wrong.location, "The operator " + name + " takes tiles and scalars, got " +
                                    checker.show_value(wrong));
  return {};
}

namespace rules {

Type elementwise(OpCall& call) {
  if (call.type(0).kind == TypeKind::unknown || call.type(1).kind == TypeKind::unknown) return {};
  if (!kind_fits_spelling(call, 0) || !kind_fits_spelling(call, 1)) return {};
  const auto op =
      static_cast<Elementwise>(static_cast<int>(call.op().id) - static_cast<int>(OpId::add));
  return check_elementwise(call.checker(), op, call.operand(0), call.operand(1),
                           call.expr().location);
}

// pl.min(a, b), pl.max(a, b) of integer scalars
Type scalar_extremum(OpCall& call) {
  const std::string name(call.op().name);
  const bool a = call.is_integer_scalar(0, name + " takes integer scalars");
  const bool b = call.is_integer_scalar(1, name + " takes integer scalars");
  if (!a || !b) return {};
  const Expr& lhs = call.operand(0);
  const Expr& rhs = call.operand(1);
  const auto* x = lhs.constant ? std::get_if<std::int64_t>(&lhs.constant->value) : nullptr;
  const auto* y = rhs.constant ? std::get_if<std::int64_t>(&rhs.constant->value) : nullptr;
  if (x != nullptr && y != nullptr) {
    call.set_constant({call.op().id == OpId::scalar_min ? std::min(*x, *y) : std::max(*x, *y)});
  }
  return arithmetic_type(lhs, rhs);
}

}  // namespace rules
}  // namespace a2a3::ir
