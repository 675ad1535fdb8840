// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include <sys/types.h>

namespace a2a3::tools {

/// Writes a file. One that nothing else refers to is replaced as a whole, so that no reader ever
/// sees half of it, and keeps its permissions. Devices, pipes, links and files with several names
/// are written through, standard output and standard error behind what stands there. An error text,
/// empty when it went well.
[[nodiscard]] std::string write_whole_file(const std::filesystem::path& path,
                                           const std::string& text);

/// What a process writes before it takes the place of the file; left behind when it is killed.
[[nodiscard]] std::filesystem::path unfinished_path(const std::filesystem::path& path,
                                                    pid_t process);

}  // namespace a2a3::tools
