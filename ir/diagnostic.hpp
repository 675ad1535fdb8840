// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ir/source.hpp"

namespace a2a3::ir {

enum class Severity : std::uint8_t { error, warning, note, hint };

/// A line below a diagnostic; with a location it shows the place too.
struct Note {
  std::string message;
  SourceLocation location;
};

struct Diagnostic {
  Severity severity = Severity::error;
  SourceLocation location;
  std::string message;
  std::vector<Note> notes;
  bool unsupported = false;  ///< no mistake, but something that does not run here yet
};

/// Errors of one step beyond this number are counted, not shown.
inline constexpr std::size_t kMostErrors = 100;

/// Collects what a step found; steps go on after an error so that all errors of a file are
/// reported.
class Diagnostics {
 public:
  /// Adds an error and returns it, so that notes can be attached: `error(loc,
  /// "...").notes.push_back(...)`.
  Diagnostic& error(SourceLocation location, std::string message);
  Diagnostic& warning(SourceLocation location, std::string message);
  /// An error about what the language has and we do not run: `what` (with its verb: "slices are"),
  /// " not supported yet", where to read more, and what to do instead.
  Diagnostic& unsupported(SourceLocation location, const std::string& what,
                          const std::string& advice = {});
  void append(Diagnostics other);
  /// Keeps a text that locations point into alive as long as these diagnostics. Every step that
  /// gets a text to read does so first: its diagnostics may be all that is left of it.
  void keep(SourceFilePtr source);
  /// Keeps the texts that others keep, for locations taken from them.
  void keep_sources_of(const Diagnostics& others);
  /// Sorts by file position and drops repetitions of the same message at the same place.
  void sort();
  /// Drops the errors behind the first kMostErrors and says how many there were.
  void cap();

  [[nodiscard]] bool has_errors() const;
  [[nodiscard]] const std::vector<Diagnostic>& all() const { return items_; }

 private:
  std::vector<Diagnostic> items_;
  std::vector<SourceFilePtr> kept_sources_;
};

/// The diagnostic as the user sees it: `file:line:column: error: message`, the source line, a caret
/// under the range (tabs kept, long lines cut around the caret), then the notes. Ends with a
/// newline. Control characters are shown as U+FFFD.
[[nodiscard]] std::string format(const Diagnostic& diagnostic);
[[nodiscard]] std::string format(const Diagnostics& diagnostics);

}  // namespace a2a3::ir
