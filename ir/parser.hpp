// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ir/diagnostic.hpp"
#include "ir/file.hpp"

namespace a2a3::ir {

/// Bounds on what is read; exceeding one is an error that names the option that raises it.
struct ParseLimits {
  std::uint64_t max_file_bytes = 16u << 20;  ///< --max-file-bytes
  std::uint32_t max_nesting = 200;           ///< --max-nesting: brackets, blocks and unary chains
};

struct ParsedFile {
  File file;
  Diagnostics diagnostics;
};

/// Reads the kernel-language part of a Python file. Undecorated Python is skipped block-wise;
/// everything wrong inside decorated functions, program classes and factories is reported, and
/// parsing goes on at the next statement.
[[nodiscard]] ParsedFile parse_file(SourceFilePtr source, const ParseLimits& limits = {});

struct ParsedExpression {
  ExprPtr expr;  ///< null when there were errors
  Diagnostics diagnostics;
};

/// Parses one expression that is the whole text, for example a golden.
[[nodiscard]] ParsedExpression parse_expression(SourceFilePtr source,
                                                const ParseLimits& limits = {});

}  // namespace a2a3::ir
