// SPDX-License-Identifier: Apache-2.0
#include "interp/dependences.hpp"

#include <algorithm>

namespace a2a3::interp {
namespace {

void add(std::vector<std::uint32_t>& launches, std::uint32_t launch) {
  if (launches.empty() || launches.back() != launch) launches.push_back(launch);
}

}  // namespace

/// The first piece at or behind `at`; a piece that spans it is cut in two.
Dependences::Pieces::iterator Dependences::cut(Pieces& pieces, std::uint64_t at) {
  const auto behind = pieces.lower_bound(at);
  if (behind == pieces.begin()) return behind;
  const auto before = std::prev(behind);
  if (before->second.end <= at) return behind;
  const auto rest = pieces.emplace_hint(behind, at, before->second);
  before->second.end = at;
  return rest;
}

void Dependences::access(std::uint32_t launch, const Range& range, std::set<std::uint32_t>& after) {
  if (range.begin >= range.end) return;
  const auto memory = memories_.find(range.memory);
  if (memory != memories_.end()) {
    Pieces& pieces = memory->second;
    const auto end = cut(pieces, range.end);
    for (auto piece = cut(pieces, range.begin); piece != end; ++piece) {
      after.insert(piece->second.writers.begin(), piece->second.writers.end());
      if (range.write) after.insert(piece->second.readers.begin(), piece->second.readers.end());
    }
    after.erase(launch);  // another block's access
  }
  if (scopes_ > 0) {
    held_.push_back({launch, range});
  } else {
    record(launch, range, false);
  }
}

/// `keep_writers`: the launches of a scope have no order among each other, so that a write does not
/// stand for those before it.
void Dependences::record(std::uint32_t launch, const Range& range, bool keep_writers) {
  Pieces& pieces = memories_[range.memory];
  const auto end = cut(pieces, range.end);
  auto piece = cut(pieces, range.begin);
  std::uint64_t at = range.begin;
  while (at < range.end) {
    if (piece == end || piece->first > at) {
      const std::uint64_t until = piece == end ? range.end : std::min(range.end, piece->first);
      piece = pieces.emplace_hint(piece, at, Piece{until, {}, {}});
    }
    Piece& now = piece->second;
    if (!range.write) {
      add(now.readers, launch);
    } else if (keep_writers || (!now.writers.empty() && now.writers.back() == launch)) {
      add(now.writers, launch);
    } else {
      now.writers.assign(1, launch);
      now.readers.clear();
    }
    at = now.end;
    ++piece;
  }
}

void Dependences::close_scope() {
  if (--scopes_ > 0) return;
  for (const Held& held : held_)
    record(held.launch, held.range, true);
  held_.clear();
}

}  // namespace a2a3::interp
