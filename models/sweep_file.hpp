// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ir/diagnostic.hpp"
#include "ir/source.hpp"
#include "models/config/text_file.hpp"
#include "models/run_file.hpp"

namespace a2a3::models {

/// One axis of a sweep: one key with its values, or several keys whose values go together.
struct SweepAxis {
  std::vector<std::string> keys;
  std::vector<std::vector<RunText>> rows;  ///< [value][key]; all rows have keys.size() texts
};

/// A sweep file: which runs there are. A run's keys are those of sweep_file_schema(), with the
/// dotted ones complete: "kernel", "set.SIZE", "skew.1".
struct SweepFile {
  std::string description;
  std::map<std::string, RunText> fixed;  ///< the same for all runs, by key
  std::vector<SweepAxis> axes;           ///< those of `over` in the file's order, then `zip`
  ir::Diagnostics diagnostics;
  ir::SourceFilePtr source;  ///< keeps the locations alive

  /// Keys of all axes, in order.
  [[nodiscard]] std::vector<std::string> axis_keys() const;
  /// Number of combinations; the largest number when it does not fit.
  [[nodiscard]] std::uint64_t points() const;
  /// Texts of combination `index` in the order of axis_keys(); the last axis turns fastest.
  [[nodiscard]] std::vector<RunText> point(std::uint64_t index) const;
};

/// Reads a sweep file:
///
///     kernel: ../10_allreduce_ring.py        # fixed; relative to the sweep file
///     machine: a2
///     over:                                  # every combination of these ...
///       ranks: [2, 4, 8]
///       set.SIZE: 1024..65536 times 2
///     zip:                                   # ... and of these, taken row by row
///       - {mode: [mesh, ring], set.CHUNK: [4096, 16384]}
///
/// Errors: unknown keys, values of the wrong kind, a key given twice, lists without values or, in
/// one item of zip, of different lengths, no kernel.
[[nodiscard]] SweepFile read_sweep_file(const std::filesystem::path& path,
                                        const ConfigLimits& limits = {});

/// The same from text that was already read.
[[nodiscard]] SweepFile parse_sweep_file(ir::SourceFilePtr source, const ConfigLimits& limits = {});

/// JSON schema of a sweep file, for editors: yaml/schema/sweep.schema.json.
[[nodiscard]] std::string sweep_file_schema();

}  // namespace a2a3::models
