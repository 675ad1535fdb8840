// SPDX-License-Identifier: Apache-2.0
// The keys of a sweep file, and its schema.
#include "models/sweep_keys.hpp"

#include <string>

#include <fmt/format.h>

#include "models/config/json.hpp"
#include "models/machine_description.hpp"
#include "models/sweep_file.hpp"

namespace a2a3::models {

const std::vector<SweepKey>& sweep_keys() {
  static const std::vector<SweepKey> keys = {
      {"kernel", "Kernel file, relative to the sweep file."},
      {"machine", "A shipped machine, or a YAML file relative to the sweep file."},
      {"ranks", "Number of devices, from device 0 up.", false, 1, kMostDevices},
      {"devices", "Device ids rank by rank, in place of ranks: 0,2 or 4-7."},
      {"mode", "Mode of the run file."},
      {"entry", "Host function, program class or factory."},
      {"engine", "timed, or untimed: result only.", false, {}, {}, {"timed", "untimed"}},
      {"data",
       "full; none: no payload moves, for times and traffic only; auto: none unless a kernel reads "
       "data. Default full, and auto where check_goldens is false.",
       false,
       {},
       {},
       {"full", "none", "auto"}},
      {"seed", "Untimed engine: draws the order of the cores. Relaxed memory: what it reorders.",
       false, 0},
      {"host_allreduce", "As in run.", false, {}, {}, {"single-use", "self-clearing"}},
      {"compare", "How outputs are held against their goldens, as in a run file."},
      {"check_goldens", "false: time and traffic only.", false, {}, {}, {"true", "false"}},
      {"set", "Constants, factory arguments and dynamic dimensions by name.", true},
      {"inputs", "What the input tensors hold, by name.", true},
      {"goldens", "What the outputs must hold, by name.", true},
      {"skew", "Later start by rank: {1: 50us}.", true},
  };
  return keys;
}

std::string sweep_file_schema() {
  constexpr const char* scalar = R"({"type": ["string", "number", "boolean"]})";
  constexpr const char* values =
      R"({"type": ["array", "string"], "items": {"type": ["string", "number", "boolean"]}})";
  JsonMembers properties = {{"description", R"({"type": "string"})"}};
  JsonMembers axes;
  std::string groups;
  for (const SweepKey& key : sweep_keys()) {
    const std::string type =
        key.is_group ? fmt::format(R"("type": "object", "additionalProperties": {})", scalar)
                     : R"("type": ["string", "number", "boolean"])";
    properties.emplace_back(std::string(key.name), fmt::format(R"({{"description": {}, {}}})",
                                                               json_string(key.help), type));
    if (key.is_group) {
      groups += fmt::format("{}{}", groups.empty() ? "" : "|", key.name);
    } else {
      axes.emplace_back(std::string(key.name), values);
    }
  }
  const std::string by_name = fmt::format(R"({{"^({})\\..+$": {}}})", groups, values);
  const auto axis_mapping = [&](int indent) {
    return json_object({{"type", json_string("object")},
                        {"additionalProperties", "false"},
                        {"properties", json_object(axes, indent + 2)},
                        {"patternProperties", by_name}},
                       indent);
  };
  properties.emplace_back("over", axis_mapping(4));
  properties.emplace_back(
      "zip", json_object({{"type", R"(["object", "array"])"}, {"items", axis_mapping(6)}}, 4));
  JsonMembers schema = schema_head("a2a3sim sweep file");
  schema.insert(schema.end(), {{"type", json_string("object")},
                               {"additionalProperties", "false"},
                               {"properties", json_object(properties, 2)}});
  return json_object(schema, 0) + "\n";
}

}  // namespace a2a3::models
