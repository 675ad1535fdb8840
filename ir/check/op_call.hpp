// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/check/function_checker.hpp"

namespace a2a3::ir {

/// One call of an operation, with its operands bound and their types known, as its rule sees it.
/// The reading functions report what is wrong with an operand, at the operand, and stay silent
/// about operands that were reported already (type unknown).
class OpCall {
 public:
  OpCall(FunctionChecker& checker, Expr& expr, Call& call, const OpInfo& op)
      : checker_(checker), expr_(expr), call_(call), op_(op) {}

  [[nodiscard]] const OpInfo& op() const { return op_; }
  [[nodiscard]] Expr& expr() { return expr_; }
  [[nodiscard]] const Call& call() const { return call_; }
  [[nodiscard]] FunctionChecker& checker() { return checker_; }
  [[nodiscard]] Module& module() { return checker_.module(); }
  /// The operation's name as the user wrote it.
  [[nodiscard]] std::string spelled() const;

  /// The operand was given and is not None.
  [[nodiscard]] bool has(std::size_t i) const;
  /// The operand's expression; only when has(i).
  [[nodiscard]] Expr& operand(std::size_t i) const;
  /// The operand's type; unknown when it is absent.
  [[nodiscard]] const Type& type(std::size_t i) const;
  [[nodiscard]] std::string parameter(std::size_t i) const;

  Diagnostic& error(std::size_t i, std::string message);  ///< at the operand, or the call if absent
  Diagnostic& error(std::string message);                 ///< at the call
  [[nodiscard]] std::string show(const Type& type) { return module().describe(type); }
  [[nodiscard]] std::string show(const Dim& dim) { return module().describe(dim); }
  /// The operand's type in words, or what stands there ("a list", "a string").
  [[nodiscard]] std::string shown_type(std::size_t i);

  /// Each `is_*` is true when the operand has that kind; otherwise it reports `message` followed by
  /// ", got T" (unless the operand is unknown) and returns false.
  bool is_window(std::size_t i, const std::string& message);
  bool is_tensor_like(std::size_t i, const std::string& message);
  bool is_tile(std::size_t i, const std::string& message);
  bool is_scalar(std::size_t i, const std::string& message);
  bool is_integer_scalar(std::size_t i, const std::string& message);

  /// The items of a list or tuple of integer scalars; nothing when it is not one (reported with
  /// `name`, the operation's name in texts).
  std::optional<std::vector<Dim>> dims(std::size_t i, const std::string& name);
  [[nodiscard]] SourceLocation item_location(std::size_t i, std::size_t item) const;

  /// Constant operands; absent gives `otherwise`, a value of another kind is reported.
  std::optional<std::int64_t> constant_int(std::size_t i, std::int64_t otherwise,
                                           const std::string& name);
  std::optional<bool> constant_bool(std::size_t i, bool otherwise, const std::string& name);
  std::optional<isa::DType> dtype(std::size_t i, const std::string& name);
  /// An enum operand, also written as its integer; `message` is followed by " (got ...)". The
  /// operand's constant becomes the member.
  std::optional<EnumMember> member(std::size_t i, std::string_view enumeration,
                                   std::string_view otherwise, const std::string& message);

  [[nodiscard]] Dim dim_of(const Expr& expr) { return checker_.dim_of(expr); }
  [[nodiscard]] Origin origin(std::size_t i) const { return checker_.origin_of(operand(i)); }
  /// Operand i was left out in the middle: the positional operands from it on move one up.
  void skip_operand(std::size_t i);
  /// The result is the buffer of operand i, and has its type.
  Type result_is(std::size_t i);
  void set_constant(Constant constant) { expr_.constant = std::move(constant); }

 private:
  bool expect(bool holds, std::size_t i, const std::string& message);

  FunctionChecker& checker_;
  Expr& expr_;
  Call& call_;
  const OpInfo& op_;
};

}  // namespace a2a3::ir
