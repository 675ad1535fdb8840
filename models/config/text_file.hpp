// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "ir/source.hpp"

namespace a2a3::models {

/// Bounds on configuration files; exceeding one is an error that names the option that raises it.
struct ConfigLimits {
  std::uint64_t max_file_bytes = 1u << 20;  ///< --max-file-bytes
  std::uint32_t max_nesting = 64;           ///< --max-nesting
};

/// A file's text, or why there is none.
struct TextFile {
  ir::SourceFilePtr source;  ///< null when there was an error
  std::string error;
};

/// Whether a text is a path, with a `/` or ending in .yaml or .yml; else it names something
/// shipped.
[[nodiscard]] bool is_config_path(std::string_view text);

/// Reads a regular file of at most `max_bytes`. `shown_as` is the path that diagnostics print.
[[nodiscard]] TextFile read_text_file(const std::filesystem::path& path, std::string shown_as,
                                      std::uint64_t max_bytes);

}  // namespace a2a3::models
