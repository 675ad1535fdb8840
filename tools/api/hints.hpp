// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/diagnostic.hpp"
#include "isa/hints/delivery_check.hpp"
#include "sim/observer.hpp"

namespace a2a3 {

/// Kinds of hints.
inline constexpr const char* kDeliveredTwice = "delivered twice";
inline constexpr const char* kNotRead = "received, not read";
inline constexpr const char* kIdleWait = "wait orders nothing";
inline constexpr const char* kIdleNotify = "notify not needed";

/// Something that a right run did for nothing. All that is alike, at one pair of lines, is one
/// hint.
struct Hint {
  std::string kind;  ///< kDeliveredTwice, ...
  ir::Diagnostic diagnostic;
  std::string place;                 ///< "data[2, 0:64]", "signal[1, 0]": of the first one
  std::vector<std::uint32_t> ranks;  ///< that receive, wait or notify for nothing, ascending
  std::uint64_t count = 0;           ///< transfers, waits or notifies
  /// Notifies: how many the line sent, those that are needed too.
  std::optional<std::uint64_t> of_count;
  std::uint64_t bytes = 0;  ///< of payload, or of the signals, of all of them
  /// Timed engine: how long the transfers of which every byte is for nothing kept the pipes of all
  /// cores together, or how long the waits did. Absent where there are none, and for notifies.
  std::optional<sim::Picoseconds> time;
};

/// Loads and stores of a line by a task whose time belongs to a hint.
struct HintPieces {
  std::size_t hint = 0;  ///< index into Hints::all
  std::uint32_t task = 0;
  ir::SourceLocation line;
  isa::PieceRange pieces;
};

/// What the run did for nothing; of a run that came to its end.
struct Hints {
  std::vector<Hint> all;
  std::size_t wait_lines = 0;            ///< lines with waits
  std::size_t wait_lines_looked_at = 0;  ///< whether they order anything
  std::size_t wait_lines_undecided = 0;  ///< of these, see isa::WaitLine::Use::undecided
  /// False: Limits::max_race_records was reached by the transfers or by the signals, and there may
  /// be more hints.
  bool complete = true;
  std::vector<HintPieces> pieces;  ///< for HintTimes
};

}  // namespace a2a3
