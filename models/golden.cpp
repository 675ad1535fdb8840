// SPDX-License-Identifier: Apache-2.0
#include "models/golden.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/parser.hpp"
#include "ir/vocabulary.hpp"
#include "ir/walk.hpp"
#include "models/dtype_bounds.hpp"
#include "models/golden/evaluator.hpp"
#include "models/golden/nd_array.hpp"

namespace a2a3::models {
namespace {

// A golden is one line; the bound keeps the expression's tree shallow enough to walk.
constexpr std::size_t kMaxGoldenLength = 4096;
/// From here on a double may stand for several whole numbers.
constexpr double kFirstInexact = 0x1p53;

Shape without_unit_axes(Shape shape) {
  std::erase(shape, 1);
  return shape;
}

/// The value in the slice's shape: axes of extent 1 do not count, what is missing is repeated by
/// broadcasting. Nothing when the shapes differ otherwise.
std::optional<NdArray> fit(NdArray value, const Shape& slice) {
  if (without_unit_axes(value.shape) == without_unit_axes(slice)) {
    value.shape = slice;
    return value;
  }
  const std::optional<Shape> shape = broadcast_shape(value.shape, slice);
  if (!shape || *shape != slice) return std::nullopt;
  return broadcast_to(value, slice);
}

/// Reports that the value of a rank has another shape than the output's part there.
void report_shape(const ir::SourceLocation& at, const Shape& own, std::int64_t rank,
                  const Shape& slice, ir::Diagnostics& diagnostics) {
  ir::Diagnostic& error =
      diagnostics.error(at, fmt::format("the golden is {} on rank {}, the output's part there {}",
                                        shape_text(own), rank, shape_text(slice)));
  if (element_count(own) != element_count(slice)) return;
  error.notes.push_back({fmt::format("the same elements in the order of another shape: "
                                     "reshape(E, {}) says that this is meant",
                                     fmt::join(slice, ", ")),
                         {}});
}

/// Reports an element that the output's dtype cannot hold; false when it can.
bool report_misfit(const ir::SourceLocation& at, double element, std::int64_t index,
                   std::int64_t rank, isa::DType dtype, ir::Diagnostics& diagnostics) {
  if (!isa::is_integer(dtype)) return false;
  if (std::isfinite(element) && std::abs(element) >= kFirstInexact) {
    diagnostics.error(at, fmt::format("element {} of rank {} is {:.17g}: goldens are computed in "
                                      "doubles, which hold whole numbers up to 2^53 only",
                                      index, rank, element));
    return true;
  }
  const std::string reason = misfit(element, dtype);
  if (reason.empty()) return false;
  ir::Diagnostic& error =
      diagnostics.error(at, fmt::format("element {} of rank {} is {}", index, rank, reason));
  if (std::isfinite(element)) {
    error.notes.push_back(
        {fmt::format("cast(E, {}) wraps around, as a kernel's arithmetic does", isa::name(dtype)),
         {}});
  }
  return true;
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
        report_shape(expression_->location, own, rank, slice, diagnostics);
        return std::nullopt;
      }
    }
    for (std::int64_t i = 0; i < elements; ++i) {
      const double element = value->data[static_cast<std::size_t>(i)];
      if (report_misfit(expression_->location, element, i, rank, dtype, diagnostics)) {
        return std::nullopt;
      }
      result.set(rank * elements + i, element);
    }
  }
  return result;
}

}  // namespace a2a3::models
