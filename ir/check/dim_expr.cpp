// SPDX-License-Identifier: Apache-2.0
#include "ir/check/dim_expr.hpp"

namespace a2a3::ir {
namespace {

/// The larger of an expression and 0.
ExprPtr positive_part(ExprPtr value, SourceLocation location) {
  Call call;
  call.callee = make_expr(Attribute{make_expr(Name{"pl", kNoSlot}, location), "max"}, location);
  call.args.push_back(std::move(value));
  call.args.push_back(make_expr(IntLiteral{0}, location));
  return make_expr(std::move(call), location);
}

ExprPtr symbol_expr(Dim::Symbol symbol, const Module& module, SourceLocation location,
                    Division division) {
  if (symbol < Dim::kFirstOpaque) {
    ExprPtr name = make_expr(Name{module.dynamic_dims.at(symbol).name, kNoSlot}, location);
    name->constant = Constant{DynamicDim{symbol}};
    return name;
  }
  // Dimensions of the Python scopes hold no other opaque symbols than quotients.
  const OpaqueSymbol& quotient = module.opaque_symbols.at(symbol - Dim::kFirstOpaque - 1);
  const auto divided = [&](ExprPtr dividend) {
    return make_expr(Binary{BinaryOp::floordiv, std::move(dividend),
                            dim_expr(*quotient.divisor, module, location, division)},
                     location);
  };
  const auto written = [&](const Dim& dim) { return dim_expr(dim, module, location, division); };
  const Dim& a = *quotient.dividend;
  if (division == Division::floor || a.provably_at_least(Dim(0))) return divided(written(a));
  // Without a negative operand both ways to divide agree: max(a, 0) // b - (max(-a, 0) + b - 1) //
  // b.
  const Dim round_up = *quotient.divisor - Dim(1);
  ExprPtr below = make_expr(
      Binary{BinaryOp::add, positive_part(written(Dim(0) - a), location), written(round_up)},
      location);
  return make_expr(Binary{BinaryOp::sub, divided(positive_part(written(a), location)),
                          divided(std::move(below))},
                   location);
}

}  // namespace

ExprPtr dim_expr(const Dim& dim, const Module& module, SourceLocation location, Division division) {
  ExprPtr sum;
  for (const auto& [monomial, coefficient] : dim.terms()) {
    ExprPtr product;
    for (const Dim::Symbol symbol : monomial) {
      ExprPtr factor = symbol_expr(symbol, module, location, division);
      product =
          product == nullptr
              ? std::move(factor)
              : make_expr(Binary{BinaryOp::mul, std::move(product), std::move(factor)}, location);
    }
    if (product == nullptr) {
      product = make_expr(IntLiteral{coefficient}, location);
    } else if (coefficient != 1) {
      product = make_expr(
          Binary{BinaryOp::mul, std::move(product), make_expr(IntLiteral{coefficient}, location)},
          location);
    }
    sum = sum == nullptr
              ? std::move(product)
              : make_expr(Binary{BinaryOp::add, std::move(sum), std::move(product)}, location);
  }
  return sum == nullptr ? make_expr(IntLiteral{0}, location) : std::move(sum);
}

}  // namespace a2a3::ir
