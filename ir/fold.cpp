// SPDX-License-Identifier: Apache-2.0
#include "ir/fold.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace a2a3::ir {
namespace {

Folded known(std::int64_t value) {
  return {Constant{value}, {}};
}
Folded known(double value) {
  return {Constant{value}, {}};
}
Folded known(bool value) {
  return {Constant{value}, {}};
}
Folded problem(std::string text) {
  return {std::nullopt, std::move(text)};
}
Folded too_large() {
  return {std::nullopt, "the result does not fit in 64 bits", true};
}

std::optional<std::int64_t> as_int(const Constant& constant) {
  if (const auto* value = std::get_if<std::int64_t>(&constant.value)) return *value;
  if (const auto* value = std::get_if<bool>(&constant.value)) return *value ? 1 : 0;
  return std::nullopt;
}

std::optional<double> as_number(const Constant& constant) {
  if (const auto* value = std::get_if<double>(&constant.value)) return *value;
  if (const auto value = as_int(constant)) return static_cast<double>(*value);
  return std::nullopt;
}

Folded shift(BinaryOp op, std::int64_t a, std::int64_t b) {
  if (b < 0) return problem("negative shift count");
  if (op == BinaryOp::shift_right) return known(a >> std::min<std::int64_t>(b, 63));
  std::int64_t shifted = 0;
  if (b > 62 || __builtin_mul_overflow(a, std::int64_t{1} << b, &shifted)) {
    return too_large();
  }
  return known(shifted);
}

Folded fold_ints(BinaryOp op, std::int64_t a, std::int64_t b, Division division) {
  std::int64_t result = 0;
  bool overflow = false;
  switch (op) {
    case BinaryOp::add:
      overflow = __builtin_add_overflow(a, b, &result);
      break;
    case BinaryOp::sub:
      overflow = __builtin_sub_overflow(a, b, &result);
      break;
    case BinaryOp::mul:
      overflow = __builtin_mul_overflow(a, b, &result);
      break;
    case BinaryOp::div:
      if (b == 0) return problem("division by zero");
      return known(static_cast<double>(a) / static_cast<double>(b));
    case BinaryOp::floordiv:
    case BinaryOp::mod: {
      if (b == 0) return problem("division by zero");
      const auto value = op == BinaryOp::mod ? modulo(a, b, division) : divide(a, b, division);
      if (!value) return too_large();
      return known(*value);
    }
    case BinaryOp::shift_left:
    case BinaryOp::shift_right:
      return shift(op, a, b);
  }
  if (overflow) return too_large();
  return known(result);
}

Folded fold_floats(BinaryOp op, double a, double b) {
  switch (op) {
    case BinaryOp::add:
      return known(a + b);
    case BinaryOp::sub:
      return known(a - b);
    case BinaryOp::mul:
      return known(a * b);
    case BinaryOp::div:
      return b == 0.0 ? problem("division by zero") : known(a / b);
    case BinaryOp::floordiv:
      return b == 0.0 ? problem("division by zero") : known(std::floor(a / b));
    case BinaryOp::mod:
      return b == 0.0 ? problem("division by zero") : known(a - b * std::floor(a / b));
    case BinaryOp::shift_left:
    case BinaryOp::shift_right:
      return {};
  }
  return {};
}

template <typename Value>
bool compare(CompareOp op, const Value& a, const Value& b) {
  switch (op) {
    case CompareOp::eq:
      return a == b;
    case CompareOp::ne:
      return a != b;
    case CompareOp::lt:
      return a < b;
    case CompareOp::le:
      return a <= b;
    case CompareOp::gt:
      return a > b;
    case CompareOp::ge:
      return a >= b;
  }
  return false;
}

}  // namespace

std::optional<std::int64_t> divide(std::int64_t a, std::int64_t b, Division division) {
  if (b == 0 || (a == std::numeric_limits<std::int64_t>::min() && b == -1)) return std::nullopt;
  const std::int64_t quotient = a / b;
  const bool round_down = division == Division::floor && a % b != 0 && (a < 0) != (b < 0);
  return round_down ? quotient - 1 : quotient;
}

std::optional<std::int64_t> modulo(std::int64_t a, std::int64_t b, Division division) {
  if (b == 0) return std::nullopt;
  if (b == -1) return 0;
  const std::int64_t remainder = a % b;
  const bool wrap = division == Division::floor && remainder != 0 && (remainder < 0) != (b < 0);
  return wrap ? remainder + b : remainder;
}

Folded fold(BinaryOp op, const Constant& lhs, const Constant& rhs, Division division) {
  if (const auto a = as_int(lhs), b = as_int(rhs); a && b) return fold_ints(op, *a, *b, division);
  if (const auto a = as_number(lhs), b = as_number(rhs); a && b) return fold_floats(op, *a, *b);
  const auto* text_a = std::get_if<std::string>(&lhs.value);
  const auto* text_b = std::get_if<std::string>(&rhs.value);
  if (op == BinaryOp::add && text_a != nullptr && text_b != nullptr) {
    return {Constant{*text_a + *text_b}, {}};
  }
  return {};
}

