// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "ir/diagnostic.hpp"
#include "ir/utf8.hpp"

namespace a2a3::ir {
namespace {

// A longer line is cut to this many characters around the caret.
constexpr std::size_t kShownCharacters = 120;
constexpr std::size_t kShownBeforeCaret = 50;
constexpr std::string_view kCut = "...";
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::hint:
      return "hint";
    case Severity::note:
      return "note";
  }
  return "error";
}

// The text with everything that a terminal would obey replaced.
std::string printable(std::string_view text) {
  std::string result;
  for (std::size_t offset = 0; offset < text.size();) {
    const utf8::Decoded c = utf8::decode(text, offset);
    if (c.valid && (c.code_point == '\n' || !utf8::is_control(c.code_point))) {
      result += text.substr(offset, c.bytes);
    } else {
      result += kReplacement;
    }
    offset += c.bytes;
  }
  return result;
}

/// Characters [begin, end) of a line.
std::vector<utf8::Decoded> characters(std::string_view line, std::size_t begin, std::size_t end) {
  std::vector<utf8::Decoded> result;
  std::size_t offset = 0;
  for (std::size_t i = 0; i < end; ++i) {
    const utf8::Decoded c = utf8::decode(line, offset);
    offset += c.bytes;
    if (i >= begin) result.push_back(c);
  }
  return result;
}

bool shown_as_is(const utf8::Decoded& c) {
  return c.valid && !utf8::is_control(c.code_point);
}

int width(const utf8::Decoded& c) {
  return shown_as_is(c) ? utf8::display_width(c.code_point) : 1;
}

// The two lines that show a place: the source line, and a caret under the range.
std::string excerpt(const SourceLocation& at) {
  const std::string_view line = at.file->line(at.line);
  const std::size_t size = utf8::length(line);
  const std::size_t caret = std::min<std::size_t>(at.column > 0 ? at.column - 1 : 0, size);
  std::size_t begin = 0;
  std::size_t end = size;
  if (size > kShownCharacters) {
    begin = caret > kShownBeforeCaret ? caret - kShownBeforeCaret : 0;
    begin = std::min(begin, size - kShownCharacters);
    end = begin + kShownCharacters;
  }
  const std::vector<utf8::Decoded> shown = characters(line, begin, end);
  const std::size_t range_end = std::min<std::size_t>(caret + std::max(at.length, 1u), end);

  std::string text;
  std::string marks;
  if (begin > 0) {
    text += kCut;
    marks.append(kCut.size(), ' ');
  }
  for (std::size_t i = begin; i < end; ++i) {
    const utf8::Decoded& c = shown[i - begin];
    if (shown_as_is(c)) {
      utf8::append(text, c.code_point);
    } else {
      text += kReplacement;
    }
    if (i < caret) {
      if (c.code_point == '\t') {
        marks += '\t';
      } else {
        marks.append(static_cast<std::size_t>(width(c)), ' ');
      }
    } else if (i == caret) {
      marks += '^';
      marks.append(static_cast<std::size_t>(std::max(width(c), 1) - 1), '~');
    } else if (i < range_end) {
      marks.append(static_cast<std::size_t>(width(c)), '~');
    }
  }
  if (caret >= end) marks += '^';
  if (end < size) text += kCut;
  const std::string number = fmt::format("{:5}", at.line);
  return fmt::format("{} | {}\n{:{}} | {}\n", number, text, "", number.size(), marks);
}

std::string place(const SourceLocation& at) {
  if (!at.file) return "";
  if (!at.known()) return fmt::format("{}: ", printable(at.file->path()));
  return fmt::format("{}:{}:{}: ", printable(at.file->path()), at.line, at.column);
}

}  // namespace

std::string format(const Diagnostic& diagnostic) {
  std::string text = fmt::format("{}{}: {}\n", place(diagnostic.location),
                                 name(diagnostic.severity), printable(diagnostic.message));
  if (diagnostic.location.known()) text += excerpt(diagnostic.location);
  for (const Note& note : diagnostic.notes) {
    text += fmt::format("   {}note: {}\n", place(note.location), printable(note.message));
    if (note.location.known()) text += excerpt(note.location);
  }
  return text;
}

std::string format(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.all())
    text += format(diagnostic);
  return text;
}

}  // namespace a2a3::ir
