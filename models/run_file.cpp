// SPDX-License-Identifier: Apache-2.0
#include "models/run_file.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ir/vocabulary.hpp"
#include "models/config/document.hpp"
#include "models/config/expect.hpp"
#include "models/config/json.hpp"
#include "models/config/whole_number.hpp"
#include "models/traffic/claim.hpp"

namespace a2a3::models {
namespace {

using Members = std::vector<std::pair<std::string, std::string>>;

class RunFileReader {
 public:
  explicit RunFileReader(RunFile& file) : file_(file) {}

  void read(const ConfigNode& root);

  /// The schema's properties of a mode.
  static Members mode_properties(int indent);

 private:
  /// A key of a mode: how it is read, and its place in the schema.
  struct Key {
    const char* name;
    void (RunFileReader::*read)(const ConfigEntry& entry, RunMode& mode);
    const char* schema;  ///< JSON members
    const char* help;
  };
  static const std::vector<Key>& mode_keys();

  static std::vector<std::string> names(std::vector<std::string> more = {}) {
    for (const Key& key : mode_keys())
      more.emplace_back(key.name);
    return more;
  }

  void read_mode(const ConfigNode& mapping, RunMode& mode) {
    for (const ConfigEntry& entry : mapping.entries) {
      for (const Key& key : mode_keys()) {
        if (entry.key == key.name) (this->*key.read)(entry, mode);
      }
    }
  }

  void read_entry(const ConfigEntry& entry, RunMode& mode) {
    if (text(entry)) mode.entry = RunText{entry.value.scalar, entry.value.location};
  }
  void read_set(const ConfigEntry& entry, RunMode& mode) { texts(entry, mode.settings); }
  void read_inputs(const ConfigEntry& entry, RunMode& mode) { texts(entry, mode.inputs); }
  void read_goldens(const ConfigEntry& entry, RunMode& mode) { texts(entry, mode.goldens); }
  void read_compare(const ConfigEntry& entry, RunMode& mode);
  void read_traffic(const ConfigEntry& entry, RunMode& mode);
  void read_ranks(const ConfigEntry& entry, RunMode& mode);
  std::optional<Comparison> comparison(const ConfigNode& value, const std::string& key);

  bool text(const ConfigEntry& entry) { return expect_scalar(entry, file_.diagnostics); }
  bool is_mapping(const ConfigEntry& entry) { return expect_mapping(entry, file_.diagnostics); }
  void texts(const ConfigEntry& entry, std::map<std::string, RunText>& into);
  void unknown_keys(const ConfigNode& mapping, const std::string& path,
                    const std::vector<std::string>& known) {
    report_unknown_keys(mapping, path, known, file_.diagnostics);
  }

  RunFile& file_;
};

const std::vector<RunFileReader::Key>& RunFileReader::mode_keys() {
  constexpr const char* text = R"("type": "string")";
  constexpr const char* scalars =
      R"("type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]})";
  constexpr const char* compare =
      R"("type": ["string", "object"], "additionalProperties": {"type": "string"})";
  constexpr const char* ranks =
      R"("type": "object", "additionalProperties": false, "properties": {"min": {"type": "integer", "minimum": 1}, "max": {"type": "integer", "minimum": 1}})";
  constexpr const char* traffic =
      R"("type": ["string", "object"], "additionalProperties": false, "properties": {"data": {"type": "string"}, "received": {"type": ["string", "number"]}, "sent": {"type": ["string", "number"]}, "local": {"type": ["string", "number"]}, "signals": {"type": ["string", "number"]}, "clears": {"type": ["string", "number"]}})";
  using Self = RunFileReader;
  static const std::vector<Key> keys = {
      {"entry", &Self::read_entry, text,
       "Host function, program class or factory of the kernel file."},
      {"set", &Self::read_set, scalars,
       "Module constants, factory arguments and dynamic dimensions by name."},
      {"inputs", &Self::read_inputs, scalars,
       "What the host function's In and InOut tensors hold, by name."},
      {"goldens", &Self::read_goldens, scalars,
       "What every rank's part of an output must hold, by name: an expression or a file.npy."},
      {"compare", &Self::read_compare, compare,
       "exact, tolerance(rtol=1e-5, atol=1e-6), or replay, also replay(allreduce.ring); or one of "
       "these for each output by name, exact for the others."},
      {"traffic", &Self::read_traffic, traffic,
       "What the kernels move beside their calls of collectives: a schedule by name, such as "
       "allreduce.ring, or formulas for bytes and messages per rank."},
      {"ranks", &Self::read_ranks, ranks, "How many ranks the kernel runs on."},
  };
  return keys;
}