Folded fold(UnaryOp op, const Constant& operand) {
  if (op == UnaryOp::logical_not) {
    const auto value = truth(operand);
    return value ? known(!*value) : Folded{};
  }
  if (const auto value = as_int(operand)) {
    if (op == UnaryOp::invert) return known(~*value);
    return fold_ints(BinaryOp::sub, 0, *value, Division::floor);
  }
  const auto* value = std::get_if<double>(&operand.value);
  return value != nullptr && op == UnaryOp::negate ? known(-*value) : Folded{};
}

Folded fold(CompareOp op, const Constant& lhs, const Constant& rhs) {
  if (const auto a = as_int(lhs), b = as_int(rhs); a && b) return known(compare(op, *a, *b));
  if (const auto a = as_number(lhs), b = as_number(rhs); a && b) return known(compare(op, *a, *b));
  const auto* text_a = std::get_if<std::string>(&lhs.value);
  const auto* text_b = std::get_if<std::string>(&rhs.value);
  if (text_a != nullptr && text_b != nullptr) return known(compare(op, *text_a, *text_b));
  const bool symbolic = std::holds_alternative<DynamicDim>(lhs.value) ||
                        std::holds_alternative<DynamicDim>(rhs.value);
  if (symbolic) return {};
  if (op == CompareOp::eq) return known(lhs == rhs);
  if (op == CompareOp::ne) return known(!(lhs == rhs));
  return {};
}

Folded fold(LogicalOp op, const Constant& lhs, const Constant& rhs) {
  const auto a = truth(lhs);
  const auto b = truth(rhs);
  if (!a || !b) return {};
  return known(op == LogicalOp::logical_and ? *a && *b : *a || *b);
}

std::int64_t wrapped(std::int64_t value, isa::DType dtype) {
  switch (dtype) {
    case isa::DType::int8:
      return static_cast<std::int8_t>(value);
    case isa::DType::int16:
      return static_cast<std::int16_t>(value);
    case isa::DType::int32:
      return static_cast<std::int32_t>(value);
    case isa::DType::uint8:
      return static_cast<std::uint8_t>(value);
    case isa::DType::uint16:
      return static_cast<std::uint16_t>(value);
    case isa::DType::uint32:
      return static_cast<std::uint32_t>(value);
    default:
      return value;
  }
}

bool fits(const Constant& value, isa::DType dtype) {
  if (isa::is_float(dtype)) return as_number(value).has_value();
  const auto* integer = std::get_if<std::int64_t>(&value.value);
  if (integer == nullptr || !isa::is_integer(dtype)) return false;
  return wrapped(*integer, dtype) == *integer && (dtype != isa::DType::uint64 || *integer >= 0);
}

std::string_view spelling(BinaryOp op) {
  switch (op) {
    case BinaryOp::add:
      return "+";
    case BinaryOp::sub:
      return "-";
    case BinaryOp::mul:
      return "*";
    case BinaryOp::div:
      return "/";
    case BinaryOp::floordiv:
      return "//";
    case BinaryOp::mod:
      return "%";
    case BinaryOp::shift_left:
      return "<<";
    case BinaryOp::shift_right:
      return ">>";
  }
  return "?";
}

std::string_view spelling(CompareOp op) {
  switch (op) {
    case CompareOp::eq:
      return "==";
    case CompareOp::ne:
      return "!=";
    case CompareOp::lt:
      return "<";
    case CompareOp::le:
      return "<=";
    case CompareOp::gt:
      return ">";
    case CompareOp::ge:
      return ">=";
  }
  return "?";
}

std::string_view spelling(UnaryOp op) {
  switch (op) {
    case UnaryOp::negate:
      return "-";
    case UnaryOp::invert:
      return "~";
    case UnaryOp::logical_not:
      return "not";
  }
  return "?";
}

std::optional<bool> truth(const Constant& constant) {
  if (std::holds_alternative<NoneValue>(constant.value)) return false;
  if (const auto value = as_int(constant)) return *value != 0;
  if (const auto* value = std::get_if<double>(&constant.value)) return *value != 0.0;
  if (const auto* value = std::get_if<std::string>(&constant.value)) return !value->empty();
  if (const auto* value = std::get_if<ConstantList>(&constant.value)) return !value->empty();
  return std::nullopt;
}

std::string to_string(const Constant& constant) {
  struct Writer {
    std::string operator()(NoneValue) const { return "None"; }
    std::string operator()(bool value) const { return value ? "True" : "False"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return fmt::format("{}", value); }
    std::string operator()(const std::string& value) const { return '"' + value + '"'; }
    std::string operator()(isa::DType value) const { return "pl." + std::string(isa::name(value)); }
    std::string operator()(const EnumMember& value) const {
      return value.enumeration + "." + value.member;
    }
    std::string operator()(DynamicDim) const { return "a dynamic dimension"; }
    std::string operator()(const ConstantList& list) const {
      std::string text = "[";
      for (std::size_t i = 0; i < list.size(); ++i) {
        if (i > 0) text += ", ";
        text += to_string(list[i]);
      }
      return text + "]";
    }
  };
  return std::visit(Writer{}, constant.value);
}

}  // namespace a2a3::ir
