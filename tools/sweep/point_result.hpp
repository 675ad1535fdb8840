// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "models/machine_description.hpp"
#include "models/traffic/schedule.hpp"
#include "sim/observer.hpp"
#include "tools/exit_status.hpp"

namespace a2a3::tools {

struct ExecutedRun;

/// The schedule whose closed forms speak of a run: of those with a size its only one, called once.
struct RunSchedule {
  std::string name;  ///< models::Schedule::name
  models::ScheduleForm form = models::ScheduleForm::hand;
  std::int64_t root = 0;
  std::int64_t lanes = 1;

  /// The closed-form time and the lower bound of a size, in picoseconds; 0 where there is none.
  struct Times {
    sim::Picoseconds modelled = 0;
    sim::Picoseconds bound = 0;
  };
  [[nodiscard]] Times times(const models::ScheduleSize& size,
                            const models::MachineDescription& machine) const;
};

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
  std::uint64_t signals = 0;         ///< sent
  sim::Picoseconds waiting_ps = 0;   ///< for signals, of all its cores together
  sim::Picoseconds modelled_ps = 0;  ///< models::modelled_time(); 0: no closed form
  sim::Picoseconds bound_ps = 0;     ///< models::lower_bound(); 0: none is known

  /// Whether the closed form is off by more than a tenth of the time.
  [[nodiscard]] bool is_off_model() const;
};

/// What one run of a sweep gave.
struct PointResult {
  std::string status;  ///< RunReport::verdict(), or kKilled
  ExitStatus exit_status = ExitStatus::internal_fault;
  std::string error;                  ///< what went wrong, in one line; empty when nothing did
  std::vector<std::string> findings;  ///< findings_of() the run
  bool in_another_order = false;      ///< Result::in_another_order
  std::uint64_t instructions = 0;
  std::optional<PointCost> cost;
  std::optional<RunSchedule> schedule;

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

}  // namespace a2a3::tools
