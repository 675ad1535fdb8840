// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/diagnostic.hpp"
#include "ir/source.hpp"
#include "models/config/text_file.hpp"
#include "models/golden_compare.hpp"

namespace a2a3::models {

/// A text of a run file with its place: an entry name, an input specification, a golden.
struct RunText {
  std::string text;
  ir::SourceLocation location;

  /// What stands for the file name in diagnostics of the text: "13_allgather.yaml:7: goldens.y".
  [[nodiscard]] std::string shown_as(const std::string& what) const;
};

/// How one output is held against its golden, where it differs from the mode's comparison.
struct OutputComparison {
  Comparison comparison;
  ir::SourceLocation location;
};

/// How a kernel file is run in one mode: the common keys of the run file with the mode's own over
/// them.
struct RunMode {
  std::string name;
  std::optional<RunText> entry;
  std::map<std::string, RunText> settings;
  std::map<std::string, RunText> inputs;
  std::map<std::string, RunText> goldens;
  Comparison comparison;
  std::map<std::string, OutputComparison> comparisons;  ///< by output
  /// The claim about the traffic: a schedule, or formulas by quantity (models/traffic/claim.hpp).
  std::optional<RunText> traffic;
  std::map<std::string, RunText> traffic_formulas;
  std::uint32_t min_ranks = 1;
  std::uint32_t max_ranks = 0;  ///< 0: no bound
  ir::SourceLocation ranks_location;
};

/// A run file: what stands beside a kernel file NAME.py as NAME.yaml.
struct RunFile {
  std::string description;
  std::string default_mode;    ///< the first mode when the file names none
  std::vector<RunMode> modes;  ///< in the file's order; one without a name when it has no modes
  ir::Diagnostics diagnostics;
  ir::SourceFilePtr source;  ///< keeps the locations alive

  [[nodiscard]] const RunMode* find(const std::string& mode) const;
};

/// Reads a run file. Keys: description, default_mode, modes (each with entry, set, inputs, goldens,
/// compare, traffic, ranks), and at the root the same keys as defaults of all modes.
[[nodiscard]] RunFile read_run_file(const std::filesystem::path& path,
                                    const ConfigLimits& limits = {});

/// The same from text that was already read.
[[nodiscard]] RunFile parse_run_file(ir::SourceFilePtr source, const ConfigLimits& limits = {});

/// The mode of that name, or the default one for an empty name; an error that lists the modes when
/// there is none.
[[nodiscard]] const RunMode* choose_mode(const RunFile& file, const std::string& name,
                                         ir::Diagnostics& diagnostics);

/// An error when the mode does not run on `ranks` ranks.
void check_rank_count(const RunMode& mode, std::uint32_t ranks, ir::Diagnostics& diagnostics);

/// JSON schema of a run file, for editors: yaml/schema/run.schema.json.
[[nodiscard]] std::string run_file_schema();

}  // namespace a2a3::models
