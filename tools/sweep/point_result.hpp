// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/observer.hpp"
#include "tools/exit_status.hpp"

namespace a2a3::tools {

struct ExecutedRun;

/// What a timed run that finished took.
struct PointCost {
  sim::Picoseconds time_ps = 0;  ///< from the start until the last core finished
  std::uint64_t size_bytes = 0;  ///< as in NCCL-tests; 0: no bandwidth is defined
  double algbw = 0;              ///< bytes per second: size / time
  double busbw = 0;
  /// Of the rank that has most of it.
  std::uint64_t received_bytes = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t local_bytes = 0;
  std::uint64_t signals = 0;        ///< sent
  sim::Picoseconds waiting_ps = 0;  ///< for signals, of all its cores together
};

/// What one run of a sweep gave.
struct PointResult {
  std::string status;  ///< RunReport::verdict(), or kKilled
  ExitStatus exit_status = ExitStatus::internal_fault;
  std::string error;                  ///< what went wrong, in one line; empty when nothing did
  std::vector<std::string> findings;  ///< findings_of() the run
  std::uint64_t instructions = 0;
  std::optional<PointCost> cost;

  [[nodiscard]] bool failed() const { return exit_status != ExitStatus::ok; }
  /// The result follows from the configuration. One that was killed may go well next time.
  [[nodiscard]] bool is_final() const { return status != kKilled; }

  static constexpr const char* kKilled = "killed";
};

[[nodiscard]] PointResult result_of(const ExecutedRun& run);

/// As it is stored: keys with units, times in whole picoseconds. The way back gives nothing for
/// anything that to_json() did not write.
[[nodiscard]] nlohmann::ordered_json to_json(const PointResult& result);
[[nodiscard]] std::optional<PointResult> point_result(const nlohmann::ordered_json& json);

/// The worst of two: the one further down the list of ExitStatus.
[[nodiscard]] ExitStatus worse(ExitStatus a, ExitStatus b);

}  // namespace a2a3::tools
