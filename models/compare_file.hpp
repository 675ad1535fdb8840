// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "ir/diagnostic.hpp"
#include "ir/source.hpp"
#include "isa/dtype.hpp"
#include "models/config/text_file.hpp"
#include "models/run_file.hpp"
#include "models/traffic/schedule.hpp"

namespace a2a3::models {

/// A schedule that `compare` can run: which program, and how it is given a size.
struct ComparedSchedule {
  std::string name;  ///< "ring", as in --schedules
  RunText kernel;    ///< kernel file, relative to the compare file
  std::string mode;
  std::string entry;
  std::map<std::string, std::string> settings;
  std::string size;  ///< the setting that counts elements
  ScheduleData counts = ScheduleData::target;
  isa::DType dtype = isa::DType::fp32;

  /// Fewest elements whose buffer has at least `bytes` bytes.
  [[nodiscard]] std::int64_t elements(std::uint64_t bytes, std::uint32_t ranks) const;
  /// What NCCL-tests calls the size: the whole buffer of one rank (Schedule::buffer_bytes).
  [[nodiscard]] std::uint64_t buffer_bytes(std::int64_t elements, std::uint32_t ranks) const;
};

/// A compare file: the schedules of one collective.
struct CompareFile {
  std::string description;
  std::vector<ComparedSchedule> schedules;  ///< in the file's order, names distinct
  ir::Diagnostics diagnostics;
  ir::SourceFilePtr source;  ///< keeps the locations alive

  [[nodiscard]] const ComparedSchedule* find(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> names() const;
};

/// Reads a compare file:
///
///     description: every rank ends with the sum of all ranks
///     size: SIZE                 # the setting that counts elements
///     counts: target             # of one rank's data; slices: of one of its P slices
///     dtype: FP32
///     schedules:
///       mesh: {kernel: ../../examples/08_allreduce_mesh.py}
///       mine: {kernel: my.py, mode: fast, set: {CHUNK: 4096}}
///
/// size, counts, dtype, set, mode, entry and kernel may stand at the root as defaults of all
/// schedules. Errors: unknown keys, values of the wrong kind, no schedules, a schedule without
/// kernel or size.
[[nodiscard]] CompareFile read_compare_file(const std::filesystem::path& path,
                                            const ConfigLimits& limits = {});

/// The same from text that was already read.
[[nodiscard]] CompareFile parse_compare_file(ir::SourceFilePtr source,
                                             const ConfigLimits& limits = {});

/// JSON schema of a compare file, for editors: yaml/schema/compare.schema.json.
[[nodiscard]] std::string compare_file_schema();

}  // namespace a2a3::models
