// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "a2a3/simulate.hpp"
#include "ir/diagnostic.hpp"
#include "ir/module.hpp"
#include "models/golden_compare.hpp"
#include "models/machine_yaml.hpp"
#include "models/run_file.hpp"
#include "models/traffic/claim.hpp"
#include "tools/run_options.hpp"

namespace a2a3::tools {

/// The specification of an input or a golden, from the command line or the run file.
struct SpecText {
  std::string text;
  std::string shown_as;            ///< stands for the file name in diagnostics of the text
  std::filesystem::path base_dir;  ///< where its files lie
  ir::SourceLocation location;     ///< in the run file; unknown for the command line
};

/// What one run is about, read and checked: everything but the data.
struct RunSetup {
  std::vector<std::uint32_t> device_ids;  ///< by rank
  models::MachineYaml machine;
  models::RunFile run_file;
  std::string mode;                             ///< empty without a run file
  std::map<std::string, std::string> settings;  ///< those of the run file, --set over them
  std::map<std::string, SpecText> inputs;
  std::map<std::string, SpecText> goldens;
  std::map<std::string, std::string> dumps;  ///< file by tensor or window
  std::string json;  ///< file for the verdict; empty without --json, or when it is refused
  models::Comparison comparison;
  std::map<std::string, models::OutputComparison> comparisons;  ///< by output, where it differs
  models::TrafficClaimText traffic;
  bool check_traffic = true;  ///< else the claim gives the order of a replay only
  ir::SourceFilePtr source;
  std::unique_ptr<ir::Module> module;  ///< null when there were errors
  Options options;
};

/// Reads the kernel file, the run file beside it and the machine, and puts the options over them.
/// Goes on after errors, so that one run reports what is wrong with each of them.
[[nodiscard]] RunSetup prepare_run(const RunOptions& options, ir::Diagnostics& diagnostics);

}  // namespace a2a3::tools
