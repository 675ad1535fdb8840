// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/diagnostic.hpp"
#include "ir/source.hpp"
#include "models/config/text_file.hpp"
#include "models/machine_description.hpp"

namespace a2a3::models {

/// Where machine files are looked for, and how large they may be.
struct MachineSearch {
  std::filesystem::path data_dir;  ///< shipped machines are data_dir/yaml/machines/NAME.yaml
  ConfigLimits limits;
};

/// One value of a machine as `machine show` prints it.
struct MachineValue {
  std::string path;    ///< "link.bandwidth"
  std::string value;   ///< "28 GB/s"
  std::string source;  ///< the comment behind the value; "user file" when a file of the user's has
                       ///< none, "default" when no file gives the value
  ir::SourceLocation location;  ///< of the value; unknown for defaults
  std::string help;

  /// "a2.yaml:23"; empty for defaults.
  [[nodiscard]] std::string where() const;
};

/// A machine file with all that it extends, read and checked.
struct MachineYaml {
  std::optional<MachineDescription> machine;  ///< absent when there were errors
  std::vector<MachineValue> values;           ///< every field, in the order of machine_fields()
  /// What the codes in the sources stand for, as the files' `sources` say.
  std::vector<std::pair<std::string, std::string>> legend;
  ir::Diagnostics diagnostics;
  std::vector<ir::SourceFilePtr> sources;  ///< the file and its bases: keeps locations alive
};

/// Reads a machine: a shipped one by name ("a2"), or a file by path (anything with a `/` or ending
/// in .yaml or .yml). `extends: a2` or `extends: ./base.yaml` (relative to the file) starts from
/// another machine. All errors of all files are reported.
[[nodiscard]] MachineYaml read_machine(const std::string& name_or_path,
                                       const MachineSearch& search);

/// Names of the shipped machines, sorted.
[[nodiscard]] std::vector<std::string> shipped_machines(const MachineSearch& search);

/// An error that says how to extend the machine when it has fewer than `devices` devices.
[[nodiscard]] std::optional<ir::Diagnostic> check_device_count(const MachineDescription& machine,
                                                               std::uint64_t devices);

}  // namespace a2a3::models
