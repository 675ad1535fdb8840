// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace a2a3::models {

/// The text as a JSON string, quotes included.
[[nodiscard]] std::string json_string(std::string_view text);

/// The members of an object: keys with values that are JSON already.
using JsonMembers = std::vector<std::pair<std::string, std::string>>;

/// What every schema begins with.
[[nodiscard]] JsonMembers schema_head(std::string_view title);

/// An object over several lines, indented by `indent` spaces.
[[nodiscard]] std::string json_object(const JsonMembers& members, int indent);

}  // namespace a2a3::models
