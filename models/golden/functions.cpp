// SPDX-License-Identifier: Apache-2.0
#include "models/golden/functions.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "ir/vocabulary.hpp"

namespace a2a3::models {

template <typename F>
Evaluator::Value GoldenFunctions::map(F f) {
  Value result = self.value(*args[0]);
  if (!result) return std::nullopt;
  for (double& element : result->data)
    element = f(element);
  return result;
}

Evaluator::Value GoldenFunctions::abs() {
  return map([](double a) { return std::abs(a); });
}
Evaluator::Value GoldenFunctions::sqrt() {
  return map([](double a) { return std::sqrt(a); });
}
Evaluator::Value GoldenFunctions::exp() {
  return map([](double a) { return std::exp(a); });
}
Evaluator::Value GoldenFunctions::log() {
  return map([](double a) { return std::log(a); });
}

Evaluator::Value GoldenFunctions::where() {
  const Value condition = self.value(*args[0]);
  const Value then = self.value(*args[1]);
  const Value otherwise = self.value(*args[2]);
  if (!condition || !then || !otherwise) return std::nullopt;
  // Selecting in two steps, so that the value not chosen may be NaN.
  const Value both = self.combine(call, *condition, *otherwise, [](double, double b) { return b; });
  if (!both) return std::nullopt;
  const std::optional<Shape> shape = broadcast_shape(both->shape, then->shape);
  if (!shape) {
    return self.error(call, fmt::format("shapes do not fit: {} and {}", shape_text(both->shape),
                                        shape_text(then->shape)));
  }
  if (!self.fits(call, *shape)) return std::nullopt;
  NdArray result = broadcast_to(*both, *shape);
  const NdArray chosen = broadcast_to(*then, *shape);
  const NdArray mask = broadcast_to(*condition, *shape);
  for (std::size_t i = 0; i < result.data.size(); ++i) {
    if (mask.data[i] != 0) result.data[i] = chosen.data[i];
  }
  return result;
}

Evaluator::Value GoldenFunctions::cast() {
  const std::optional<std::string> dotted = ir::dotted_name(*args[1]);
  std::string dtype_name = dotted.value_or("");
  if (dtype_name.starts_with("pl.")) dtype_name.erase(0, 3);
  const std::optional<isa::DType> dtype = isa::dtype_from_name(dtype_name);
  if (!dtype) return self.error(*args[1], "expected a dtype, for example FP16");
  const Value operand = self.value(*args[0]);
  if (!operand) return std::nullopt;
  return round_to(*operand, *dtype);
}

const std::vector<GoldenFunctions::Row>& GoldenFunctions::table() {
  using F = GoldenFunctions;
  using enum Axis;
  constexpr std::size_t any = 64;
  static const std::vector<Row> rows = {
      {"concat", 1, 1, second, &F::concat, any},
      {"stack", 1, 1, none, &F::stack, any},
      {"sum", 1, 1, none, &F::sum, any},
      {"prod", 1, 1, none, &F::prod, any},
      {"max", 1, any, none, &F::max, 1},
      {"min", 1, any, none, &F::min, 1},
      {"abs", 1, 1, none, &F::abs},
      {"sqrt", 1, 1, none, &F::sqrt},
      {"exp", 1, 1, none, &F::exp},
      {"log", 1, 1, none, &F::log},
      {"where", 3, 3, none, &F::where},
      {"cast", 2, 2, none, &F::cast},
      {"zeros", 1, any, none, &F::zeros},
      {"ones", 1, any, none, &F::ones},
      {"full", 2, any, none, &F::full},
      {"arange", 1, 1, none, &F::arange},
      {"reshape", 2, any, none, &F::reshape},
      {"transpose", 1, 1, none, &F::transpose},
      {"size", 1, 1, second, &F::size},
      {"whole", 1, 1, none, &F::whole},
      {"join", 1, any, keyword, &F::join},
      {"matmul", 2, 2, none, &F::matmul},
      {"reduce_sum", 1, 1, second, &F::reduce_sum},
      {"reduce_max", 1, 1, second, &F::reduce_max},
      {"reduce_min", 1, 1, second, &F::reduce_min},
  };
  return rows;
}

const std::vector<std::string>& golden_function_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const GoldenFunctions::Row& row : GoldenFunctions::table())
      result.emplace_back(row.name);
    return result;
  }();
  return names;
}

bool is_aggregate(std::string_view function, std::size_t arguments) {
  return std::ranges::any_of(GoldenFunctions::table(), [&](const GoldenFunctions::Row& row) {
    return row.name == function && arguments != 0 && arguments <= row.aggregate;
  });
}

Evaluator::Value Evaluator::call(const ir::Expr& expr, const ir::Call& call) {
  const std::string name = ir::dotted_name(*call.callee).value_or("");
  const std::vector<GoldenFunctions::Row>& table = GoldenFunctions::table();
  const auto row =
      std::find_if(table.begin(), table.end(), [&](const auto& r) { return r.name == name; });
  if (row == table.end()) {
    ir::Diagnostic& diagnostic = diagnostics_.error(
        call.callee->location, fmt::format("unknown function '{}'{}", name,
                                           ir::suggestion(name, golden_function_names())));
    diagnostic.notes.push_back(
        {fmt::format("functions: {}", fmt::join(golden_function_names(), ", ")), {}});
    return std::nullopt;
  }
  GoldenFunctions::Args args;
  for (const ir::ExprPtr& arg : call.args)
    args.push_back(arg.get());
  const ir::Expr* axis = nullptr;
  if (row->axis == GoldenFunctions::Axis::second && args.size() == 2) {
    axis = args.back();
    args.pop_back();
  }
  for (const ir::Keyword& keyword : call.keywords) {
    const bool takes_axis = row->axis != GoldenFunctions::Axis::none;
    if (!takes_axis || keyword.name != "axis" || axis != nullptr) {
      ir::Diagnostic& diagnostic = diagnostics_.error(
          keyword.location, fmt::format("{} takes no keyword '{}'", name, keyword.name));
      const std::vector<std::string>& known = golden_function_names();
      if (std::ranges::find(known, "reduce_" + name) != known.end()) {
        diagnostic.notes.push_back(
            {fmt::format("{0} goes over the ranks; reduce_{0}(E, axis) along an axis", name), {}});
      }
      return std::nullopt;
    }
    axis = keyword.value.get();
  }
  if (args.size() < row->least || args.size() > row->most) {
    return error(expr, fmt::format("{} takes {}{} argument{}, got {}", name,
                                   row->most > row->least ? "at least " : "", row->least,
                                   row->least == 1 ? "" : "s", args.size()));
  }
  // An axis may name the rank that the outer aggregate is at.
  // What a replayed sum is depends on that rank.
  const bool is_inner = aggregate_ && axis == nullptr && is_aggregate(name, args.size()) &&
                        !(replays() && depends_on_order(call));
  if (const auto known = inner_aggregates_.find(&expr); known != inner_aggregates_.end()) {
    return known->second;
  }
  GoldenFunctions functions{*this, expr, args, axis};
  Value value = (functions.*row->run)();
  if (is_inner && value) inner_aggregates_.emplace(&expr, *value);
  return value;
}

}  // namespace a2a3::models
