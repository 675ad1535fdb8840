// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "ir/parser.hpp"

namespace a2a3::ir {
namespace {

SourceResult failure(const std::string& path, std::string_view reason) {
  SourceResult result;
  result.diagnostics.error({}, fmt::format("cannot read {}: {}", path, reason));
  return result;
}

}  // namespace

SourceResult read_source(const std::string& path, const ParseLimits& limits) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) return failure(path, "it is a directory");
  const std::string too_large = fmt::format(
      "it is larger than {} bytes; --max-file-bytes sets the limit", limits.max_file_bytes);
  if (std::filesystem::is_regular_file(status)) {
    const auto size = std::filesystem::file_size(path, ignored);
    if (!ignored && size > limits.max_file_bytes) return failure(path, too_large);
  }

  errno = 0;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) return failure(path, std::strerror(errno));
  // The size of a device or pipe shows only when it is read.
  std::string text;
  std::array<char, 65536> buffer;
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    text.append(buffer.data(), count);
    if (text.size() > limits.max_file_bytes) return failure(path, too_large);
  }
  if (std::ferror(file.get())) return failure(path, std::strerror(errno));
  return {std::make_shared<const SourceFile>(path, std::move(text)), {}};
}

}  // namespace a2a3::ir
