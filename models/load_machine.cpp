// SPDX-License-Identifier: Apache-2.0
#include "models/load_machine.hpp"

#include <utility>

#include "models/machine_yaml.hpp"

namespace a2a3::models {

LoadedMachine load_machine(const std::string& name_or_path, const std::filesystem::path& data_dir) {
  MachineYaml read = read_machine(name_or_path, {data_dir, {}});
  return {std::move(read.machine), ir::format(read.diagnostics)};
}

}  // namespace a2a3::models
