// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir/node.hpp"

namespace a2a3::ir {

struct NameRead {
  std::string id;
  SourceLocation location;
};

/// How a stretch of statements uses names, whatever they stand for.
struct NameUse {
  /// Read where they are not surely assigned in these statements; once each, in the order of the
  /// first such read.
  std::vector<NameRead> captured;
  std::set<std::string> assigned;         ///< somewhere
  std::set<std::string> surely_assigned;  ///< on every path to the end
  std::vector<SourceLocation> returns;    ///< the return statements
};

/// `given` are names with a value at the start, such as a loop's variable.
[[nodiscard]] NameUse name_use(const Block& block, const std::set<std::string>& given = {});

/// All reads of names in an expression.
[[nodiscard]] std::vector<NameRead> name_reads(const Expr& expr);

}  // namespace a2a3::ir
