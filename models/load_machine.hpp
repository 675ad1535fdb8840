// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "models/machine_description.hpp"

namespace a2a3::models {

/// A machine, or the errors of its file as they are shown to a user.
struct LoadedMachine {
  std::optional<MachineDescription> machine;
  std::string errors;
};

/// read_machine() for callers that know nothing of diagnostics: `name_or_path` as there, `data_dir`
/// holding yaml/machines/.
[[nodiscard]] LoadedMachine load_machine(const std::string& name_or_path,
                                         const std::filesystem::path& data_dir);

}  // namespace a2a3::models
