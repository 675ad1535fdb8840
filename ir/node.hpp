// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ir/collective_note.hpp"
#include "ir/constant.hpp"
#include "ir/source.hpp"
#include "ir/type.hpp"

namespace a2a3::ir {

struct OpInfo;
struct Function;

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

/// Index of a variable in its function's slot table; parameters come first.
using Slot = std::int32_t;
inline constexpr Slot kNoSlot = -1;

struct IntLiteral {
  std::int64_t value = 0;
};
struct FloatLiteral {
  double value = 0.0;
  std::string text;  ///< as written, so that printing keeps it
};
struct StringLiteral {
  std::string value;
};
struct BoolLiteral {
  bool value = false;
};
struct NoneLiteral {};

/// A bare name. The checker resolves it to a slot, or to a constant (`Expr::constant`) when it is
/// captured. An empty id stands for an expression that did not parse: the error was reported, its
/// type is unknown.
struct Name {
  std::string id;
  Slot slot = kNoSlot;
};

/// `object.attribute`: dotted names such as pl.FP32 or pld.tensor.put, and methods of constants
/// such as pl.FP32.get_byte.
struct Attribute {
  ExprPtr object;
  std::string attribute;
};

struct Keyword {
  std::string name;
  ExprPtr value;
  SourceLocation location;  ///< of the keyword's name
};

/// A call. After checking exactly one of `op` and `function` is set, and for an op `operands[i]` is
/// the index of its i-th formal parameter's expression: n >= 0 is args[n], -1 means absent (the
/// default holds), n <= -2 is keywords[-n - 2].
struct Call {
  ExprPtr callee;
  std::vector<ExprPtr> args;
  std::vector<Keyword> keywords;
  const OpInfo* op = nullptr;
  const Function* function = nullptr;
  std::vector<std::int32_t> operands;
  /// Set by a pass: the lowering of a collective begins here.
  std::shared_ptr<const CollectiveNote> collective;
  /// Set by a pass: for whom it reshapes, in messages ("pld.tensor.allreduce target").
  std::string reshape_of;

  /// The expression given for the i-th formal parameter of `op`; nullptr when absent.
  [[nodiscard]] const Expr* operand(std::size_t index) const;
};

enum class UnaryOp : std::uint8_t { negate, invert, logical_not };
struct Unary {
  UnaryOp op = UnaryOp::negate;
  ExprPtr operand;
};

enum class BinaryOp : std::uint8_t { add, sub, mul, div, floordiv, mod, shift_left, shift_right };
struct Binary {
  BinaryOp op = BinaryOp::add;
  ExprPtr lhs;
  ExprPtr rhs;
};

enum class CompareOp : std::uint8_t { eq, ne, lt, le, gt, ge };
struct Compare {
  CompareOp op = CompareOp::eq;
  ExprPtr lhs;
  ExprPtr rhs;
};

enum class LogicalOp : std::uint8_t { logical_and, logical_or };
struct Logical {
  LogicalOp op = LogicalOp::logical_and;
  ExprPtr lhs;
  ExprPtr rhs;
};

/// `(a, b)`, `[a, b]`, and the unparenthesised tuple of `return a, b`.
struct Sequence {
  enum class Kind : std::uint8_t { tuple, list };
  Kind kind = Kind::tuple;
  std::vector<ExprPtr> items;
};

/// `lower:upper` inside a subscript; either side may be absent.
struct Slice {
  ExprPtr lower;
  ExprPtr upper;
};

struct Subscript {
  ExprPtr object;
  std::vector<ExprPtr> indices;
};

struct Expr {
  std::variant<IntLiteral, FloatLiteral, StringLiteral, BoolLiteral, NoneLiteral, Name, Attribute,
               Call, Unary, Binary, Compare, Logical, Sequence, Slice, Subscript>
      node;
  SourceLocation location;
  /// Set by the checker.
  Type type;
  /// Set by the checker when the value is known before the run (literals, captured names, enum
  /// members, dtypes, folded arithmetic over them).
  std::optional<Constant> constant;
};

/// An expression of this node that stands for the text at `location`.
[[nodiscard]] ExprPtr make_expr(decltype(Expr::node) node, SourceLocation location);

/// A deep copy, with what the checker has set.
[[nodiscard]] ExprPtr clone(const Expr& expr);
/// clone(), and null for null.
[[nodiscard]] ExprPtr clone(const ExprPtr& expr);

/// True for the placeholder of an expression that did not parse.
[[nodiscard]] bool is_unparsed(const Expr& expr);

struct Stmt;
using Block = std::vector<Stmt>;

/// An annotation as written; the checker turns it into a Type.
struct TypeExpr {
  ExprPtr expr;
};

/// Target of an assignment: one name, several names (from a call with a tuple result), or an
/// element of something.
struct Assign {
  std::vector<Name> names;  ///< empty for a subscript target
  std::vector<SourceLocation> name_locations;
  ExprPtr subscript;  ///< a Subscript expression; null for names
  std::optional<TypeExpr> annotation;
  ExprPtr value;
};

enum class LoopKind : std::uint8_t { range, parallel, unroll, pipeline, while_, spmd, split_aiv };

/// `for i in pl.range(...)`, with `init_values` also `for i, (a, b) in pl.range(...,
/// init_values=(a0, b0))`.
struct For {
  LoopKind kind = LoopKind::range;
  Name index;  ///< id empty for pl.while_
  SourceLocation index_location;
  std::vector<Name> carried;  ///< names of the explicit form
  ExprPtr iterator;           ///< the whole call as written, for printing and keywords
  ExprPtr start, stop, step;  ///< filled by the checker; start and step may be null (0 and 1)
  std::vector<ExprPtr> init_values;  ///< copies of the items of the iterator's `init_values`
  Block body;
};

struct While {
  ExprPtr condition;
  Block body;
};

struct If {
  ExprPtr condition;
  Block then_body;
  Block else_body;             ///< an `elif` is an If as the only statement here
  bool is_elif_chain = false;  ///< else_body was written as `elif`
};

struct With {
  ExprPtr manager;
  std::optional<Name> as;
  Block body;
};

struct Return {
  ExprPtr value;  ///< null for a bare return
};

struct ExprStmt {
  ExprPtr value;
};

struct Pass {};
struct Break {};
struct Continue {};

struct Stmt {
  std::variant<Assign, For, While, If, With, Return, ExprStmt, Pass, Break, Continue> node;
  SourceLocation location;
};

}  // namespace a2a3::ir
