// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "ir/vocabulary.hpp"
#include "models/golden/evaluator.hpp"

namespace a2a3::models {

namespace {

using Args = std::vector<const ir::Expr*>;

// Each level multiplies the work by the number of ranks.
constexpr int kMaxAggregateDepth = 2;

/// As on the device: NaN when an operand is NaN, else `result`.
double nan_or(double a, double b, double result) {
  return std::isnan(a) ? a : std::isnan(b) ? b : result;
}

}  // namespace

/// The functions of the golden language: one row of the table, one member function.
struct GoldenFunctions {
  using Value = Evaluator::Value;

  Evaluator& self;
  const ir::Expr& call;
  const Args& args;
  const ir::Expr* axis;  ///< the keyword or second argument `axis`; null when absent

  struct Row {
    const char* name;
    std::size_t least;
    std::size_t most;
    bool has_axis;
    Value (GoldenFunctions::*run)();
    std::size_t aggregate = 0;  ///< goes over all ranks with up to this many positional arguments
  };
  static const std::vector<Row>& table();

  /// The argument's value on every rank, all of one shape.
  std::optional<std::vector<NdArray>> of_all_ranks() {
    if (self.scope_.ranks == 0)
      return self.error(call, "this goes over ranks, there are none here");
    if (self.aggregate_depth_ == kMaxAggregateDepth) {
      return self.error(call, fmt::format("aggregates nest at most {} deep", kMaxAggregateDepth));
    }
    ++self.aggregate_depth_;
    std::optional<std::vector<NdArray>> values = gather_ranks();
    --self.aggregate_depth_;
    return values;
  }

  std::optional<std::vector<NdArray>> gather_ranks() {
    std::vector<NdArray> values;
    const std::optional<std::int64_t> outer = self.aggregate_;
    for (std::int64_t k = 0; k < self.scope_.ranks; ++k) {
      self.aggregate_ = k;
      Value value = self.value(*args[0]);
      self.aggregate_ = outer;
      if (!value) return std::nullopt;
      if (!values.empty() && value->shape != values.front().shape) {
        return self.error(
            *args[0], fmt::format("rank 0 has {}, rank {} has {}", shape_text(values.front().shape),
                                  k, shape_text(value->shape)));
      }
      Shape total = value->shape;
      total.push_back(self.scope_.ranks);
      if (!self.fits(call, total)) return std::nullopt;
      values.push_back(std::move(*value));
    }
    return values;
  }

  template <typename F>
  Value fold(F f) {
    const std::optional<std::vector<NdArray>> values = of_all_ranks();
    if (!values) return std::nullopt;
    NdArray result = values->front();
    for (std::size_t i = 1; i < values->size(); ++i) {
      result = zip(result, (*values)[i], result.shape, f);
    }
    return result;
  }

  template <typename F>
  Value fold_arguments(F f) {
    Value result = self.value(*args[0]);
    for (std::size_t i = 1; result && i < args.size(); ++i) {
      const Value next = self.value(*args[i]);
      if (!next) return std::nullopt;
      result = self.combine(call, *result, *next, f);
    }
    return result;
  }

  template <typename F>
  Value map(F f) {
    Value result = self.value(*args[0]);
    if (!result) return std::nullopt;
    for (double& element : result->data)
      element = f(element);
    return result;
  }

  /// The axis argument, counted from the end when negative.
  std::optional<std::size_t> axis_of(const Shape& shape, std::int64_t absent) {
    const auto dims = static_cast<std::int64_t>(shape.size());
    const std::optional<std::int64_t> given = axis == nullptr ? absent : self.integer(*axis);
    if (!given) return std::nullopt;
    if (*given >= dims || *given < -dims) {
      return self.error(axis == nullptr ? call : *axis,
                        fmt::format("there is no axis {} in {}", *given, shape_text(shape)));
    }
    return static_cast<std::size_t>(*given < 0 ? *given + dims : *given);
  }

