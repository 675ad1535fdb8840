// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/diagnostic.hpp"
#include "ir/elaborate.hpp"
#include "ir/file.hpp"

namespace a2a3::ir {

/// Something in a file that is a program, or makes one.
struct EntryCandidate {
  std::string name;
  std::string_view what;  ///< "host function", "program class", "factory"
  SourceLocation location;
  std::variant<ParsedFunction*, ParsedClass*, Factory*> item;
};

/// The programs of a file in source order.
[[nodiscard]] std::vector<EntryCandidate> entry_candidates(File& file);

/// The candidate that the options name, or the only one when they name none. Null, with an error
/// that lists the candidates, when that does not single one out.
[[nodiscard]] const EntryCandidate* choose_entry(const File& file,
                                                 const std::vector<EntryCandidate>& candidates,
                                                 const ElaborateOptions& options,
                                                 Diagnostics& diagnostics);

}  // namespace a2a3::ir
