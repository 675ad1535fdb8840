// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "ir/file.hpp"

namespace a2a3::ir {

/// Names that a function calls (`k(...)` and `self.k(...)`), wherever in its body.
[[nodiscard]] std::set<std::string> called_names(const Function& function);

/// Names of the dynamic dimensions written inline in a function's annotations.
[[nodiscard]] std::set<std::string> inline_dynamic_names(const Function& function);

}  // namespace a2a3::ir
