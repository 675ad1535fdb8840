// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

/// Random kernels whose synchronisation is written by hand.
namespace a2a3::sync {

/// What a random kernel can be made of.
enum class Pattern : std::uint8_t {
  pull_from_all,   ///< stage, barrier, remote_load or get from everybody
  push_to_all,     ///< remote_store or put to everybody, barrier, load
  neighbour_pull,  ///< a signal to the one that reads, another when it has read
  credit_stream,   ///< puts to the right neighbour through few slots, which come free by credits
  halo,            ///< puts to both neighbours, who add to the same cell
  fan_in_fan_out,  ///< all push to a root, which answers
  add_to_all       ///< everybody adds to everybody's row
};
inline constexpr std::size_t kPatterns = static_cast<std::size_t>(Pattern::add_to_all) + 1;

enum class Barrier : std::uint8_t {
  own_cells,       ///< a cell for each sender, which counts up
  own_cells_self,  ///< the same without self guards
  cleared_cells,   ///< a cell for each sender, which its owner takes down again
  shared_cell,     ///< one cell that all add to, which counts up
  flags,           ///< a cell for each sender, which it sets to the number of the round
  builtin
};
inline constexpr std::size_t kBarriers = static_cast<std::size_t>(Barrier::builtin) + 1;

struct SyncProgram {
  std::int64_t ranks = 2;
  std::int64_t cols = 8;
  std::string text;
  /// Which row of x, of which rank, row i of a rank's y holds; several are added up.
  struct Part {
    std::int64_t rank = 0;
    std::int64_t row = 0;
  };
  std::vector<std::vector<std::vector<Part>>> expected;  ///< by rank, row
  std::set<Pattern> patterns;
  std::set<Barrier> barriers;
  bool has_loop = false;

  /// Element (row, col) of rank r's x: small whole numbers, all different.
  [[nodiscard]] double x(std::int64_t rank, std::int64_t row, std::int64_t col) const {
    return static_cast<double>((row * ranks + rank) * cols + col + 1);
  }
};

/// The same program for the same seed, on every machine, with 2 to `most_ranks` ranks. Its
/// synchronisation is complete.
[[nodiscard]] SyncProgram sync_program(std::uint64_t seed, std::int64_t most_ranks);

}  // namespace a2a3::sync
