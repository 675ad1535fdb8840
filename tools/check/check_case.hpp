// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/run_options.hpp"

namespace a2a3::tools {

/// One run of a check.
struct CheckCase {
  std::uint32_t ranks = 1;
  std::vector<std::pair<std::string, std::string>> settings;  ///< those that the check varies
  /// Untimed engine: the order of the cores is drawn with it. Absent: timed engine.
  std::optional<std::uint64_t> seed;
  std::map<std::uint32_t, std::uint64_t> skew_ns;  ///< timed engine: by rank, in whole nanoseconds

  friend bool operator==(const CheckCase&, const CheckCase&) = default;
};

/// For --replay: the timed engine.
inline constexpr const char* kReplayTimed = "timed";

/// The options that run it; `base` has what all runs of the check share.
[[nodiscard]] RunOptions options_of(const RunOptions& base, const CheckCase& one);

/// "SIZE=17, DTYPE=FP16"; empty without settings.
[[nodiscard]] std::string settings_text(const CheckCase& one);

/// "3 ranks, SIZE=17, order 0x5", "2 ranks, timed, rank 1 late by 1500 ns".
[[nodiscard]] std::string case_text(const CheckCase& one);

/// "a2a3sim check FILE --replay 0x5 --ranks 3 --set SIZE=17": the command that runs it again.
[[nodiscard]] std::string replay_command(const RunOptions& base, const CheckCase& one);

}  // namespace a2a3::tools
