// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace a2a3::sync {

/// A random program of several dispatches, with several tasks on each device: rows go round a ring
/// of ranks, through few rows of a window, from task to task.
///
/// What orders its operations are the edges: entries of `deps`, notifies, waits, conditions of
/// waiter tasks, a HOST barrier and the signal by which a dispatch comes after it. The program with
/// all of them is right.
struct HostSyncProgram {
  /// A piece of the text; an edge has another text when it is taken out.
  struct Piece {
    std::string text;
    std::optional<std::string> without;
    std::string name;  ///< of an edge: "dep on sent_1"
  };
  std::int64_t ranks = 2;
  std::vector<Piece> pieces;

  /// The number of edges.
  [[nodiscard]] std::size_t edges() const;
  [[nodiscard]] std::string name_of(std::size_t edge) const;
  /// The program, perhaps without an edge.
  [[nodiscard]] std::string text(std::optional<std::size_t> removed = {}) const;
};

/// The same program for the same seed, with 2 or 3 ranks.
[[nodiscard]] HostSyncProgram host_sync_program(std::uint64_t seed);

}  // namespace a2a3::sync
