// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ir/module.hpp"
#include "tools/report/text_diff.hpp"

namespace a2a3::tools {

/// New names by the old ones.
using Renames = std::map<std::string, std::string, std::less<>>;

/// The lines with every word that has a new name replaced by it.
[[nodiscard]] Lines renamed(Lines lines, const Renames& names);

/// One function of a printed module.
struct PrintedFunction {
  std::string name;
  std::string decorator;
  Lines lines;  ///< signature and body, without the module's indentation
};

/// The functions of a lowered module as text to be compared. Temporaries of a lowering lose their
/// prefix, what a kernel calls its rank, rank count and context is written `rank`, `nranks` and
/// `ctx`, and these are asked for once.
[[nodiscard]] std::vector<PrintedFunction> comparable_functions(const ir::Module& module);

/// Functions that correspond: of one name, else of one kind in order. A partner that is missing is
/// nullptr.
using FunctionPair = std::pair<const PrintedFunction*, const PrintedFunction*>;
[[nodiscard]] std::vector<FunctionPair> pair_functions(const std::vector<PrintedFunction>& left,
                                                       const std::vector<PrintedFunction>& right);

}  // namespace a2a3::tools
