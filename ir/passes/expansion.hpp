// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "ir/node.hpp"

namespace a2a3::ir {

/// The statements that take the place of one statement, written as text in the kernel language.
///
/// A name that the text assigns is a temporary: it gets a prefix of its own. A name that was bound
/// stands for an expression of the user's, which is put in its place. Every node is located at the
/// user's statement.
class Expansion {
 public:
  /// `prefix` starts the temporaries' names.
  Expansion(std::string prefix, SourceLocation location)
      : prefix_(std::move(prefix)), location_(location) {}

  /// From now on `name` in a text stands for `value`.
  void bind(const std::string& name, ExprPtr value);
  void bind(const std::string& name, std::int64_t value);
  /// Like bind, but evaluates the expression here, once.
  void let(const std::string& name, ExprPtr value);
  /// Appends statements. A text that does not parse is a fault of ours.
  void add(std::string_view text);
  /// A call written in the same way, to be put into a statement of the user's.
  [[nodiscard]] ExprPtr call(std::string_view text) const;

  /// A copy of what a bound name stands for.
  [[nodiscard]] ExprPtr value(const std::string& name) const { return clone(bound_.at(name)); }
  /// A name in the text as it stands in the statements: `_allreduce0_acc`.
  [[nodiscard]] std::string temporary(const std::string& name) const { return prefix_ + name; }
  [[nodiscard]] SourceLocation location() const { return location_; }
  /// What was added so far.
  [[nodiscard]] Block& statements() { return block_; }
  [[nodiscard]] Block take() { return std::move(block_); }

 private:
  std::string prefix_;
  SourceLocation location_;
  std::map<std::string, ExprPtr> bound_;
  std::set<std::string> temporaries_;
  Block block_;
};

/// The lines of `text`, each four blanks per level further right.
[[nodiscard]] std::string indented(std::string_view text, int levels = 1);

}  // namespace a2a3::ir
