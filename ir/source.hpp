// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace a2a3::ir {

/// A text that was read, kernel file or YAML, kept for as long as locations point into it. A byte
/// order mark at its start is dropped. Lines end with LF, CRLF or CR.
class SourceFile {
 public:
  SourceFile(std::string path, std::string text);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string_view text() const { return text_; }
  /// The line's text without its newline; `line` counts from 1; empty past the end.
  [[nodiscard]] std::string_view line(std::uint32_t line) const;

 private:
  std::string path_;
  std::string text_;
  std::vector<std::size_t> line_begin_;
};

using SourceFilePtr = std::shared_ptr<const SourceFile>;

/// A range of characters on one line. Lines and columns count from 1, columns and lengths in code
/// points; line 0 means "no position".
struct SourceLocation {
  const SourceFile* file = nullptr;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t length = 1;

  [[nodiscard]] bool known() const { return file != nullptr && line != 0; }
  /// In the same file.
  [[nodiscard]] bool is_behind(const SourceLocation& other) const {
    return std::tie(line, column) > std::tie(other.line, other.column);
  }
};

}  // namespace a2a3::ir
