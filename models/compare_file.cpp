// SPDX-License-Identifier: Apache-2.0
#include "models/compare_file.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ir/vocabulary.hpp"
#include "models/config/document.hpp"
#include "models/config/expect.hpp"
#include "models/config/json.hpp"

namespace a2a3::models {
namespace {

constexpr const char* kTargetCounts = "target";
constexpr const char* kSliceCounts = "slices";

class CompareFileReader {
 public:
  explicit CompareFileReader(CompareFile& file) : file_(file) {}

  void read(const ConfigNode& root);

  /// A key of a schedule: how it is read, and its place in the schema.
  struct Key {
    const char* name;
    void (CompareFileReader::*read)(const ConfigEntry& entry, ComparedSchedule& schedule);
    const char* schema;
  };
  static const std::vector<Key>& keys();

 private:
  static std::vector<std::string> key_names_and(std::vector<std::string> more) {
    for (const Key& key : keys())
      more.emplace_back(key.name);
    return more;
  }

  void read_keys(const ConfigNode& mapping, ComparedSchedule& schedule) {
    for (const ConfigEntry& entry : mapping.entries) {
      for (const Key& key : keys()) {
        if (entry.key == key.name) (this->*key.read)(entry, schedule);
      }
    }
  }

  bool scalar(const ConfigEntry& entry) { return expect_scalar(entry, file_.diagnostics); }
  void read_kernel(const ConfigEntry& entry, ComparedSchedule& schedule) {
    if (scalar(entry)) schedule.kernel = {entry.value.scalar, entry.value.location};
  }
  void read_mode(const ConfigEntry& entry, ComparedSchedule& schedule) {
    if (scalar(entry)) schedule.mode = entry.value.scalar;
  }
  void read_entry(const ConfigEntry& entry, ComparedSchedule& schedule) {
    if (scalar(entry)) schedule.entry = entry.value.scalar;
  }
  void read_size(const ConfigEntry& entry, ComparedSchedule& schedule) {
    if (scalar(entry)) schedule.size = entry.value.scalar;
  }
  void read_counts(const ConfigEntry& entry, ComparedSchedule& schedule);
  void read_dtype(const ConfigEntry& entry, ComparedSchedule& schedule);
  void read_set(const ConfigEntry& entry, ComparedSchedule& schedule);
  void read_schedules(const ConfigEntry& entry, const ComparedSchedule& common);

  CompareFile& file_;
};

const std::vector<CompareFileReader::Key>& CompareFileReader::keys() {
  using Self = CompareFileReader;
  constexpr const char* text = R"({"type": "string"})";
  static const std::vector<Key> all = {
      {"kernel", &Self::read_kernel, text},
      {"mode", &Self::read_mode, text},
      {"entry", &Self::read_entry, text},
      {"size", &Self::read_size, text},
      {"counts", &Self::read_counts, R"({"enum": ["target", "slices"]})"},
      {"dtype", &Self::read_dtype, text},
      {"set", &Self::read_set,
       R"({"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}})"},
  };
  return all;
}

void CompareFileReader::read_counts(const ConfigEntry& entry, ComparedSchedule& schedule) {
  if (!scalar(entry)) return;
  if (entry.value.scalar == kTargetCounts) {
    schedule.counts = ScheduleData::target;
  } else if (entry.value.scalar == kSliceCounts) {
    schedule.counts = ScheduleData::slices;
  } else {
    file_.diagnostics.error(
        entry.value.location,
        fmt::format("'counts' must be target (elements of one rank's data) or slices (elements of "
                    "one of its P slices), got '{}'",
                    entry.value.scalar));
  }
}

void CompareFileReader::read_dtype(const ConfigEntry& entry, ComparedSchedule& schedule) {
  if (!scalar(entry)) return;
  if (const auto dtype = isa::dtype_from_name(entry.value.scalar)) {
    schedule.dtype = *dtype;
  } else {
    file_.diagnostics.error(
        entry.value.location,
        fmt::format("unknown dtype '{}': expected one like FP32 or FP16", entry.value.scalar));
  }
}

void CompareFileReader::read_set(const ConfigEntry& entry, ComparedSchedule& schedule) {
  if (!expect_mapping(entry, file_.diagnostics)) return;
  for (const ConfigEntry& one : entry.value.entries) {
    if (scalar(one)) schedule.settings[one.key] = one.value.scalar;
  }
}

