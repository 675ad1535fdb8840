// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "ir/diagnostic.hpp"
#include "ir/file.hpp"

namespace a2a3::ir {

/// Bounds on what is read; exceeding one is an error that names the option that raises it.
struct ParseLimits {
  std::uint64_t max_file_bytes = 4u << 20;  ///< --max-file-bytes
  /// --max-nesting: brackets, blocks, and operations within one expression; values above
  /// kDeepestNesting count as that.
  std::uint32_t max_nesting = 200;
};

/// What the stack is good for.
inline constexpr std::uint32_t kDeepestNesting = 500;

struct ParsedFile {
  File file;
  Diagnostics diagnostics;
};

/// Reads the kernel-language part of a Python file. Undecorated Python is skipped block-wise;
/// everything wrong inside decorated functions, program classes and factories is reported, and
/// parsing goes on at the next statement.
[[nodiscard]] ParsedFile parse_file(SourceFilePtr source, const ParseLimits& limits = {});

struct ParsedBlock {
  Block block;
  Diagnostics diagnostics;
};

/// Parses statements of a function body, not indented, that are the whole text.
[[nodiscard]] ParsedBlock parse_block(const SourceFile& source, const ParseLimits& limits = {});

struct ParsedExpression {
  ExprPtr expr;  ///< null when there were errors
  Diagnostics diagnostics;
};

/// Parses one expression that is the whole text, for example a golden.
[[nodiscard]] ParsedExpression parse_expression(SourceFilePtr source,
                                                const ParseLimits& limits = {});

}  // namespace a2a3::ir
