// SPDX-License-Identifier: Apache-2.0
#include "isa/order/shadow_memory.hpp"

#include <algorithm>

namespace a2a3::isa {
namespace {

/// Keeps the last access of each thread.
void remember(PerThread<AccessRecord>& accesses, const AccessRecord& one) {
  const auto [known, is_new] = accesses.enter(one);
  if (!is_new && known.index <= one.index) known = one;
}

bool equal_records(const PerThread<AccessRecord>& a, const PerThread<AccessRecord>& b) {
  return std::ranges::equal(a, b, [](const AccessRecord& x, const AccessRecord& y) {
    return x.same_place(y) && x.had_data == y.had_data;
  });
}

bool equal_records(const std::optional<AccessRecord>& a, const std::optional<AccessRecord>& b) {
  return a.has_value() == b.has_value() && (!a || a->same_place(*b));
}

}  // namespace

/// The first piece at or behind `at`; a piece that spans it is cut in two.
ShadowMemory::Pieces::iterator ShadowMemory::cut(std::uint64_t at) {
  const auto behind = pieces_.lower_bound(at);
  if (behind == pieces_.begin() || (behind != pieces_.end() && behind->first == at)) return behind;
  const auto before = std::prev(behind);
  if (before->second.end <= at) return behind;
  const auto rest = pieces_.emplace_hint(behind, at, before->second);
  records_ += rest->second.records();
  before->second.end = at;
  return rest;
}

void ShadowMemory::check(std::uint64_t begin, const Piece& piece, const Access& access,
                         const VectorClock& clock, const Report& report) {
  const auto conflict = [&](RaceKind kind, const AccessRecord& earlier, AccessKind earlier_kind) {
    report({kind, earlier, earlier_kind, std::max(begin, access.begin),
            std::min(piece.end, access.end)});
  };
  const bool adds = access.kind == AccessKind::atomic_add;
  if (piece.write && !piece.write->is_known_to(access.by.thread, clock)) {
    // A reader that was to see what was overwritten comes too late, any other one too early.
    const bool had_data =
        piece.overwritten && piece.overwritten->is_known_to(access.by.thread, clock);
    const RaceKind kind = adds                               ? RaceKind::plain_atomic
                          : access.kind == AccessKind::write ? RaceKind::write_write
                          : had_data                         ? RaceKind::write_after_read
                                                             : RaceKind::read_before_write;
    conflict(kind, *piece.write, AccessKind::write);
  }
  if (!adds) {
    for (const AccessRecord& adder : piece.adders) {
      if (!adder.is_known_to(access.by.thread, clock))
        conflict(RaceKind::plain_atomic, adder, AccessKind::atomic_add);
    }
  }
  if (access.kind == AccessKind::read) return;
  for (const AccessRecord& reader : piece.readers) {
    if (reader.is_known_to(access.by.thread, clock)) continue;
    const RaceKind kind = adds              ? RaceKind::plain_atomic
                          : reader.had_data ? RaceKind::write_after_read
                                            : RaceKind::read_before_write;
    conflict(kind, reader, AccessKind::read);
  }
}

void ShadowMemory::enter(Piece& piece, const Access& access, const VectorClock& clock) {
  records_ -= piece.records();
  switch (access.kind) {
    case AccessKind::read: {
      AccessRecord reader = access.by;
      reader.had_data = piece.write && piece.write->is_known_to(reader.thread, clock);
      remember(piece.readers, reader);
      break;
    }
    case AccessKind::atomic_add:
      remember(piece.adders, access.by);
      break;
    case AccessKind::write:
      if (!piece.write || !piece.write->same_place(access.by)) piece.overwritten = piece.write;
      piece.write = access.by;
      piece.readers.clear();
      piece.adders.clear();
      break;
  }
  records_ += piece.records();
}

bool ShadowMemory::equal(const Piece& a, const Piece& b) {
  return equal_records(a.write, b.write) && equal_records(a.overwritten, b.overwritten) &&
         equal_records(a.readers, b.readers) && equal_records(a.adders, b.adders);
}

/// Joins neighbours that are equal, from the piece before `begin` up to the one at `end`.
void ShadowMemory::merge(std::uint64_t begin, std::uint64_t end) {
  auto piece = pieces_.lower_bound(begin);
  if (piece != pieces_.begin()) --piece;
  for (;;) {
    const auto next = std::next(piece);
    if (next == pieces_.end() || next->first > end) return;
    if (piece->second.end == next->first && equal(piece->second, next->second)) {
      piece->second.end = next->second.end;
      records_ -= next->second.records();
      pieces_.erase(next);
    } else {
      piece = next;
    }
  }
}

void ShadowMemory::access(const Access& access, const VectorClock& clock, const Report& report) {
  if (access.begin >= access.end) return;
  const auto end = cut(access.end);
  auto piece = cut(access.begin);
  std::uint64_t at = access.begin;
  while (at < access.end) {
    if (piece == end || piece->first > at) {
      const std::uint64_t until = piece == end ? access.end : std::min(access.end, piece->first);
      piece = pieces_.emplace_hint(piece, at, Piece{until, {}, {}, {}, {}});
      ++records_;
    } else {
      check(piece->first, piece->second, access, clock, report);
    }
    enter(piece->second, access, clock);
    at = piece->second.end;
    ++piece;
  }
  merge(access.begin, access.end);
}

bool ShadowMemory::check(const Access& access, const VectorClock& clock,
                         const Report& report) const {
  bool touched = false;
  auto piece = pieces_.upper_bound(access.begin);
  if (piece != pieces_.begin()) --piece;
  for (; piece != pieces_.end() && piece->first < access.end; ++piece) {
    if (piece->second.end <= access.begin) continue;
    touched = true;
    check(piece->first, piece->second, access, clock, report);
  }
  return touched;
}

}  // namespace a2a3::isa
