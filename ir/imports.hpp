// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/diagnostic.hpp"

namespace a2a3::ir {

class TokenCursor;

/// A name that an import statement binds.
struct ImportedName {
  std::string name;
  std::string module;  ///< what it stands for, dotted
  SourceLocation location;
};

/// What a file imports, wherever in it, and whether it uses the names of the kernel language.
struct Imports {
  std::vector<ImportedName> names;
  bool unknown = false;  ///< from ... import *
  std::optional<SourceLocation> first_pl;
  std::optional<SourceLocation> first_pld;
};

/// Reads them from the cursor to the end of the file.
[[nodiscard]] Imports find_imports(TokenCursor cursor);

/// The language is read by the names pl and pld. Errors: they stand for other modules, or the
/// language has other names. A warning: they are used and nothing imports them.
void check_imports(const Imports& imports, Diagnostics& diagnostics);

}  // namespace a2a3::ir
