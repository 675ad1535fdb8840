// SPDX-License-Identifier: Apache-2.0
#include "models/config/json.hpp"

#include <fmt/format.h>

namespace a2a3::models {

std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

JsonMembers schema_head(std::string_view title) {
  return {{"$schema", json_string("https://json-schema.org/draft/2020-12/schema")},
          {"title", json_string(title)}};
}

std::string json_object(const JsonMembers& members, int indent) {
  if (members.empty()) return "{}";
  std::string result = "{\n";
  for (std::size_t i = 0; i < members.size(); ++i) {
    result += fmt::format("{:{}}{}: {}{}\n", "", indent + 2, json_string(members[i].first),
                          members[i].second, i + 1 < members.size() ? "," : "");
  }
  return result + fmt::format("{:{}}}}", "", indent);
}

}  // namespace a2a3::models
