// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace a2a3::models {

/// The text as a JSON string, quotes included.
[[nodiscard]] std::string json_string(std::string_view text);

/// An object over several lines, indented by `indent` spaces; the members' values are JSON already.
[[nodiscard]] std::string json_object(
    const std::vector<std::pair<std::string, std::string>>& members, int indent);

}  // namespace a2a3::models
