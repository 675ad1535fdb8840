// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ir/diagnostic.hpp"
#include "ir/source.hpp"
#include "models/config/text_file.hpp"
#include "tools/calibration/calibration.hpp"

namespace a2a3::tools {

struct CalibrationFile {
  std::optional<CalibrationData> data;  ///< absent when there were errors
  ir::Diagnostics diagnostics;
  ir::SourceFilePtr source;  ///< keeps locations alive
};

/// The machines with shipped measurements, in the order of their names.
[[nodiscard]] std::vector<std::string> calibration_names(const std::filesystem::path& data_dir);

/// Reads the measurements of a machine by its name ("a2": data_dir/yaml/calibration/a2.yaml), or a
/// file by its path (anything with a `/` or ending in .yaml or .yml). All errors are reported.
[[nodiscard]] CalibrationFile read_calibration(const std::string& name_or_path,
                                               const std::filesystem::path& data_dir,
                                               const models::ConfigLimits& limits);

}  // namespace a2a3::tools
