// SPDX-License-Identifier: Apache-2.0
#include "tools/placed_diagnostics.hpp"

#include <string_view>
#include <utility>

#include "ir/utf8.hpp"

namespace a2a3::tools {
namespace {

/// A place in a specification's text as a place in the run file that holds it. A text that does not
/// stand there on one line, letter by letter, is shown as a whole.
ir::SourceLocation place_in_run_file(const SpecText& spec, const ir::SourceLocation& at) {
  const std::string_view line = spec.location.file->line(spec.location.line);
  std::size_t begin = 0;
  for (std::uint32_t column = 1; column < spec.location.column && begin < line.size(); ++column)
    begin += ir::utf8::decode(line, begin).bytes;
  const std::size_t text = line.find(spec.text, begin);
  const bool quoted = text == begin + 1;
  if (at.line != 1 || (text != begin && !quoted)) return spec.location;
  ir::SourceLocation place = spec.location;
  place.column += at.column - 1 + (quoted ? 1 : 0);
  place.length = at.length;
  return place;
}

}  // namespace

void append_placed(const SpecText& spec, ir::Diagnostics found, ir::Diagnostics& diagnostics) {
  if (!spec.location.known()) return diagnostics.append(std::move(found));
  const auto place = [&spec](const ir::SourceLocation& at) {
    const bool in_spec = at.file != nullptr && at.file->path() == spec.shown_as;
    return in_spec ? place_in_run_file(spec, at) : at;
  };
  diagnostics.keep_sources_of(found);
  for (const ir::Diagnostic& one : found.all()) {
    ir::Diagnostic& placed = diagnostics.error(place(one.location), one.message);
    placed.severity = one.severity;
    placed.unsupported = one.unsupported;
    for (const ir::Note& note : one.notes)
      placed.notes.push_back({note.message, place(note.location)});
  }
}

}  // namespace a2a3::tools