  Value concat() {
    std::optional<std::vector<NdArray>> values = of_all_ranks();
    if (!values) return std::nullopt;
    if (values->front().shape.empty()) {
      for (NdArray& value : *values)
        value.shape = {1};
    }
    const std::optional<std::size_t> along = axis_of(values->front().shape, -1);
    if (!along) return std::nullopt;
    return concatenate(*values, *along);
  }
  Value stack() {
    std::optional<std::vector<NdArray>> values = of_all_ranks();
    if (!values) return std::nullopt;
    for (NdArray& value : *values)
      value.shape.insert(value.shape.begin(), 1);
    return concatenate(*values, 0);
  }
  Value sum() {
    return fold([](double a, double b) { return a + b; });
  }
  Value prod() {
    return fold([](double a, double b) { return a * b; });
  }
  Value max() {
    const auto larger = [](double a, double b) { return nan_or(a, b, std::max(a, b)); };
    return args.size() == 1 ? fold(larger) : fold_arguments(larger);
  }
  Value min() {
    const auto smaller = [](double a, double b) { return nan_or(a, b, std::min(a, b)); };
    return args.size() == 1 ? fold(smaller) : fold_arguments(smaller);
  }
  Value abs() {
    return map([](double a) { return std::abs(a); });
  }
  Value sqrt() {
    return map([](double a) { return std::sqrt(a); });
  }
  Value exp() {
    return map([](double a) { return std::exp(a); });
  }
  Value log() {
    return map([](double a) { return std::log(a); });
  }

