// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace a2a3::tools {

/// Where yaml/ and examples/ lie: the environment variable A2A3_DATA_DIR, else ../share/a2a3sim
/// beside an installed program, else the source tree the program was built from.
[[nodiscard]] std::filesystem::path data_dir();

/// The YAML files of a directory, without their extension, in the order of the alphabet.
[[nodiscard]] std::vector<std::string> yaml_names(const std::filesystem::path& directory);

}  // namespace a2a3::tools
