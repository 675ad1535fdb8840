// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace a2a3::interp {

/// Finds out which launches of a device must be complete before another one starts: those that
/// wrote bytes which it accesses, and those that read bytes which it writes. Launches come in
/// dispatch order; the blocks of one launch have no order.
class Dependences {
 public:
  /// A parameter, window or temporary on one device.
  struct Memory {
    std::uint32_t device = 0;
    std::uint32_t kind = 0;
    std::uint64_t index = 0;
    friend auto operator<=>(const Memory&, const Memory&) = default;
  };
  struct Range {
    Memory memory;
    std::uint64_t begin = 0;  ///< bytes
    std::uint64_t end = 0;
    bool write = false;  ///< or read
  };

  /// The launch accesses these bytes; adds to `after` what it must wait for.
  void access(std::uint32_t launch, const Range& range, std::set<std::uint32_t>& after);

  /// Until close_scope() launches are not ordered among each other by what they access, only after
  /// those before the scope; later ones come after them as usual. Scopes nest: the outermost
  /// counts.
  void open_scope() { ++scopes_; }
  void close_scope();

 private:
  /// A stretch of bytes that all accesses so far treated alike.
  struct Piece {
    std::uint64_t end = 0;
    std::vector<std::uint32_t> writers;  ///< last write: several blocks' launch, or a scope's
    std::vector<std::uint32_t> readers;  ///< since then
  };
  using Pieces = std::map<std::uint64_t, Piece>;  ///< by begin

  static Pieces::iterator cut(Pieces& pieces, std::uint64_t at);
  void record(std::uint32_t launch, const Range& range, bool keep_writers);

  struct Held {
    std::uint32_t launch = 0;
    Range range;
  };
  std::map<Memory, Pieces> memories_;
  std::vector<Held> held_;  ///< accesses of the open scope
  int scopes_ = 0;
};

}  // namespace a2a3::interp
