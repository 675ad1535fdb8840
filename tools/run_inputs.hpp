// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "tools/output_path.hpp"
#include "tools/run_options.hpp"

namespace a2a3::tools {

/// NAME.yaml beside NAME.py.
[[nodiscard]] std::filesystem::path run_file_of(const RunOptions& options);

/// The files that a run reads: kernel, run file, machine with its bases, .npy files of its inputs
/// and goldens. What cannot be read says so when it is.
void add_run_inputs(const RunOptions& options, OutputPaths& paths);

}  // namespace a2a3::tools
