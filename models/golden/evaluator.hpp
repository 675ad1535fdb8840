// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/diagnostic.hpp"
#include "ir/node.hpp"
#include "models/golden.hpp"
#include "models/golden/nd_array.hpp"

namespace a2a3::models {

/// Evaluates an expression of the golden language for one rank. A function returns nothing when it
/// has reported an error.
class Evaluator {
 public:
  using Value = std::optional<NdArray>;

  Evaluator(const GoldenScope& scope, const GoldenLimits& limits, ir::Diagnostics& diagnostics)
      : scope_(scope), limits_(limits), diagnostics_(diagnostics) {}

  /// With an order in the scope, sums over the ranks are rounded to this floating-point dtype.
  void set_output(isa::DType dtype) { output_ = dtype; }

  [[nodiscard]] Value evaluate(const ir::Expr& expr, std::int64_t rank);

 private:
  friend struct GoldenFunctions;

  Value value(const ir::Expr& expr);
  Value node_value(const ir::Expr& expr);
  Value name(const ir::Expr& expr, const ir::Name& name);
  Value unary(const ir::Expr& expr, const ir::Unary& unary);
  Value binary(const ir::Expr& expr, const ir::Binary& binary);
  Value compare(const ir::Expr& expr, const ir::Compare& compare);
  Value logical(const ir::Expr& expr, const ir::Logical& logical);
  Value subscript(const ir::Expr& expr, const ir::Subscript& subscript);
  Value call(const ir::Expr& expr, const ir::Call& call);

  /// The host tensor's slice of `rank`, or all of it when its leading dimension counts no ranks.
  Value slice(const ir::Expr& expr, const isa::Array& tensor, std::int64_t rank);
  /// Resolves one subscript against a dimension's size, negative ones from the end as in Python.
  std::optional<Pick> resolve(const ir::Expr& index, std::size_t dim, std::int64_t size);
  /// A scalar that is a whole number.
  std::optional<std::int64_t> integer(const ir::Expr& expr);
  /// True when sums over the ranks follow the scope's order.
  [[nodiscard]] bool replays() const { return scope_.order && output_; }
  bool fits(const ir::Expr& expr, const Shape& shape);
  /// Counts work; false, with an error, when the golden is more than the limit allows.
  bool charge(const ir::Expr& expr, std::int64_t operations);
  template <typename F>
  Value combine(const ir::Expr& expr, const NdArray& a, const NdArray& b, F f);

  std::nullopt_t error(const ir::Expr& at, std::string message);

  const GoldenScope& scope_;
  const GoldenLimits& limits_;
  ir::Diagnostics& diagnostics_;
  std::optional<isa::DType> output_;
  std::int64_t rank_ = 0;
  std::optional<std::int64_t> aggregate_;  ///< the rank that an enclosing aggregate is at
  int aggregate_depth_ = 0;
  std::int64_t operations_ = 0;  ///< of all ranks so far
  /// Values of aggregates inside others on this rank; they do not depend on what the outer one is
  /// at, because names stand for the innermost one.
  std::map<const ir::Expr*, NdArray> inner_aggregates_;
  /// Values of all ranks that a replayed sum adds, when they are the same seen from every rank.
  std::map<const ir::Expr*, std::vector<NdArray>> replayed_;
};

/// True when the value may differ from rank to rank.
[[nodiscard]] bool depends_on_rank(const ir::Expr& expr, const GoldenScope& scope);
/// The same of an aggregate's argument, where tensors are those of the rank it is at.
[[nodiscard]] bool argument_depends_on_rank(const ir::Expr& expr, const GoldenScope& scope);
/// True for sum and prod over the ranks, whose rounding depends on the order of the ranks.
[[nodiscard]] bool depends_on_order(const ir::Call& call);

/// Names of the golden language's functions.
[[nodiscard]] const std::vector<std::string>& golden_function_names();
/// True for concat, stack, sum and the like with the given number of positional arguments.
[[nodiscard]] bool is_aggregate(std::string_view function, std::size_t arguments);

template <typename F>
Evaluator::Value Evaluator::combine(const ir::Expr& expr, const NdArray& a, const NdArray& b, F f) {
  const std::optional<Shape> shape = broadcast_shape(a.shape, b.shape);
  if (!shape) {
    return error(expr, "shapes do not fit: " + shape_text(a.shape) + " and " + shape_text(b.shape));
  }
  if (!fits(expr, *shape)) return std::nullopt;
  return zip(a, b, *shape, f);
}

}  // namespace a2a3::models
