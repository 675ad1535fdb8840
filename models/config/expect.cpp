// SPDX-License-Identifier: Apache-2.0
#include "models/config/expect.hpp"

#include <fmt/format.h>

namespace a2a3::models {

ir::SourceLocation place_of_value(const ConfigEntry& entry) {
  return entry.value.kind == ConfigNode::Kind::null ? entry.key_location : entry.value.location;
}

bool expect_scalar(const ConfigEntry& entry, ir::Diagnostics& diagnostics) {
  if (entry.value.kind == ConfigNode::Kind::scalar) return true;
  diagnostics.error(place_of_value(entry), fmt::format("'{}' must be a single value, got {}",
                                                       entry.key, describe(entry.value.kind)));
  return false;
}

bool expect_mapping(const ConfigEntry& entry, ir::Diagnostics& diagnostics) {
  if (entry.value.kind == ConfigNode::Kind::mapping) return true;
  diagnostics.error(entry.key_location, fmt::format("'{}' must be a mapping, got {}", entry.key,
                                                    describe(entry.value.kind)));
  return false;
}

}  // namespace a2a3::models