  Value where() {
    const Value condition = self.value(*args[0]);
    const Value then = self.value(*args[1]);
    const Value otherwise = self.value(*args[2]);
    if (!condition || !then || !otherwise) return std::nullopt;
    // Selecting in two steps, so that the value not chosen may be NaN.
    const Value both =
        self.combine(call, *condition, *otherwise, [](double, double b) { return b; });
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

  Value cast() {
    const std::optional<std::string> dotted = ir::dotted_name(*args[1]);
    std::string dtype_name = dotted.value_or("");
    if (dtype_name.starts_with("pl.")) dtype_name.erase(0, 3);
    const std::optional<isa::DType> dtype = isa::dtype_from_name(dtype_name);
    if (!dtype) return self.error(*args[1], "expected a dtype, for example FP16");
    const Value operand = self.value(*args[0]);
    if (!operand) return std::nullopt;
    return round_to(*operand, *dtype);
  }

  Value filled(const Args& dims, double value) {
    const std::optional<Shape> shape = dimensions(dims);
    if (!shape) return std::nullopt;
    return broadcast_to(NdArray::scalar(value), *shape);
  }
  Value zeros() { return filled(args, 0); }
  Value ones() { return filled(args, 1); }
  Value full() {
    const Value value = self.value(*args[0]);
    if (!value) return std::nullopt;
    if (value->elements() != 1) return self.error(*args[0], "expected one number to fill with");
    return filled(Args(args.begin() + 1, args.end()), value->data[0]);
  }
  Value arange() {
    Value result = filled(args, 0);
    if (result) std::iota(result->data.begin(), result->data.end(), 0.0);
    return result;
  }
  Value reshape() {
    Value operand = self.value(*args[0]);
    const std::optional<Shape> shape = dimensions(Args(args.begin() + 1, args.end()));
    if (!operand || !shape) return std::nullopt;
    if (element_count(*shape) != operand->elements()) {
      return self.error(call, fmt::format("cannot reshape {} to {}", shape_text(operand->shape),
                                          shape_text(*shape)));
    }
    operand->shape = *shape;
    return operand;
  }
  Value transpose() {
    const Value operand = self.value(*args[0]);
    if (!operand) return std::nullopt;
    if (operand->shape.size() != 2) {
      return self.error(
          call, fmt::format("transpose takes two dimensions, got {}", shape_text(operand->shape)));
    }
    return models::transpose(*operand);
  }
  Value size() {
    const Value operand = self.value(*args[0]);
    if (!operand) return std::nullopt;
    if (axis == nullptr) return NdArray::scalar(static_cast<double>(operand->elements()));
    const std::optional<std::size_t> along = axis_of(operand->shape, 0);
    if (!along) return std::nullopt;
    return NdArray::scalar(static_cast<double>(operand->shape[*along]));
  }
  Value whole() {
    const auto* name = std::get_if<ir::Name>(&args[0]->node);
    const auto tensor =
        name == nullptr ? self.scope_.tensors.end() : self.scope_.tensors.find(name->id);
    if (tensor == self.scope_.tensors.end()) {
      return self.error(*args[0], "expected the name of a host tensor");
    }
    if (!self.fits(call, tensor->second->shape)) return std::nullopt;
    return widen(*tensor->second, 0, tensor->second->shape);
  }

  /// Dimensions given one by one or as one tuple.
  std::optional<Shape> dimensions(Args dims) {
    if (dims.size() == 1) {
      if (const auto* tuple = std::get_if<ir::Sequence>(&dims[0]->node)) {
        dims.clear();
        for (const ir::ExprPtr& item : tuple->items)
          dims.push_back(item.get());
      }
    }
    Shape shape;
    for (const ir::Expr* dim : dims) {
      const std::optional<std::int64_t> extent = self.integer(*dim);
      if (!extent) return std::nullopt;
      if (*extent < 0) return self.error(*dim, fmt::format("{} is no dimension", *extent));
      shape.push_back(*extent);
    }
    if (!self.fits(call, shape)) return std::nullopt;
    return shape;
  }
};

const std::vector<GoldenFunctions::Row>& GoldenFunctions::table() {
  using F = GoldenFunctions;
  constexpr std::size_t any = 64;
  static const std::vector<Row> rows = {
      {"concat", 1, 1, true, &F::concat, any}, {"stack", 1, 1, false, &F::stack, any},
      {"sum", 1, 1, false, &F::sum, any},      {"prod", 1, 1, false, &F::prod, any},
      {"max", 1, any, false, &F::max, 1},      {"min", 1, any, false, &F::min, 1},
      {"abs", 1, 1, false, &F::abs},           {"sqrt", 1, 1, false, &F::sqrt},
      {"exp", 1, 1, false, &F::exp},           {"log", 1, 1, false, &F::log},
      {"where", 3, 3, false, &F::where},       {"cast", 2, 2, false, &F::cast},
      {"zeros", 1, any, false, &F::zeros},     {"ones", 1, any, false, &F::ones},
      {"full", 2, any, false, &F::full},       {"arange", 1, 1, false, &F::arange},
      {"reshape", 2, any, false, &F::reshape}, {"transpose", 1, 1, false, &F::transpose},
      {"size", 1, 1, true, &F::size},          {"whole", 1, 1, false, &F::whole},
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
  Args args;
  for (const ir::ExprPtr& arg : call.args)
    args.push_back(arg.get());
  const ir::Expr* axis = nullptr;
  if (row->has_axis && args.size() == 2) {
    axis = args.back();
    args.pop_back();
  }
  for (const ir::Keyword& keyword : call.keywords) {
    if (!row->has_axis || keyword.name != "axis" || axis != nullptr) {
      diagnostics_.error(keyword.location,
                         fmt::format("{} takes no keyword '{}'", name, keyword.name));
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
  const bool is_inner = aggregate_ && axis == nullptr && is_aggregate(name, args.size());
  if (const auto known = inner_aggregates_.find(&expr); known != inner_aggregates_.end()) {
    return known->second;
  }
  GoldenFunctions functions{*this, expr, args, axis};
  Value value = (functions.*row->run)();
  if (is_inner && value) inner_aggregates_.emplace(&expr, *value);
  return value;
}

}  // namespace a2a3::models
