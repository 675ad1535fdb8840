// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "models/golden/functions.hpp"

namespace a2a3::models {
namespace {

/// Bounds the time of one product: this many multiplications for each element that an array may

}  // namespace

std::optional<std::size_t> GoldenFunctions::axis_of(const Shape& shape, std::int64_t absent) {
  const auto dims = static_cast<std::int64_t>(shape.size());
  const std::optional<std::int64_t> given = axis == nullptr ? absent : self.integer(*axis);
  if (!given) return std::nullopt;
  if (*given >= dims || *given < -dims) {
    return self.error(axis == nullptr ? call : *axis,
                      fmt::format("there is no axis {} in {}", *given, shape_text(shape)));
  }
  return static_cast<std::size_t>(*given < 0 ? *given + dims : *given);
}

Evaluator::Value GoldenFunctions::filled(const Args& dims, double value) {
  const std::optional<Shape> shape = dimensions(dims);
  if (!shape) return std::nullopt;
  return broadcast_to(NdArray::scalar(value), *shape);
}
Evaluator::Value GoldenFunctions::zeros() {
  return filled(args, 0);
}
Evaluator::Value GoldenFunctions::ones() {
  return filled(args, 1);
}
Evaluator::Value GoldenFunctions::full() {
  const Value value = self.value(*args[0]);
  if (!value) return std::nullopt;
  if (value->elements() != 1) return self.error(*args[0], "expected one number to fill with");
  return filled(Args(args.begin() + 1, args.end()), value->data[0]);
}
Evaluator::Value GoldenFunctions::arange() {
  Value result = filled(args, 0);
  if (result) std::iota(result->data.begin(), result->data.end(), 0.0);
  return result;
}
Evaluator::Value GoldenFunctions::reshape() {
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
Evaluator::Value GoldenFunctions::transpose() {
  const Value operand = self.value(*args[0]);
  if (!operand) return std::nullopt;
  if (operand->shape.size() != 2) {
    return self.error(
        call, fmt::format("transpose takes two dimensions, got {}", shape_text(operand->shape)));
  }
  return models::transpose(*operand);
}
Evaluator::Value GoldenFunctions::size() {
  const Value operand = self.value(*args[0]);
  if (!operand) return std::nullopt;
  if (axis == nullptr) return NdArray::scalar(static_cast<double>(operand->elements()));
  const std::optional<std::size_t> along = axis_of(operand->shape, 0);
  if (!along) return std::nullopt;
  return NdArray::scalar(static_cast<double>(operand->shape[*along]));
}
Evaluator::Value GoldenFunctions::whole() {
  const auto* name = std::get_if<ir::Name>(&args[0]->node);
  const auto tensor =
      name == nullptr ? self.scope_.tensors.end() : self.scope_.tensors.find(name->id);
  if (tensor == self.scope_.tensors.end()) {
    return self.error(*args[0], "expected the name of a host tensor");
  }
  if (!self.fits(call, tensor->second->shape)) return std::nullopt;
  return widen(*tensor->second, 0, tensor->second->shape);
}

std::optional<Shape> GoldenFunctions::dimensions(Args dims) {
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

Evaluator::Value GoldenFunctions::join() {
  std::vector<NdArray> parts;
  for (const ir::Expr* arg : args) {
    Value part = self.value(*arg);
    if (!part) return std::nullopt;
    if (part->shape.empty()) part->shape = {1};
    parts.push_back(*std::move(part));
  }
  Shape total = parts.front().shape;
  const std::optional<std::size_t> along = axis_of(total, -1);
  if (!along) return std::nullopt;
  total[*along] = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Shape own = parts[i].shape;
    if (own.size() == total.size()) own[*along] = parts.front().shape[*along];
    if (own != parts.front().shape) {
      return self.error(*args[i], fmt::format("{} cannot be joined to {} along axis {}",
                                              shape_text(parts[i].shape),
                                              shape_text(parts.front().shape), *along));
    }
    total[*along] += parts[i].shape[*along];
  }
  if (!self.fits(call, total)) return std::nullopt;
  return concatenate(parts, *along);
}

template <typename F>
Evaluator::Value GoldenFunctions::reduce(const char* name, F f) {
  Value operand = self.value(*args[0]);
  if (!operand) return std::nullopt;
  const bool all = axis == nullptr;
  if (all) operand->shape = {operand->elements()};
  const std::optional<std::size_t> along = axis_of(operand->shape, 0);
  if (!along) return std::nullopt;
  if (operand->shape[*along] == 0) {
    return self.error(call, fmt::format("{}: there is no element along axis {} of {}", name, *along,
                                        shape_text(operand->shape)));
  }
  NdArray result = fold_axis(*operand, *along, f);
  if (all) result.shape.clear();
  return result;
}
Evaluator::Value GoldenFunctions::reduce_sum() {
  return reduce("reduce_sum", [](double a, double b) { return a + b; });
}
Evaluator::Value GoldenFunctions::reduce_max() {
  return reduce("reduce_max", larger);
}
Evaluator::Value GoldenFunctions::reduce_min() {
  return reduce("reduce_min", smaller);
}

Evaluator::Value GoldenFunctions::matmul() {
  const Value a = self.value(*args[0]);
  const Value b = self.value(*args[1]);
  if (!a || !b) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i) {
    const Shape& shape = i == 0 ? a->shape : b->shape;
    if (shape.size() == 2) continue;
    return self.error(*args[i],
                      fmt::format("matmul takes two matrices, this is {}", shape_text(shape)));
  }
  if (a->shape[1] != b->shape[0]) {
    return self.error(call,
                      fmt::format("matmul: {} has {} columns, {} has {} rows", shape_text(a->shape),
                                  a->shape[1], shape_text(b->shape), b->shape[0]));
  }
  if (!self.fits(call, {a->shape[0], b->shape[1]})) return std::nullopt;
  // A product without elements takes time too.
  const std::int64_t work =
      element_count({std::max<std::int64_t>(1, a->shape[0]), std::max<std::int64_t>(1, a->shape[1]),
                     std::max<std::int64_t>(1, b->shape[1])});
  if (!self.charge(call, work)) return std::nullopt;
  return models::matmul(*a, *b);
}

}  // namespace a2a3::models
