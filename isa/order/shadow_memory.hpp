// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "isa/order/access.hpp"
#include "isa/order/per_thread.hpp"

namespace a2a3::isa {

/// For every byte of a memory: who wrote it last, and who has read it and added to it since.
class ShadowMemory {
 public:
  using Report = std::function<void(const Conflict&)>;

  struct Access {
    std::uint64_t begin = 0;  ///< bytes
    std::uint64_t end = 0;
    AccessKind kind = AccessKind::read;
    AccessRecord by;
  };

  /// Enters an access, and reports those before it that touch the same bytes, of which one is a
  /// write or both are and that `clock`, that of the access, does not cover. Accesses of one thread
  /// are in order; atomic adds do not conflict with each other.
  void access(const Access& access, const VectorClock& clock, const Report& report);

  /// Reports the accesses of a range that conflict with this one, and enters nothing. False when
  /// the range was never accessed.
  bool check(const Access& access, const VectorClock& clock, const Report& report) const;

  /// Stretches and accesses remembered: what the memory use grows with.
  [[nodiscard]] std::size_t records() const { return records_; }

 private:
  /// A stretch of bytes that all accesses so far treated alike.
  struct Piece {
    std::uint64_t end = 0;
    std::optional<AccessRecord> write;        ///< the last one
    std::optional<AccessRecord> overwritten;  ///< the one before it
    PerThread<AccessRecord> readers;          ///< since then, of each the last one
    PerThread<AccessRecord> adders;

    [[nodiscard]] std::size_t records() const { return 1 + readers.size() + adders.size(); }
  };
  using Pieces = std::map<std::uint64_t, Piece>;  ///< by begin

  Pieces::iterator cut(std::uint64_t at);
  void enter(Piece& piece, const Access& access, const VectorClock& clock);
  static void check(std::uint64_t begin, const Piece& piece, const Access& access,
                    const VectorClock& clock, const Report& report);
  static bool equal(const Piece& a, const Piece& b);
  void merge(std::uint64_t begin, std::uint64_t end);

  Pieces pieces_;
  std::size_t records_ = 0;
};

}  // namespace a2a3::isa