Members RunFileReader::mode_properties(int indent) {
  Members members;
  for (const Key& key : mode_keys()) {
    members.emplace_back(key.name,
                         fmt::format("{{\n{0:{1}}\"description\": {2},\n{0:{1}}{3}\n{0:{4}}}}", "",
                                     indent + 2, json_string(key.help), key.schema, indent));
  }
  return members;
}

void RunFileReader::read(const ConfigNode& root) {
  unknown_keys(root, "", names({"description", "default_mode", "modes"}));
  RunMode common;
  read_mode(root, common);
  if (const ConfigEntry* entry = root.find("description"); entry != nullptr && text(*entry)) {
    file_.description = entry->value.scalar;
  }
  const ConfigEntry* modes = root.find("modes");
  if (modes == nullptr) {
    file_.modes.push_back(std::move(common));
  } else if (is_mapping(*modes)) {
    for (const ConfigEntry& entry : modes->value.entries) {
      RunMode mode = common;
      mode.name = entry.key;
      if (entry.value.kind != ConfigNode::Kind::null && is_mapping(entry)) {
        unknown_keys(entry.value, "modes." + entry.key, names());
        read_mode(entry.value, mode);
      }
      file_.modes.push_back(std::move(mode));
    }
    if (file_.modes.empty()) file_.diagnostics.error(modes->key_location, "'modes' names no mode");
  }
  if (!file_.modes.empty()) file_.default_mode = file_.modes.front().name;
  const ConfigEntry* chosen = root.find("default_mode");
  if (chosen == nullptr || !text(*chosen)) return;
  file_.default_mode = chosen->value.scalar;
  if (file_.find(file_.default_mode) != nullptr) return;
  std::vector<std::string> known;
  for (const RunMode& mode : file_.modes) {
    if (!mode.name.empty()) known.push_back(mode.name);
  }
  file_.diagnostics
      .error(chosen->value.location,
             fmt::format("default_mode '{}' is none of the modes{}", chosen->value.scalar,
                         ir::suggestion(chosen->value.scalar, known)))
      .notes.push_back({known.empty() ? "the file has no modes"
                                      : fmt::format("modes: {}", fmt::join(known, ", ")),
                        {}});
}

void RunFileReader::texts(const ConfigEntry& entry, std::map<std::string, RunText>& into) {
  if (!is_mapping(entry)) return;
  for (const ConfigEntry& item : entry.value.entries) {
    if (text(item)) into[item.key] = RunText{item.value.scalar, item.value.location};
  }
}

std::optional<Comparison> RunFileReader::comparison(const ConfigNode& value,
                                                    const std::string& key) {
  ir::Diagnostics found;
  std::optional<Comparison> comparison = parse_comparison(value.scalar, key, found);
  file_.diagnostics.keep_sources_of(found);
  for (const ir::Diagnostic& diagnostic : found.all()) {
    file_.diagnostics.error(value.location, diagnostic.message).notes = diagnostic.notes;
  }
  return comparison;
}

void RunFileReader::read_compare(const ConfigEntry& entry, RunMode& mode) {
  mode.comparison = {};
  mode.comparisons.clear();
  if (entry.value.kind != ConfigNode::Kind::mapping) {
    if (!text(entry)) return;
    mode.comparison = comparison(entry.value, "compare").value_or(Comparison{});
    return;
  }
  for (const ConfigEntry& output : entry.value.entries) {
    if (!text(output)) continue;
    if (const auto found = comparison(output.value, "compare." + output.key)) {
      mode.comparisons[output.key] = {*found, output.key_location};
    }
  }
}

void RunFileReader::read_traffic(const ConfigEntry& entry, RunMode& mode) {
  mode.traffic.reset();
  mode.traffic_formulas.clear();
  if (entry.value.kind == ConfigNode::Kind::scalar) {
    mode.traffic = RunText{entry.value.scalar, entry.value.location};
    return;
  }
  if (entry.value.kind != ConfigNode::Kind::mapping) {
    const bool null = entry.value.kind == ConfigNode::Kind::null;
    file_.diagnostics
        .error(null ? entry.key_location : entry.value.location,
               fmt::format("'traffic' must be a schedule or a mapping of formulas, got {}",
                           describe(entry.value.kind)))
        .notes.push_back({"write traffic: allreduce.ring, or traffic: {received: (P-1) * N}", {}});
    return;
  }
  std::vector<std::string> known = claim_quantities();
  known.emplace_back("data");
  unknown_keys(entry.value, "traffic", known);
  texts(entry, mode.traffic_formulas);
  if (entry.value.entries.empty()) {
    file_.diagnostics.error(entry.key_location, "'traffic' claims nothing");
  }
}

