// SPDX-License-Identifier: Apache-2.0
#include "models/machine_reference.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/config/json.hpp"
#include "models/machine_fields.hpp"

namespace a2a3::models {
namespace {

using Members = std::vector<std::pair<std::string, std::string>>;

const MachineField* find_field(const std::string& path) {
  const std::vector<MachineField>& fields = machine_fields();
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.path == path; });
  return found == fields.end() ? nullptr : &*found;
}

Members number_schema(const MachineField& field) {
  if (const std::string pattern = unit_pattern(field.quantity); !pattern.empty()) {
    return {{"type", json_string("string")},
            {"pattern", json_string(pattern)},
            {"examples", fmt::format("[{}]", json_string(example(field.quantity)))}};
  }
  return {{"type", json_string(field.quantity == Quantity::count ? "integer" : "number")},
          {"minimum", fmt::format("{:.10g}", field.low)},
          {"maximum", fmt::format("{:.10g}", field.high)}};
}

std::string field_schema(const MachineField& field, int indent) {
  Members members = {{"description", json_string(field.help)}};
  if (field.words.empty()) {
    const Members number = number_schema(field);
    members.insert(members.end(), number.begin(), number.end());
    return json_object(members, indent);
  }
  std::vector<std::string> words;
  for (const std::string& word : field.words)
    words.push_back(json_string(word));
  const std::string enumeration = fmt::format("[{}]", fmt::join(words, ", "));
  if (!field.or_number) {
    members.emplace_back("enum", enumeration);
  } else {
    members.emplace_back("anyOf",
                         fmt::format("[{}, {}]", json_object({{"enum", enumeration}}, indent + 2),
                                     json_object(number_schema(field), indent + 2)));
  }
  return json_object(members, indent);
}

std::string slow_links_schema(int indent) {
  const std::string device = R"({"type": "integer", "minimum": 0})";
  const Members properties = {
      {"from", device},
      {"to", device},
      {"bandwidth", field_schema(*find_field("link.bandwidth"), indent + 6)},
      {"hop_latency", field_schema(*find_field("link.hop_latency"), indent + 6)}};
  const std::string item = json_object({{"type", json_string("object")},
                                        {"additionalProperties", "false"},
                                        {"required", R"(["from", "to"])"},
                                        {"properties", json_object(properties, indent + 4)}},
                                       indent + 2);
  return json_object({{"description", json_string("Links that differ from the others.")},
                      {"type", json_string("array")},
                      {"items", item}},
                     indent);
}

std::string mapping_schema(const std::string& path, int indent, Members head = {}) {
  Members properties;
  for (const std::string& key : machine_mappings().at(path)) {
    const std::string inner = path.empty() ? key : path + "." + key;
    if (inner == "memory") {
      // In place of the mapping, its key `order` alone.
      properties.emplace_back(
          key,
          json_object({{"anyOf", fmt::format("[{}, {}]",
                                             field_schema(*find_field("memory.order"), indent + 6),
                                             mapping_schema(inner, indent + 6))}},
                      indent + 4));
    } else if (machine_mappings().count(inner) != 0) {
      properties.emplace_back(key, mapping_schema(inner, indent + 4));
    } else if (const MachineField* field = find_field(inner)) {
      properties.emplace_back(key, field_schema(*field, indent + 4));
    } else if (key == "slow_links") {
      properties.emplace_back(key, slow_links_schema(indent + 4));
    } else if (key == "placement") {
      const std::string position = R"({"type": "integer", "minimum": 0})";
      properties.emplace_back(
          key, json_object({{"description", json_string("Position of each device, in order.")},
                            {"type", json_string("array")},
                            {"uniqueItems", "true"},
                            {"items", position}},
                           indent + 4));
    } else if (key == "sources") {
      const std::string text = json_object({{"type", json_string("string")}}, indent + 6);
      properties.emplace_back(
          key, json_object({{"type", json_string("object")}, {"additionalProperties", text}},
                           indent + 4));
    } else {
      properties.emplace_back(key, json_object({{"type", json_string("string")}}, indent + 4));
    }
  }
  head.insert(head.end(), {{"type", json_string("object")},
                           {"additionalProperties", "false"},
                           {"properties", json_object(properties, indent + 2)}});
  return json_object(head, indent);
}

std::string written_as(const MachineField& field) {
  const std::string words = fmt::format("{}", fmt::join(field.words, ", "));
  if (!field.words.empty() && !field.or_number) return words;
  const std::string units = unit_names(field.quantity);
  const std::string number = units.empty() ? std::string(describe(field.quantity)) : units;
  return words.empty() ? number : number + ", or " + words;
}

}  // namespace

std::string machine_schema() {
  return mapping_schema("", 0, schema_head("a2a3sim machine")) + "\n";
}

std::string machine_reference() {
  std::string table =
      "| key | written in | from | to | default | meaning |\n|---|---|---|---|---|---|\n";
  for (const MachineField& field : machine_fields()) {
    const bool number = field.words.empty() || field.or_number;
    table += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", field.path, written_as(field),
                         number ? format_quantity(field.low, field.quantity) : "",
                         number ? format_quantity(field.high, field.quantity) : "",
                         field.fallback ? field.text(*field.fallback) : "required", field.help);
  }
  table +=
      "| `slow_links` | list of `{from, to, bandwidth, hop_latency}` | | | none | Directed links, "
      "by positions, that differ from the others in bandwidth, hop latency or both. |\n"
      "| `placement` | list of positions | | | device d at position d | Where on the topology each "
      "device is. |\n";
  return table;
}

}  // namespace a2a3::models
