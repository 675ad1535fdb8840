// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/golden/evaluator.hpp"

namespace a2a3::models {

/// As on the device: NaN when an operand is NaN.
inline double larger(double a, double b) {
  return std::isnan(a) ? a : std::isnan(b) ? b : std::max(a, b);
}
inline double smaller(double a, double b) {
  return std::isnan(a) ? a : std::isnan(b) ? b : std::min(a, b);
}

/// The functions of the golden language: one row of the table, one member function.
struct GoldenFunctions {
  using Value = Evaluator::Value;
  using Args = std::vector<const ir::Expr*>;

  Evaluator& self;
  const ir::Expr& call;
  const Args& args;
  const ir::Expr* axis;  ///< the argument `axis`; null when absent

  enum class Axis : std::uint8_t {
    none,
    second,  ///< the keyword, or the second argument
    keyword
  };
  struct Row {
    const char* name;
    std::size_t least;
    std::size_t most;
    Axis axis;
    Value (GoldenFunctions::*run)();
    std::size_t aggregate = 0;  ///< goes over all ranks with up to this many positional arguments
  };
  static const std::vector<Row>& table();

  // Over the ranks.
  /// The argument's value on every rank, all of one shape.
  std::optional<std::vector<NdArray>> of_all_ranks();
  std::optional<std::vector<NdArray>> gather_ranks();
  Value concat();
  Value stack();
  Value sum();
  Value prod();
  Value max();
  Value min();
  /// sum and prod: in rank order, or as GoldenScope::order says.
  template <typename F>
  Value add_up(F f);
  template <typename F>
  Value replay(F f);
  /// False, with an error, when the order does not speak of values like these.
  bool may_replay(const Shape& shape);
  template <typename F>
  Value fold(F f);
  template <typename F>
  Value fold_arguments(F f);

  // Element by element.
  template <typename F>
  Value map(F f);
  Value abs();
  Value sqrt();
  Value exp();
  Value log();
  Value where();
  Value cast();

  // Shapes.
  Value filled(const Args& dims, double value);
  Value zeros();
  Value ones();
  Value full();
  Value arange();
  Value reshape();
  Value transpose();
  Value size();
  Value whole();
  Value join();
  /// Dimensions given one by one or as one tuple.
  std::optional<Shape> dimensions(Args dims);
  /// The axis argument, counted from the end when negative.
  std::optional<std::size_t> axis_of(const Shape& shape, std::int64_t absent);

  // Along the axes of one rank's value.
  template <typename F>
  Value reduce(const char* name, F f);
  Value reduce_sum();
  Value reduce_max();
  Value reduce_min();
  Value matmul();
};

}  // namespace a2a3::models