void RunFileReader::read_ranks(const ConfigEntry& entry, RunMode& mode) {
  if (!is_mapping(entry)) return;
  unknown_keys(entry.value, "ranks", {"min", "max"});
  mode.ranks_location = entry.key_location;
  for (const ConfigEntry& bound : entry.value.entries) {
    if (bound.key != "min" && bound.key != "max") continue;
    const auto value = whole_number<std::uint32_t>(bound.value.scalar);
    if (!value || *value == 0) {
      file_.diagnostics.error(
          bound.value.kind == ConfigNode::Kind::null ? bound.key_location : bound.value.location,
          fmt::format("ranks.{} must be a whole number from 1 up", bound.key));
      continue;
    }
    (bound.key == "min" ? mode.min_ranks : mode.max_ranks) = *value;
  }
  if (mode.max_ranks != 0 && mode.min_ranks > mode.max_ranks) {
    file_.diagnostics.error(entry.key_location, fmt::format("ranks: min {} is more than max {}",
                                                            mode.min_ranks, mode.max_ranks));
  }
}

std::string object_schema(Members head, const Members& properties, int indent) {
  head.emplace_back("type", indent == 0 ? json_string("object") : R"(["object", "null"])");
  head.emplace_back("additionalProperties", "false");
  head.emplace_back("properties", json_object(properties, indent + 2));
  return json_object(head, indent);
}

}  // namespace

std::string RunText::shown_as(const std::string& what) const {
  return location.known() ? fmt::format("{}:{}: {}", location.file->path(), location.line, what)
                          : what;
}

std::string run_file_schema() {
  const std::string text = json_object({{"type", json_string("string")}}, 4);
  Members properties = {{"description", text}, {"default_mode", text}};
  const std::string mode = object_schema({}, RunFileReader::mode_properties(10), 6);
  properties.emplace_back(
      "modes", json_object({{"type", json_string("object")}, {"additionalProperties", mode}}, 4));
  for (auto& property : RunFileReader::mode_properties(4))
    properties.push_back(property);
  return object_schema(schema_head("a2a3sim run file"), properties, 0) + "\n";
}

const RunMode* RunFile::find(const std::string& mode) const {
  const auto found =
      std::find_if(modes.begin(), modes.end(), [&](const RunMode& m) { return m.name == mode; });
  return found == modes.end() ? nullptr : &*found;
}

RunFile parse_run_file(ir::SourceFilePtr source, const ConfigLimits& limits) {
  RunFile file;
  ConfigDocument document = parse_document(std::move(source), limits);
  file.source = document.source;
  file.diagnostics = std::move(document.diagnostics);
  if (document.root.kind == ConfigNode::Kind::mapping) RunFileReader(file).read(document.root);
  file.diagnostics.sort();
  return file;
}

RunFile read_run_file(const std::filesystem::path& path, const ConfigLimits& limits) {
  TextFile text = read_text_file(path, path.string(), limits.max_file_bytes);
  if (text.source != nullptr) return parse_run_file(std::move(text.source), limits);
  RunFile file;
  file.diagnostics.error({}, text.error);
  return file;
}

const RunMode* choose_mode(const RunFile& file, const std::string& name,
                           ir::Diagnostics& diagnostics) {
  if (const RunMode* mode = file.find(name.empty() ? file.default_mode : name)) return mode;
  std::vector<std::string> known;
  for (const RunMode& mode : file.modes) {
    if (!mode.name.empty()) known.push_back(mode.name);
  }
  ir::Diagnostic& error =
      diagnostics.error({}, fmt::format("unknown mode '{}'{}", name, ir::suggestion(name, known)));
  error.notes.push_back({known.empty() ? std::string("the run file has no modes")
                                       : fmt::format("modes: {}", fmt::join(known, ", ")),
                         {}});
  return nullptr;
}

void check_rank_count(const RunMode& mode, std::uint32_t ranks, ir::Diagnostics& diagnostics) {
  if (ranks < mode.min_ranks) {
    diagnostics.error(mode.ranks_location, fmt::format("the kernel needs at least {} ranks, got {}",
                                                       mode.min_ranks, ranks));
  } else if (mode.max_ranks != 0 && ranks > mode.max_ranks) {
    diagnostics.error(
        mode.ranks_location,
        fmt::format("the kernel runs on at most {} ranks, got {}", mode.max_ranks, ranks));
  }
}

}  // namespace a2a3::models
