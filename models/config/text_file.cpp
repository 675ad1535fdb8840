// SPDX-License-Identifier: Apache-2.0
#include "models/config/text_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace a2a3::models {

bool is_config_path(std::string_view text) {
  return text.find('/') != std::string_view::npos || text.ends_with(".yaml") ||
         text.ends_with(".yml");
}

TextFile read_text_file(const std::filesystem::path& path, std::string shown_as,
                        std::uint64_t max_bytes) {
  std::error_code failure;
  const std::filesystem::file_status status = std::filesystem::status(path, failure);
  if (!std::filesystem::exists(status)) {
    return {nullptr, fmt::format("cannot open {}: no such file", shown_as)};
  }
  if (!std::filesystem::is_regular_file(status)) {
    return {nullptr, fmt::format("cannot read {}: not a regular file", shown_as)};
  }
  const std::uint64_t size = std::filesystem::file_size(path, failure);
  if (!failure && size > max_bytes) {
    return {nullptr, fmt::format("{} has {} bytes, more than the limit of {} (--max-file-bytes)",
                                 shown_as, size, max_bytes)};
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream || failure) {
    const int reason = errno != 0 ? errno : failure.value();
    return {nullptr, fmt::format("cannot read {}: {}", shown_as, std::strerror(reason))};
  }
  return {std::make_shared<const ir::SourceFile>(std::move(shown_as), std::move(text)), {}};
}

}  // namespace a2a3::models
