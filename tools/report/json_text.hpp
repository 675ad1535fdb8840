// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace a2a3::tools {

/// The JSON that the program prints: two spaces of indentation, a newline at the end. Text of the
/// user's that is no UTF-8 has U+FFFD in place of the wrong bytes.
[[nodiscard]] inline std::string to_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace a2a3::tools
