// SPDX-License-Identifier: Apache-2.0
#include "ir/diagnostic.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace a2a3::ir {
namespace {

// Diagnostics without a position come first, then those of one file together, by position.
auto position(const Diagnostic& diagnostic) {
  const SourceLocation& at = diagnostic.location;
  return std::tuple(at.file ? std::string_view(at.file->path()) : std::string_view(), at.line,
                    at.column);
}

bool same(const Diagnostic& a, const Diagnostic& b) {
  return a.severity == b.severity && position(a) == position(b) && a.message == b.message;
}

}  // namespace

Diagnostic& Diagnostics::error(SourceLocation location, std::string message) {
  return items_.emplace_back(Diagnostic{Severity::error, location, std::move(message), {}, false});
}

Diagnostic& Diagnostics::warning(SourceLocation location, std::string message) {
  return items_.emplace_back(
      Diagnostic{Severity::warning, location, std::move(message), {}, false});
}

Diagnostic& Diagnostics::unsupported(SourceLocation location, const std::string& what,
                                     const std::string& advice) {
  Diagnostic& diagnostic = error(location, what + " not supported yet; see docs/coverage.md" +
                                               (advice.empty() ? "" : "; " + advice));
  diagnostic.unsupported = true;
  return diagnostic;
}

void Diagnostics::append(Diagnostics other) {
  items_.insert(items_.end(), std::make_move_iterator(other.items_.begin()),
                std::make_move_iterator(other.items_.end()));
  std::move(other.kept_sources_.begin(), other.kept_sources_.end(),
            std::back_inserter(kept_sources_));
}

void Diagnostics::keep(SourceFilePtr source) {
  kept_sources_.push_back(std::move(source));
}

void Diagnostics::keep_sources_of(const Diagnostics& others) {
  kept_sources_.insert(kept_sources_.end(), others.kept_sources_.begin(),
                       others.kept_sources_.end());
}

void Diagnostics::sort() {
  std::stable_sort(items_.begin(), items_.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return position(a) < position(b);
  });
  // Of equal ones the first stays; they need not be neighbours among those at one place.
  std::vector<Diagnostic> kept;
  std::size_t group = 0;
  for (Diagnostic& item : items_) {
    if (!kept.empty() && position(kept.back()) != position(item)) group = kept.size();
    const auto begin = kept.begin() + static_cast<std::ptrdiff_t>(group);
    if (std::none_of(begin, kept.end(), [&](const Diagnostic& k) { return same(k, item); })) {
      kept.push_back(std::move(item));
    }
  }
  items_ = std::move(kept);
}

void Diagnostics::cap() {
  std::size_t errors = 0;
  SourceLocation first_dropped;
  std::erase_if(items_, [&](const Diagnostic& item) {
    if (item.severity != Severity::error || ++errors <= kMostErrors) return false;
    if (errors == kMostErrors + 1) first_dropped = item.location;
    return true;
  });
  if (errors <= kMostErrors) return;
  error(first_dropped, "and " + std::to_string(errors - kMostErrors) + " more errors");
}

bool Diagnostics::has_errors() const {
  return std::any_of(items_.begin(), items_.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::error; });
}

}  // namespace a2a3::ir
