// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/sweep_file.hpp"
#include "tools/run_options.hpp"

namespace a2a3::tools {

/// One run of a sweep.
struct SweepPoint {
  std::vector<std::string> values;  ///< by column of its Sweep
  RunOptions options;
  double weight = 1;  ///< how long it takes, against the others; heavy ones begin first
};

/// Runs and what tells them apart.
struct Sweep {
  std::string description;
  std::vector<std::string> columns;  ///< kernel, mode, machine, ranks, then the other axes
  std::vector<SweepPoint> points;    ///< in the order of the axes, the last one turning fastest
};

/// The runs of a sweep file, read without errors. Kernel and machine files are looked for where the
/// sweep file lies.
[[nodiscard]] Sweep sweep_of(const models::SweepFile& file, const std::filesystem::path& directory);

/// The path as one would write it: from the current directory when it lies below, else absolute.
[[nodiscard]] std::string shown_path(const std::filesystem::path& path);

/// The text as one word for the shell: quoted when it needs to be.
[[nodiscard]] std::string shell_word(const std::string& text);

/// The same for a path, which is then never taken for an option: "./-k.py".
[[nodiscard]] std::string path_word(const std::string& path);

/// " --mode hand --set SIZE=17 ...": the options of `run` beside machine, devices, engine and seed
/// that are not as they are by default, those about output left out.
[[nodiscard]] std::string option_words(const RunOptions& options);

/// "a2a3sim run FILE -p a2 -d 0-7 ...": the command that repeats a run, quoted for the shell.
[[nodiscard]] std::string run_command(const RunOptions& options);

/// "0-7" for 8.
[[nodiscard]] std::string first_devices(std::uint32_t ranks);

}  // namespace a2a3::tools
