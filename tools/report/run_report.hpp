// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "a2a3/simulate.hpp"
#include "a2a3/traffic_part.hpp"
#include "ir/diagnostic.hpp"
#include "models/machine_description.hpp"
#include "models/time/modelled_time.hpp"
#include "tools/exit_status.hpp"
#include "tools/report/golden_check.hpp"

namespace a2a3::tools {

/// Everything that the writers of a run's reports need; they compute nothing about the run.
struct RunReport {
  std::string file;     ///< the kernel file as given
  std::string program;  ///< host function or program class
  std::string mode;     ///< empty without a run file
  std::string machine;
  models::RelaxedParameters memory;             ///< of the machine; `seed` is the run's
  models::HazardParameters hazards;             ///< read when the memory is relaxed
  std::vector<std::uint32_t> device_ids;        ///< by rank
  std::vector<std::uint32_t> placement;         ///< the machine's, see MachineDescription
  std::map<std::string, std::string> settings;  ///< --set and the run file's
  std::map<std::string, std::string> inputs;    ///< how each input was made
  Options options;
  Result result;
  ir::Diagnostics diagnostics;  ///< of everything, in the order it was found
  std::vector<GoldenCheck> goldens;
  std::vector<std::string> without_golden;  ///< outputs that were compared with nothing
  /// What has a closed form: the calls of collectives, and the claim. Empty unless the run finished
  /// and was timed.
  std::vector<TrafficPart> parts;
  bool has_claim = false;             ///< the last of `parts` is the claim
  ir::SourceLocation claim_location;  ///< in the run file; unknown for --traffic
  /// With --explain: the closed-form time of the only collective, if there is one.
  std::optional<models::ModelledTime> modelled;
  ExitStatus status = ExitStatus::wrong_input;

  /// The only part that has a size; nullptr when there are several, or none.
  [[nodiscard]] const TrafficPart* only_collective() const;
  /// True when every output of a finished run was compared.
  [[nodiscard]] bool is_checked() const { return !goldens.empty() && without_golden.empty(); }

  /// "ok", "not checked", "wrong result", "wrong traffic", "race", "not decided", "deadlock",
  /// "fault", "over a limit", "wrong input".
  [[nodiscard]] std::string verdict() const;
};

}  // namespace a2a3::tools
