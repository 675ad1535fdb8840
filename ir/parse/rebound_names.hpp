// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ir/parse/token_cursor.hpp"

namespace a2a3::ir {

struct ReboundName {
  std::string name;
  SourceLocation location;
};

/// The names that Python statements from the cursor up to the token `end` bind, or whose object
/// they may change in place: targets of assignments, for, with, except, import and del, and the
/// receiver of a method call that is a statement. Bodies of functions and classes do not count.
[[nodiscard]] std::vector<ReboundName> rebound_names(TokenCursor cursor, std::size_t end);

}  // namespace a2a3::ir
