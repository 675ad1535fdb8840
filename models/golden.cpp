// SPDX-License-Identifier: Apache-2.0
#include "models/golden.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "ir/parser.hpp"
#include "ir/vocabulary.hpp"
#include "ir/walk.hpp"
#include "models/golden/evaluator.hpp"
#include "models/golden/nd_array.hpp"

namespace a2a3::models {
namespace {

// A golden is one line; the bound keeps the expression's tree shallow enough to walk.
constexpr std::size_t kMaxGoldenLength = 4096;
/// From here on a double may stand for several whole numbers.
constexpr double kFirstInexact = 0x1p53;

/// The value in the slice's shape: repeated by broadcasting, or reshaped when the number of
/// elements is the slice's.
std::optional<NdArray> fit(NdArray value, const Shape& slice) {
  if (value.elements() == element_count(slice)) {
    value.shape = slice;
    return value;
  }
  const std::optional<Shape> shape = broadcast_shape(value.shape, slice);
  if (!shape || *shape != slice) return std::nullopt;
  return broadcast_to(value, slice);
}

}  // namespace

std::optional<Golden> Golden::parse(const std::string& text, const std::string& shown_as,
                                    ir::Diagnostics& diagnostics) {
  Golden golden;
  golden.source_ = std::make_shared<const ir::SourceFile>(shown_as, text);
  diagnostics.keep(golden.source_);
  if (text.size() > kMaxGoldenLength) {
    diagnostics.error({}, fmt::format("{}: a golden has at most {} characters, this has {}",
                                      shown_as, kMaxGoldenLength, text.size()));
    return std::nullopt;
  }
  ir::ParsedExpression parsed = ir::parse_expression(golden.source_);
  diagnostics.append(std::move(parsed.diagnostics));
  if (parsed.expr == nullptr) return std::nullopt;
  golden.expression_ = std::move(parsed.expr);
  return golden;
}

std::optional<ir::SourceLocation> Golden::first_sum() const {
  std::optional<ir::SourceLocation> found;
  ir::walk(*expression_, [&](const ir::Expr& expr) {
    const auto* call = std::get_if<ir::Call>(&expr.node);
    if (call != nullptr && !found && depends_on_order(*call)) found = expr.location;
  });
  return found;
}

std::optional<isa::Array> Golden::evaluate(const GoldenScope& scope, isa::DType dtype,
                                           const std::vector<std::int64_t>& shape,
                                           ir::Diagnostics& diagnostics,
                                           const GoldenLimits& limits) const {
  const bool by_rank = !shape.empty() && shape[0] == scope.ranks;
  const Shape slice(shape.begin() + (by_rank ? 1 : 0), shape.end());
  const std::int64_t slices = by_rank ? scope.ranks : 1;
  const std::int64_t elements = element_count(slice);
  const bool same_everywhere = !depends_on_rank(*expression_, scope);
  Evaluator evaluator(scope, limits, diagnostics);
  if (isa::is_float(dtype)) evaluator.set_output(dtype);
  diagnostics.keep(source_);
  isa::Array result(dtype, shape);
  std::optional<NdArray> value;
  for (std::int64_t rank = 0; rank < slices; ++rank) {
    if (!value || !same_everywhere) {
      value = evaluator.evaluate(*expression_, rank);
      if (!value) return std::nullopt;
      const Shape own = value->shape;
      value = fit(std::move(*value), slice);
      if (!value) {
        diagnostics.error(expression_->location,
                          fmt::format("the golden is {} on rank {}, the output's part there {}",
                                      shape_text(own), rank, shape_text(slice)));
        return std::nullopt;
      }
    }
    for (std::int64_t i = 0; i < elements; ++i) {
      const double element = value->data[static_cast<std::size_t>(i)];
      if (isa::is_integer(dtype) && std::isfinite(element) && std::abs(element) >= kFirstInexact) {
        diagnostics.error(expression_->location,
                          fmt::format("element {} of rank {} is {:.17g}: goldens are computed in "
                                      "doubles, which hold whole numbers up to 2^53 only",
                                      i, rank, element));
        return std::nullopt;
      }
      result.set(rank * elements + i, element);
    }
  }
  return result;
}

}  // namespace a2a3::models
