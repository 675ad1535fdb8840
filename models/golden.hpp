// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/diagnostic.hpp"
#include "ir/node.hpp"
#include "ir/source.hpp"
#include "isa/array.hpp"
#include "models/traffic/reduction_order.hpp"

namespace a2a3::models {

struct GoldenLimits {
  std::int64_t max_elements = 1 << 28;  ///< of one intermediate array; --max-golden-elements
  /// Elements computed for one golden, and multiplications of its matrix products;
  /// --max-golden-operations
  std::int64_t max_operations = std::int64_t{1} << 33;
};

/// What the names of a golden stand for.
struct GoldenScope {
  std::int64_t ranks = 1;  ///< 0: no rank takes part; r, P and aggregates have no meaning
  /// Host tensors by parameter name, all ranks together; their leading dimension counts ranks.
  std::map<std::string, const isa::Array*> tensors;
  std::map<std::string, double> settings;  ///< numbers of --set, by name
  /// For outputs in floating point: sum and prod combine the ranks in this order, every operand and
  /// every step rounded to the output's dtype. Nothing: in rank order, in double.
  std::optional<ReductionOrder> order{};
};

/// A golden as written: what every rank's slice of an output must hold. The language is the
/// expression part of the kernel language with these meanings:
///
///   x          own slice of the host tensor x, x[r] in Python
///   x[e]       slice of rank e; further subscripts and slices go on inside it: x[e][0, 2:5]
///   r P        own rank, number of ranks (also rank, nranks); k: the rank an aggregate is at
///   sum(E) prod(E) max(E) min(E)  E of every rank in rank order, element by element
///   concat(E[, axis])             E of every rank in rank order, along the last axis
///   stack(E)                      the same along a new leading axis
///   join(a, b, .., axis=-1)       pieces of one rank's value one behind the other
///   reduce_sum(E[, axis])         along an axis of one rank's value, which stays with extent 1;
///   reduce_max reduce_min         without an axis over all elements
///   matmul(a, b)                  matrix product
///   + - * / // %, comparisons, and or not: element by element, broadcast as in NumPy
///   where(c, a, b) abs sqrt exp log max(a, b) min(a, b) cast(E, FP16)
///   zeros(n, ..) ones(n, ..) full(v, n, ..) arange(n) reshape(E, n, ..) transpose(E) size(E[,
///   axis]) whole(x)   the tensor of all ranks
///
/// Inside an aggregate a bare tensor name is the slice of rank k. Values are computed in double and
/// rounded once to the output's dtype; but see GoldenScope::order.
class Golden {
 public:
  /// `shown_as` stands for the file name in diagnostics.
  static std::optional<Golden> parse(const std::string& text, const std::string& shown_as,
                                     ir::Diagnostics& diagnostics);

  /// Where the first sum or prod over the ranks stands; nothing when there is none, and the order
  /// of the ranks does not matter.
  [[nodiscard]] std::optional<ir::SourceLocation> first_sum() const;

  /// The output that the golden describes, all ranks together: `shape` is the output's with its
  /// leading dimension counting ranks. Each rank's value must have the slice's shape, broadcast to
  /// it, or have as many elements. Nothing when there were errors.
  [[nodiscard]] std::optional<isa::Array> evaluate(const GoldenScope& scope, isa::DType dtype,
                                                   const std::vector<std::int64_t>& shape,
                                                   ir::Diagnostics& diagnostics,
                                                   const GoldenLimits& limits = {}) const;

 private:
  ir::SourceFilePtr source_;
  std::shared_ptr<const ir::Expr> expression_;
};

}  // namespace a2a3::models
