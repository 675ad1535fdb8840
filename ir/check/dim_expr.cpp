// SPDX-License-Identifier: Apache-2.0
#include "ir/check/dim_expr.hpp"

namespace a2a3::ir {
namespace {

ExprPtr symbol_expr(Dim::Symbol symbol, const Module& module, SourceLocation location) {
  if (symbol < Dim::kFirstOpaque) {
    ExprPtr name = make_expr(Name{module.dynamic_dims.at(symbol).name, kNoSlot}, location);
    name->constant = Constant{DynamicDim{symbol}};
    return name;
  }
  // Dimensions of the Python scopes hold no other opaque symbols than quotients.
  const OpaqueSymbol& quotient = module.opaque_symbols.at(symbol - Dim::kFirstOpaque - 1);
  return make_expr(Binary{BinaryOp::floordiv, dim_expr(*quotient.dividend, module, location),
                     dim_expr(*quotient.divisor, module, location)},
              location);
}

}  // namespace

ExprPtr dim_expr(const Dim& dim, const Module& module, SourceLocation location) {
  ExprPtr sum;
  for (const auto& [monomial, coefficient] : dim.terms()) {
    ExprPtr product;
    for (const Dim::Symbol symbol : monomial) {
      ExprPtr factor = symbol_expr(symbol, module, location);
      product = product == nullptr
                    ? std::move(factor)
                    : make_expr(Binary{BinaryOp::mul, std::move(product), std::move(factor)}, location);
    }
    if (product == nullptr) {
      product = make_expr(IntLiteral{coefficient}, location);
    } else if (coefficient != 1) {
      product =
          make_expr(Binary{BinaryOp::mul, std::move(product), make_expr(IntLiteral{coefficient}, location)},
               location);
    }
    sum = sum == nullptr
              ? std::move(product)
              : make_expr(Binary{BinaryOp::add, std::move(sum), std::move(product)}, location);
  }
  return sum == nullptr ? make_expr(IntLiteral{0}, location) : std::move(sum);
}

}  // namespace a2a3::ir
