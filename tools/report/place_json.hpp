// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "ir/source.hpp"

namespace a2a3::tools {

/// File, line and column; null for a place that nobody knows.
[[nodiscard]] inline nlohmann::ordered_json place_json(const ir::SourceLocation& location) {
  if (!location.known()) return nullptr;
  return {{"file", location.file->path()}, {"line", location.line}, {"column", location.column}};
}

}  // namespace a2a3::tools
