// SPDX-License-Identifier: Apache-2.0
#include "ir/check/op_call.hpp"

#include <algorithm>

#include "ir/fold.hpp"
#include "ir/vocabulary.hpp"

namespace a2a3::ir {

std::string OpCall::spelled() const {
  return dotted_name(*call_.callee).value_or(std::string(op_.name));
}

bool OpCall::has(std::size_t i) const {
  const Expr* expr = call_.operand(i);
  return expr != nullptr && !std::holds_alternative<NoneLiteral>(expr->node);
}

Expr& OpCall::operand(std::size_t i) const {
  const std::int32_t place = call_.operands.at(i);
  return place >= 0 ? *call_.args.at(static_cast<std::size_t>(place))
                    : *call_.keywords.at(static_cast<std::size_t>(-place - 2)).value;
}

const Type& OpCall::type(std::size_t i) const {
  static const Type unknown;
  const Expr* expr = call_.operand(i);
  return expr == nullptr ? unknown : expr->type;
}

std::string OpCall::parameter(std::size_t i) const {
  return std::string(op_.parameters[i].name);
}

Diagnostic& OpCall::error(std::size_t i, std::string message) {
  const Expr* expr = call_.operand(i);
  return checker_.error(expr == nullptr ? call_.callee->location : expr->location,
                        std::move(message));
}

Diagnostic& OpCall::error(std::string message) {
  return checker_.error(call_.callee->location, std::move(message));
}

std::string OpCall::shown_type(std::size_t i) {
  return checker_.show_value(operand(i));
}

bool OpCall::expect(bool holds, std::size_t i, const std::string& message) {
  if (holds) return true;
  if (call_.operand(i) != nullptr && type(i).kind != TypeKind::unknown) {
    // Some texts of the real compiler end in "..., but got T".
    error(i, message + (message.ends_with(", but") ? " got " : ", got ") + shown_type(i));
  }
  return false;
}

bool OpCall::is_window(std::size_t i, const std::string& message) {
  return expect(type(i).kind == TypeKind::distributed_tensor, i, message);
}

bool OpCall::is_tensor_like(std::size_t i, const std::string& message) {
  return expect(type(i).is_tensor_like(), i, message);
}

bool OpCall::is_tile(std::size_t i, const std::string& message) {
  return expect(type(i).kind == TypeKind::tile, i, message);
}

bool OpCall::is_scalar(std::size_t i, const std::string& message) {
  return expect(type(i).kind == TypeKind::scalar, i, message);
}

bool OpCall::is_integer_scalar(std::size_t i, const std::string& message) {
  return expect(type(i).kind == TypeKind::scalar && isa::is_integer(type(i).dtype), i, message);
}

std::optional<std::vector<Dim>> OpCall::dims(std::size_t i, const std::string& name) {
  if (!has(i)) return std::nullopt;
  Expr& list = operand(i);
  auto* sequence = std::get_if<Sequence>(&list.node);
  if (sequence == nullptr) {
    if (list.type.kind != TypeKind::unknown) {
      error(i, name + " " + parameter(i) + " must be a tuple (MakeTuple of scalars), got " +
                   shown_type(i));
    }
    return std::nullopt;
  }
  std::vector<Dim> dims;
  bool good = true;
  for (std::size_t item = 0; item < sequence->items.size(); ++item) {
    Expr& expr = *sequence->items[item];
    if (expr.type.kind == TypeKind::scalar && isa::is_integer(expr.type.dtype)) {
      dims.push_back(dim_of(expr));
      // Passes see what the rule sees: a variable may have one value that is known.
      if (const auto value = dims.back().constant()) expr.constant = Constant{*value};
      continue;
    }
    good = false;
    if (expr.type.kind != TypeKind::unknown) {
      checker_.error(expr.location, name + " " + parameter(i) + "[" + std::to_string(item) +
                                        "] must be an integer or index scalar, got " +
                                        show(expr.type));
    }
  }
  if (!good) return std::nullopt;
  return dims;
}

SourceLocation OpCall::item_location(std::size_t i, std::size_t item) const {
  if (!has(i)) return call_.callee->location;
  const Expr& list = operand(i);
  const auto* sequence = std::get_if<Sequence>(&list.node);
  if (sequence == nullptr || item >= sequence->items.size()) return list.location;
  return sequence->items[item]->location;
}

std::optional<std::int64_t> OpCall::constant_int(std::size_t i, std::int64_t otherwise,
                                                 const std::string& name) {
  if (!has(i)) return otherwise;
  const Expr& expr = operand(i);
  const auto* value = expr.constant ? std::get_if<std::int64_t>(&expr.constant->value) : nullptr;
  if (value != nullptr) return *value;
  if (expr.type.kind != TypeKind::unknown) {
    error(i, name + " " + parameter(i) + " must be a constant integer, got " + shown_type(i));
  }
  return std::nullopt;
}

std::optional<bool> OpCall::constant_bool(std::size_t i, bool otherwise, const std::string& name) {
  if (!has(i)) return otherwise;
  const Expr& expr = operand(i);
  const auto* value = expr.constant ? std::get_if<bool>(&expr.constant->value) : nullptr;
  if (value != nullptr) return *value;
  if (expr.type.kind != TypeKind::unknown) {
    error(i, name + " " + parameter(i) + " must be True or False, got " + shown_type(i));
  }
  return std::nullopt;
}

std::optional<isa::DType> OpCall::dtype(std::size_t i, const std::string& name) {
  if (!has(i)) return std::nullopt;
  const Expr& expr = operand(i);
  const auto* value = expr.constant ? std::get_if<isa::DType>(&expr.constant->value) : nullptr;
  if (value != nullptr) return *value;
  if (expr.type.kind != TypeKind::unknown) {
    error(i, name + " " + parameter(i) + " must be a dtype, for example pl.FP32; got " +
                 shown_type(i));
  }
  return std::nullopt;
}

std::optional<EnumMember> OpCall::member(std::size_t i, std::string_view enumeration,
                                         std::string_view otherwise, const std::string& message) {
  if (!has(i)) return enum_member(enumeration, otherwise);
  Expr& expr = operand(i);
  if (expr.type.kind == TypeKind::unknown) return std::nullopt;
  if (expr.constant) {
    if (const auto* written = std::get_if<EnumMember>(&expr.constant->value)) {
      if (written->enumeration == enumeration) return *written;
    } else if (const auto* value = std::get_if<std::int64_t>(&expr.constant->value)) {
      if (auto found = enum_member(enumeration, *value)) {
        expr.constant = Constant{*found};
        expr.type = Type::of(TypeKind::constant);
        return found;
      }
      error(i, message + " (got int " + std::to_string(*value) + ")");
      return std::nullopt;
    }
  }
  error(i, message + " (got " + shown_type(i) + ")");
  return std::nullopt;
}

void OpCall::skip_operand(std::size_t i) {
  call_.operands.insert(call_.operands.begin() + static_cast<std::ptrdiff_t>(i), -1);
  const auto first_keyword_only =
      static_cast<std::size_t>(std::find_if(op_.parameters.begin(), op_.parameters.end(),
                                            [](const OpParameter& p) { return p.keyword_only; }) -
                               op_.parameters.begin());
  call_.operands.erase(call_.operands.begin() + static_cast<std::ptrdiff_t>(first_keyword_only));
}

Type OpCall::result_is(std::size_t i) {
  if (has(i)) checker_.set_origin(expr_, checker_.origin_of(operand(i)));
  return type(i);
}

}  // namespace a2a3::ir
