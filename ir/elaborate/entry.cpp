// SPDX-License-Identifier: Apache-2.0
#include "ir/elaborate/entry.hpp"

#include <iterator>
#include <set>

#include "ir/elaborate/decorators.hpp"
#include "ir/elaborate/factory.hpp"
#include "ir/vocabulary.hpp"

namespace a2a3::ir {
namespace {

void list_candidates(const std::vector<EntryCandidate>& candidates, Diagnostic& error) {
  for (const EntryCandidate& candidate : candidates) {
    error.notes.push_back({"--entry " + candidate.name + " (" + std::string(candidate.what) + ")",
                           candidate.location});
  }
}

/// Of candidates with one name the last is the one that Python keeps.
void keep_last_definitions(std::vector<EntryCandidate>& candidates) {
  std::set<std::string> later;
  std::vector<EntryCandidate> kept;
  for (auto it = candidates.rbegin(); it != candidates.rend(); ++it) {
    if (later.insert(it->name).second) kept.push_back(std::move(*it));
  }
  candidates.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
}

/// A file without a program: says which piece is missing.
void report_no_program(const File& file, Diagnostics& diagnostics) {
  const ParsedFunction* function = nullptr;
  const std::size_t before = diagnostics.all().size();
  for (const auto& item : file.items) {
    const auto* parsed = std::get_if<ParsedFunction>(&item);
    if (parsed == nullptr) continue;
    if (function == nullptr) function = parsed;
    (void)function_kind(*parsed, diagnostics);  // its decorator may be misspelt
  }
  if (diagnostics.all().size() != before) return;
  SourceLocation location;
  location.file = file.source.get();
  if (function == nullptr) {
    diagnostics.error(location,
                      "no program here: a kernel file has a host function (@pl.jit.host), a "
                      "@pl.program class, or a factory that returns one");
    return;
  }
  diagnostics.error(function->function.location,
                    "no host function (@pl.jit.host) here: the host function allocates the "
                    "windows and loops over the ranks, a per-device function (@pl.jit) wraps the "
                    "kernels, and a kernel (@pl.jit.incore) runs on a core");
}

}  // namespace

std::vector<EntryCandidate> entry_candidates(File& file) {
  std::vector<EntryCandidate> candidates;
  for (auto& item : file.items) {
    if (auto* function = std::get_if<ParsedFunction>(&item)) {
      if (function_kind(*function) == FunctionKind::host) {
        candidates.push_back(
            {function->function.name, "host function", function->function.location, function});
      }
    } else if (auto* program = std::get_if<ParsedClass>(&item)) {
      candidates.push_back({program->name, "program class", program->location, program});
    } else if (auto* factory = std::get_if<Factory>(&item)) {
      if (makes_program(*factory)) {
        candidates.push_back({factory->name, "factory", factory->location, factory});
      }
    }
  }
  keep_last_definitions(candidates);
  return candidates;
}

const EntryCandidate* choose_entry(const File& file, const std::vector<EntryCandidate>& candidates,
                                   const ElaborateOptions& options, Diagnostics& diagnostics) {
  const std::string& wanted = options.entry;
  if (candidates.empty()) {
    if (!options.has_losses) report_no_program(file, diagnostics);
    return nullptr;
  }
  SourceLocation location;
  location.file = file.source.get();
  if (wanted.empty()) {
    if (candidates.size() == 1) return &candidates.front();
    if (options.entry_lost) return nullptr;
    list_candidates(candidates,
                    diagnostics.error(location, "several programs here: choose one with --entry"));
    return nullptr;
  }
  const EntryCandidate* found = nullptr;
  std::vector<std::string> names;
  for (const EntryCandidate& candidate : candidates) {
    names.push_back(candidate.name);
    if (candidate.name == wanted) found = &candidate;
  }
  if (found == nullptr && !options.has_losses) {
    list_candidates(candidates, diagnostics.error(location, "no program '" + wanted + "' here" +
                                                                suggestion(wanted, names)));
  }
  return found;
}

}  // namespace a2a3::ir
