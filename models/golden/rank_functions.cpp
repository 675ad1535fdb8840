// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "ir/vocabulary.hpp"
#include "ir/walk.hpp"
#include "models/golden/functions.hpp"

namespace a2a3::models {
namespace {

// Each level multiplies the work by the number of ranks.
constexpr int kMaxAggregateDepth = 2;

/// The first tensor in the expression that is in another floating-point dtype and not cast.
const std::string* other_float(const ir::Expr& expr, const GoldenScope& scope, isa::DType dtype) {
  const std::string* found = nullptr;
  bool casts = false;
  ir::walk(expr, [&](const ir::Expr& part) {
    if (const auto* call = std::get_if<ir::Call>(&part.node)) {
      casts = casts || ir::dotted_name(*call->callee) == "cast";
    }
    const auto* name = std::get_if<ir::Name>(&part.node);
    if (name == nullptr || found != nullptr) return;
    const auto tensor = scope.tensors.find(name->id);
    if (tensor == scope.tensors.end()) return;
    const isa::DType own = tensor->second->dtype;
    if (isa::is_float(own) && own != dtype) found = &tensor->first;
  });
  return casts ? nullptr : found;
}

}  // namespace

std::optional<std::vector<NdArray>> GoldenFunctions::of_all_ranks() {
  if (self.scope_.ranks == 0) return self.error(call, "this goes over ranks, there are none here");
  if (self.aggregate_depth_ == kMaxAggregateDepth) {
    return self.error(call, fmt::format("aggregates nest at most {} deep", kMaxAggregateDepth));
  }
  ++self.aggregate_depth_;
  std::optional<std::vector<NdArray>> values = gather_ranks();
  --self.aggregate_depth_;
  return values;
}

std::optional<std::vector<NdArray>> GoldenFunctions::gather_ranks() {
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
Evaluator::Value GoldenFunctions::fold(F f) {
  const std::optional<std::vector<NdArray>> values = of_all_ranks();
  if (!values) return std::nullopt;
  NdArray result = values->front();
  for (std::size_t i = 1; i < values->size(); ++i) {
    result = zip(result, (*values)[i], result.shape, f);
  }
  return result;
}

template <typename F>
Evaluator::Value GoldenFunctions::fold_arguments(F f) {
  Value result = self.value(*args[0]);
  for (std::size_t i = 1; result && i < args.size(); ++i) {
    const Value next = self.value(*args[i]);
    if (!next) return std::nullopt;
    result = self.combine(call, *result, *next, f);
  }
  return result;
}

Evaluator::Value GoldenFunctions::concat() {
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
Evaluator::Value GoldenFunctions::stack() {
  std::optional<std::vector<NdArray>> values = of_all_ranks();
  if (!values) return std::nullopt;
  for (NdArray& value : *values)
    value.shape.insert(value.shape.begin(), 1);
  return concatenate(*values, 0);
}

bool GoldenFunctions::may_replay(const Shape& shape) {
  const ReductionOrder& order = *self.scope_.order;
  if (const std::string* other = other_float(*args[0], self.scope_, *self.output_)) {
    self.error(*args[0],
               fmt::format("replay: {} is {}, but the output is {}: cast says in which of "
                           "them the kernel adds",
                           *other, isa::name(self.scope_.tensors.at(*other)->dtype),
                           isa::name(*self.output_)));
    return false;
  }
  const std::int64_t elements = element_count(shape);
  const bool fits =
      order.differs_between_ranks() ? elements <= order.elements : elements == order.elements;
  if (order.elements == 0 || fits) return true;
  self.error(*args[0],
             fmt::format("replay: {} adds {} elements of each rank, here are {}: in which order "
                         "these are added is not known",
                         order.schedule, order.elements, elements));
  return false;
}

template <typename F>
Evaluator::Value GoldenFunctions::replay(F f) {
  std::optional<std::vector<NdArray>> values;
  const auto known = self.replayed_.find(&call);
  if (known == self.replayed_.end()) {
    values = of_all_ranks();
    if (!values || !may_replay(values->front().shape)) return std::nullopt;
    for (NdArray& value : *values)
      value = round_to(value, *self.output_);
  }
  const std::vector<NdArray>& parts = values ? *values : known->second;
  if (!self.charge(call, self.scope_.ranks * parts.front().elements())) return std::nullopt;
  NdArray result = parts.front();
  Rounding rounding(*self.output_);
  for (const ReductionSegment& segment :
       reduction_segments(*self.scope_.order, result.elements(), self.scope_.ranks,
                          self.aggregate_.value_or(self.rank_))) {
    for (auto i = static_cast<std::size_t>(segment.begin);
         i < static_cast<std::size_t>(segment.end); ++i) {
      double value = parts[static_cast<std::size_t>(segment.ranks[0])].data[i];
      for (std::size_t k = 1; k < segment.ranks.size(); ++k)
        value = rounding(f(value, parts[static_cast<std::size_t>(segment.ranks[k])].data[i]));
      result.data[i] = value;
    }
  }
  if (values && !argument_depends_on_rank(*args[0], self.scope_)) {
    self.replayed_.emplace(&call, *std::move(values));
  }
  return result;
}

template <typename F>
Evaluator::Value GoldenFunctions::add_up(F f) {
  return self.replays() ? replay(f) : fold(f);
}
Evaluator::Value GoldenFunctions::sum() {
  return add_up([](double a, double b) { return a + b; });
}
Evaluator::Value GoldenFunctions::prod() {
  return add_up([](double a, double b) { return a * b; });
}
Evaluator::Value GoldenFunctions::max() {
  return args.size() == 1 ? fold(larger) : fold_arguments(larger);
}
Evaluator::Value GoldenFunctions::min() {
  return args.size() == 1 ? fold(smaller) : fold_arguments(smaller);
}

}  // namespace a2a3::models
