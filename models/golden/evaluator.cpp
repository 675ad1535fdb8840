// SPDX-License-Identifier: Apache-2.0
#include "models/golden/evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "ir/vocabulary.hpp"

namespace a2a3::models {
namespace {

constexpr double kMaxExactInteger = 0x1p53;

double floor_div(double a, double b) {
  return std::floor(a / b);
}

/// Python's %: the result has the divisor's sign.
double floor_mod(double a, double b) {
  const double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

bool has_zero(const NdArray& array) {
  return std::find(array.data.begin(), array.data.end(), 0.0) != array.data.end();
}

}  // namespace

std::nullopt_t Evaluator::error(const ir::Expr& at, std::string message) {
  diagnostics_.error(at.location, std::move(message));
  return std::nullopt;
}

Evaluator::Value Evaluator::evaluate(const ir::Expr& expr, std::int64_t rank) {
  rank_ = rank;
  aggregate_.reset();
  aggregate_depth_ = 0;
  inner_aggregates_.clear();
  return value(expr);
}

Evaluator::Value Evaluator::value(const ir::Expr& expr) {
  Value result = node_value(expr);
  if (result && !charge(expr, result->elements())) return std::nullopt;
  return result;
}

Evaluator::Value Evaluator::node_value(const ir::Expr& expr) {
  struct Visitor {
    Evaluator& self;
    const ir::Expr& expr;
    Value operator()(const ir::IntLiteral& node) const {
      return NdArray::scalar(static_cast<double>(node.value));
    }
    Value operator()(const ir::FloatLiteral& node) const { return NdArray::scalar(node.value); }
    Value operator()(const ir::BoolLiteral& node) const {
      return NdArray::scalar(node.value ? 1 : 0);
    }
    Value operator()(const ir::Name& node) const { return self.name(expr, node); }
    Value operator()(const ir::Unary& node) const { return self.unary(expr, node); }
    Value operator()(const ir::Binary& node) const { return self.binary(expr, node); }
    Value operator()(const ir::Compare& node) const { return self.compare(expr, node); }
    Value operator()(const ir::Logical& node) const { return self.logical(expr, node); }
    Value operator()(const ir::Subscript& node) const { return self.subscript(expr, node); }
    Value operator()(const ir::Call& node) const { return self.call(expr, node); }
    Value operator()(const ir::StringLiteral&) const { return refuse("text"); }
    Value operator()(const ir::NoneLiteral&) const { return refuse("None"); }
    Value operator()(const ir::Attribute&) const { return refuse("a dotted name"); }
    Value operator()(const ir::Sequence&) const { return refuse("a tuple or list"); }
    Value operator()(const ir::Slice&) const { return refuse("a slice outside of a subscript"); }
    [[nodiscard]] Value refuse(const char* what) const {
      return self.error(expr, fmt::format("{} is no value here", what));
    }
  };
  return std::visit(Visitor{*this, expr}, expr.node);
}

Evaluator::Value Evaluator::name(const ir::Expr& expr, const ir::Name& name) {
  if (aggregate_ && name.id == "k") return NdArray::scalar(static_cast<double>(*aggregate_));
  if (const auto tensor = scope_.tensors.find(name.id); tensor != scope_.tensors.end()) {
    return slice(expr, *tensor->second, aggregate_.value_or(rank_));
  }
  if (const auto setting = scope_.settings.find(name.id); setting != scope_.settings.end()) {
    return NdArray::scalar(setting->second);
  }
  const bool of_a_rank = scope_.ranks != 0;
  if (of_a_rank && (name.id == "r" || name.id == "rank")) {
    return NdArray::scalar(static_cast<double>(rank_));
  }
  if (of_a_rank && (name.id == "P" || name.id == "nranks")) {
    return NdArray::scalar(static_cast<double>(scope_.ranks));
  }
  if (name.id == "k") return error(expr, "k has a value only inside an aggregate such as sum(...)");
  std::vector<std::string> known;
  if (of_a_rank) known = {"r", "P", "rank", "nranks"};
  for (const auto& tensor : scope_.tensors)
    known.push_back(tensor.first);
  for (const auto& setting : scope_.settings)
    known.push_back(setting.first);
  std::string tensors;
  for (const auto& tensor : scope_.tensors)
    tensors += (tensors.empty() ? "" : ", ") + tensor.first;
  ir::Diagnostic& diagnostic = diagnostics_.error(
      expr.location, fmt::format("unknown name '{}'{}", name.id, ir::suggestion(name.id, known)));
  if (!tensors.empty()) diagnostic.notes.push_back({"host tensors: " + tensors, {}});
  return std::nullopt;
}

Evaluator::Value Evaluator::slice(const ir::Expr& expr, const isa::Array& tensor,
                                  std::int64_t rank) {
  const bool by_rank = !tensor.shape.empty() && tensor.shape[0] == scope_.ranks;
  const Shape shape(tensor.shape.begin() + (by_rank ? 1 : 0), tensor.shape.end());
  if (!fits(expr, shape)) return std::nullopt;
  return widen(tensor, by_rank ? rank * element_count(shape) : 0, shape);
}

Evaluator::Value Evaluator::unary(const ir::Expr& expr, const ir::Unary& unary) {
  if (unary.op == ir::UnaryOp::invert) return error(expr, "~ is not part of the golden language");
  Value operand = value(*unary.operand);
  if (!operand) return std::nullopt;
  for (double& element : operand->data) {
    element = unary.op == ir::UnaryOp::negate ? -element : (element == 0 ? 1 : 0);
  }
  return operand;
}

Evaluator::Value Evaluator::binary(const ir::Expr& expr, const ir::Binary& binary) {
  const Value lhs = value(*binary.lhs);
  const Value rhs = value(*binary.rhs);
  if (!lhs || !rhs) return std::nullopt;
  switch (binary.op) {
    case ir::BinaryOp::add:
      return combine(expr, *lhs, *rhs, [](double a, double b) { return a + b; });
    case ir::BinaryOp::sub:
      return combine(expr, *lhs, *rhs, [](double a, double b) { return a - b; });
    case ir::BinaryOp::mul:
      return combine(expr, *lhs, *rhs, [](double a, double b) { return a * b; });
    case ir::BinaryOp::div:
      return combine(expr, *lhs, *rhs, [](double a, double b) { return a / b; });
    case ir::BinaryOp::floordiv:
    case ir::BinaryOp::mod:
      if (has_zero(*rhs)) return error(*binary.rhs, "division by zero");
      return binary.op == ir::BinaryOp::mod ? combine(expr, *lhs, *rhs, floor_mod)
                                            : combine(expr, *lhs, *rhs, floor_div);
    case ir::BinaryOp::shift_left:
    case ir::BinaryOp::shift_right:
      break;
  }
  return error(expr, "<< and >> are not part of the golden language");
}

Evaluator::Value Evaluator::compare(const ir::Expr& expr, const ir::Compare& compare) {
  const Value lhs = value(*compare.lhs);
  const Value rhs = value(*compare.rhs);
  if (!lhs || !rhs) return std::nullopt;
  return combine(expr, *lhs, *rhs, [op = compare.op](double a, double b) {
    const bool holds = op == ir::CompareOp::eq   ? a == b
                       : op == ir::CompareOp::ne ? a != b
                       : op == ir::CompareOp::lt ? a < b
                       : op == ir::CompareOp::le ? a <= b
                       : op == ir::CompareOp::gt ? a > b
                                                 : a >= b;
    return holds ? 1.0 : 0.0;
  });
}

Evaluator::Value Evaluator::logical(const ir::Expr& expr, const ir::Logical& logical) {
  const Value lhs = value(*logical.lhs);
  const Value rhs = value(*logical.rhs);
  if (!lhs || !rhs) return std::nullopt;
  return combine(expr, *lhs, *rhs, [op = logical.op](double a, double b) {
    const bool holds = op == ir::LogicalOp::logical_and ? (a != 0 && b != 0) : (a != 0 || b != 0);
    return holds ? 1.0 : 0.0;
  });
}

Evaluator::Value Evaluator::subscript(const ir::Expr& expr, const ir::Subscript& subscript) {
  const auto* name = std::get_if<ir::Name>(&subscript.object->node);
  const auto tensor = name == nullptr ? scope_.tensors.end() : scope_.tensors.find(name->id);
  const bool of_tensor = tensor != scope_.tensors.end();
  Value object;
  Shape shape;
  if (of_tensor) {
    shape = tensor->second->shape;
  } else {
    object = value(*subscript.object);
    if (!object) return std::nullopt;
    shape = object->shape;
  }
  if (subscript.indices.size() > shape.size()) {
    return error(expr,
                 fmt::format("{} subscripts for {}", subscript.indices.size(), shape_text(shape)));
  }
  std::vector<Pick> picks;
  for (std::size_t i = 0; i < subscript.indices.size(); ++i) {
    const std::optional<Pick> pick = resolve(*subscript.indices[i], i, shape[i]);
    if (!pick) return std::nullopt;
    picks.push_back(*pick);
  }
  if (of_tensor) {
    // Leading indices take one part of the tensor; only that one is widened.
    Shape part = shape;
    std::int64_t begin = 0;
    while (!picks.empty() && !picks.front().slice) {
      part.erase(part.begin());
      begin += picks.front().begin * element_count(part);
      picks.erase(picks.begin());
    }
    if (!fits(expr, part) || !charge(expr, element_count(part))) return std::nullopt;
    object = widen(*tensor->second, begin, part);
  }
  return pick(*object, picks);
}

std::optional<Pick> Evaluator::resolve(const ir::Expr& index, std::size_t dim, std::int64_t size) {
  const auto* slice = std::get_if<ir::Slice>(&index.node);
  if (slice == nullptr) {
    const std::optional<std::int64_t> at = integer(index);
    if (!at) return std::nullopt;
    if (*at >= size || *at < -size) {
      return error(index,
                   fmt::format("index {} is out of range: dimension {} has {}", *at, dim, size));
    }
    return Pick{false, *at < 0 ? *at + size : *at, 0};
  }
  const auto bound = [&](const ir::ExprPtr& expr,
                         std::int64_t absent) -> std::optional<std::int64_t> {
    if (expr == nullptr) return absent;
    const std::optional<std::int64_t> at = integer(*expr);
    if (!at) return std::nullopt;
    return std::clamp<std::int64_t>(*at < 0 ? *at + size : *at, 0, size);
  };
  const std::optional<std::int64_t> begin = bound(slice->lower, 0);
  const std::optional<std::int64_t> end = bound(slice->upper, size);
  if (!begin || !end) return std::nullopt;
  return Pick{true, *begin, std::max(*begin, *end)};
}

std::optional<std::int64_t> Evaluator::integer(const ir::Expr& expr) {
  const Value result = value(expr);
  if (!result) return std::nullopt;
  if (!result->shape.empty() && result->elements() != 1) {
    return error(expr, fmt::format("expected a whole number, got {}", shape_text(result->shape)));
  }
  const double number = result->data[0];
  if (number != std::floor(number) || std::abs(number) > kMaxExactInteger) {
    return error(expr, fmt::format("expected a whole number, got {}", number));
  }
  return static_cast<std::int64_t>(number);
}

bool Evaluator::charge(const ir::Expr& expr, std::int64_t operations) {
  if (operations <= limits_.max_operations - operations_) {
    operations_ += operations;
    return true;
  }
  error(expr, fmt::format("the golden takes more than {} operations (--max-golden-operations)",
                          limits_.max_operations));
  return false;
}

bool Evaluator::fits(const ir::Expr& expr, const Shape& shape) {
  if (element_count(shape) <= limits_.max_elements) return true;
  error(expr, fmt::format("{} has more elements than the limit of {} (--max-golden-elements)",
                          shape_text(shape), limits_.max_elements));
  return false;
}

}  // namespace a2a3::models
