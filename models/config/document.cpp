// SPDX-License-Identifier: Apache-2.0
#include "models/config/document.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ir/utf8.hpp"
#include "ir/vocabulary.hpp"
#include "models/config/trim.hpp"

namespace a2a3::models {

const ConfigEntry* ConfigNode::find(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [key](const ConfigEntry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

std::string_view describe(ConfigNode::Kind kind) {
  switch (kind) {
    case ConfigNode::Kind::null:
      return "nothing";
    case ConfigNode::Kind::scalar:
      return "a single value";
    case ConfigNode::Kind::sequence:
      return "a list";
    case ConfigNode::Kind::mapping:
      return "a mapping";
  }
  return "";
}

namespace {

/// Index of the `#` that begins a comment at or after `from`, npos when there is none.
std::size_t comment_begin(std::string_view line, std::size_t from) {
  char quote = 0;
  for (std::size_t i = from; i < line.size(); ++i) {
    const char c = line[i];
    const char before = i == 0 ? ' ' : line[i - 1];
    if (quote != 0) {
      if (c == '\\' && quote == '"') ++i;
      if (c == quote) quote = 0;
    } else if ((c == '"' || c == '\'') &&
               (i == from || std::string_view(" \t,[{:").find(before) != std::string_view::npos)) {
      quote = c;
    } else if (c == '#' && (before == ' ' || before == '\t')) {
      return i;
    }
  }
  return std::string_view::npos;
}

}  // namespace

std::string trailing_comment(const ir::SourceLocation& value) {
  if (!value.known()) return {};
  const std::string_view line = value.file->line(value.line);
  std::size_t value_begin = 0;
  for (std::uint32_t column = 1; column < value.column && value_begin < line.size(); ++column) {
    value_begin += ir::utf8::decode(line, value_begin).bytes;
  }
  const std::size_t begin = comment_begin(line, value_begin);
  if (begin == std::string_view::npos) return {};
  std::string comment{trimmed(line.substr(begin + 1))};
  for (std::uint32_t next = value.line + 1;; ++next) {
    const std::string_view below = value.file->line(next);
    if (below.find_first_not_of(" \t") != begin || below[begin] != '#') return comment;
    comment += ' ';
    comment += trimmed(below.substr(begin + 1));
  }
}

void report_unknown_keys(const ConfigNode& mapping, std::string_view path,
                         const std::vector<std::string>& known, ir::Diagnostics& diagnostics) {
  for (const ConfigEntry& entry : mapping.entries) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    std::string message = path.empty() ? fmt::format("unknown key '{}'", entry.key)
                                       : fmt::format("unknown key '{}' in '{}'", entry.key, path);
    const std::string hint = ir::suggestion(entry.key, known);
    ir::Diagnostic& error = diagnostics.error(entry.key_location, message + hint);
    if (hint.empty()) {
      error.notes.push_back({fmt::format("known keys: {}", fmt::join(known, ", ")), {}});
    }
  }
}

}  // namespace a2a3::models