void CompareFileReader::read_schedules(const ConfigEntry& entry, const ComparedSchedule& common) {
  if (!expect_mapping(entry, file_.diagnostics)) return;
  if (entry.value.entries.empty()) {
    file_.diagnostics.error(entry.key_location, "'schedules' names no schedule");
  }
  for (const ConfigEntry& one : entry.value.entries) {
    if (!expect_mapping(one, file_.diagnostics)) continue;
    report_unknown_keys(one.value, "schedules." + one.key, key_names_and({}), file_.diagnostics);
    ComparedSchedule schedule = common;
    schedule.name = one.key;
    read_keys(one.value, schedule);
    if (schedule.kernel.text.empty()) {
      file_.diagnostics.error(one.key_location,
                              fmt::format("schedule '{}' names no kernel file", one.key));
    }
    if (schedule.size.empty()) {
      file_.diagnostics.error(
          one.key_location,
          fmt::format("schedule '{}' names no setting that counts elements: write size: SIZE",
                      one.key));
    }
    file_.schedules.push_back(std::move(schedule));
  }
}

void CompareFileReader::read(const ConfigNode& root) {
  report_unknown_keys(root, "", key_names_and({"description", "schedules"}), file_.diagnostics);
  if (const ConfigEntry* entry = root.find("description"); entry != nullptr && scalar(*entry)) {
    file_.description = entry->value.scalar;
  }
  ComparedSchedule common;
  read_keys(root, common);
  if (const ConfigEntry* schedules = root.find("schedules")) {
    read_schedules(*schedules, common);
  } else {
    file_.diagnostics.error(root.location, "the file has no 'schedules'");
  }
}

}  // namespace

std::int64_t ComparedSchedule::elements(std::uint64_t bytes, std::uint32_t ranks) const {
  const auto per_element = static_cast<std::uint64_t>(buffer_bytes(1, ranks));
  return static_cast<std::int64_t>(bytes / per_element + (bytes % per_element == 0 ? 0 : 1));
}

std::uint64_t ComparedSchedule::buffer_bytes(std::int64_t elements, std::uint32_t ranks) const {
  Schedule schedule;
  schedule.data = counts;
  return static_cast<std::uint64_t>(
      schedule.buffer_bytes({.ranks = ranks,
                             .elements = elements,
                             .element_bytes = static_cast<std::int64_t>(isa::size_of(dtype))}));
}

const ComparedSchedule* CompareFile::find(const std::string& name) const {
  const auto found = std::ranges::find(schedules, name, &ComparedSchedule::name);
  return found == schedules.end() ? nullptr : &*found;
}

std::vector<std::string> CompareFile::names() const {
  std::vector<std::string> all;
  for (const ComparedSchedule& schedule : schedules)
    all.push_back(schedule.name);
  return all;
}

CompareFile parse_compare_file(ir::SourceFilePtr source, const ConfigLimits& limits) {
  CompareFile file;
  ConfigDocument document = parse_document(std::move(source), limits);
  file.source = document.source;
  file.diagnostics = std::move(document.diagnostics);
  if (document.root.kind == ConfigNode::Kind::mapping) CompareFileReader(file).read(document.root);
  file.diagnostics.sort();
  return file;
}

CompareFile read_compare_file(const std::filesystem::path& path, const ConfigLimits& limits) {
  TextFile text = read_text_file(path, path.string(), limits.max_file_bytes);
  if (text.source != nullptr) return parse_compare_file(std::move(text.source), limits);
  CompareFile file;
  file.diagnostics.error({}, text.error);
  return file;
}

std::string compare_file_schema() {
  std::vector<std::pair<std::string, std::string>> properties;
  for (const CompareFileReader::Key& key : CompareFileReader::keys())
    properties.emplace_back(key.name, key.schema);
  const std::string schedule = json_object({{"type", json_string("object")},
                                            {"additionalProperties", "false"},
                                            {"properties", json_object(properties, 8)}},
                                           6);
  properties.emplace_back("description", R"({"type": "string"})");
  properties.emplace_back(
      "schedules",
      json_object({{"type", json_string("object")}, {"additionalProperties", schedule}}, 4));
  JsonMembers schema = schema_head("a2a3sim compare file");
  schema.insert(schema.end(), {{"type", json_string("object")},
                               {"additionalProperties", "false"},
                               {"required", R"(["schedules"])"},
                               {"properties", json_object(properties, 2)}});
  return json_object(schema, 0) + "\n";
}

}  // namespace a2a3::models
