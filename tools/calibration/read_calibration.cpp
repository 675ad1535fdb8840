// SPDX-License-Identifier: Apache-2.0
#include "tools/calibration/read_calibration.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/vocabulary.hpp"
#include "models/config/document.hpp"
#include "tools/data_dir.hpp"

namespace a2a3::tools {
namespace {

using models::ConfigEntry;
using models::ConfigNode;
using models::Quantity;

constexpr std::array kUnits = {CalibrationUnit::counts, CalibrationUnit::cycles,
                               CalibrationUnit::nanoseconds, CalibrationUnit::microseconds,
                               CalibrationUnit::gigabytes_per_second};

class CalibrationReader {
 public:
  explicit CalibrationReader(CalibrationFile& file) : diagnostics_(file.diagnostics) {}

  CalibrationData read(const ConfigNode& root) {
    models::report_unknown_keys(root, "", {"machine", "count", "tables"}, diagnostics_);
    CalibrationData data;
    data.machine = text(root, "machine");
    data.count_seconds = number(root, "count", Quantity::time, 1e-12, 1).value_or(1);
    const ConfigEntry* tables = required(root, "tables", ConfigNode::Kind::mapping);
    if (tables == nullptr) return data;
    for (const ConfigEntry& entry : tables->value.entries)
      data.tables.push_back(table(entry));
    return data;
  }

 private:
  CalibrationTable table(const ConfigEntry& entry) {
    CalibrationTable table;
    table.name = entry.key;
    const ConfigNode& node = entry.value;
    if (node.kind != ConfigNode::Kind::mapping) {
      diagnostics_.error(entry.key_location, fmt::format("'{}' must be a mapping, got {}",
                                                         entry.key, models::describe(node.kind)));
      return table;
    }
    models::report_unknown_keys(
        node, entry.key,
        {"title", "source", "workload", "given", "unit", "row_error", "mean_error", "rows"},
        diagnostics_);
    table.title = text(node, "title");
    table.source = text(node, "source");
    std::vector<std::string> units;
    for (const CalibrationUnit unit : kUnits)
      units.emplace_back(name(unit));
    if (const auto unit = word(node, "unit", units)) table.unit = kUnits.at(*unit);
    std::vector<std::string> names;
    for (const Workload& workload : workloads())
      names.emplace_back(workload.name);
    const auto workload = word(node, "workload", names);
    if (workload) table.workload = &workloads()[*workload];
    const double row_error = number(node, "row_error", Quantity::ratio, 0, 1).value_or(0);
    if (node.find("mean_error") != nullptr)
      table.mean_error = number(node, "mean_error", Quantity::ratio, 0, 1);
    const ConfigEntry* rows = required(node, "rows", ConfigNode::Kind::sequence);
    if (rows == nullptr || table.workload == nullptr) return table;
    if (rows->value.items.empty())
      diagnostics_.error(rows->key_location, "a table needs at least one row");
    ConfigNode nothing;
    nothing.kind = ConfigNode::Kind::mapping;
    const ConfigEntry* given = node.find("given");
    const ConfigNode& shared = given != nullptr ? given->value : nothing;
    for (const ConfigNode& row : rows->value.items)
      table.rows.push_back(this->row(row, shared, *table.workload, row_error));
    return table;
  }

  CalibrationRow row(const ConfigNode& node, const ConfigNode& shared, const Workload& workload,
                     double row_error) {
    CalibrationRow row;
    row.location = node.location;
    if (node.kind != ConfigNode::Kind::mapping || shared.kind != ConfigNode::Kind::mapping) {
      diagnostics_.error(node.location, "a row, and what is given for all, must be mappings");
      return row;
    }
    std::vector<std::string> known = {"measured", "row_error"};
    std::vector<std::string> parts;
    for (const WorkloadKey& key : workload.keys) {
      known.push_back(key.key);
      const bool own = node.find(key.key) != nullptr;
      const ConfigNode& from = own || shared.find(key.key) == nullptr ? node : shared;
      if (!key.words.empty()) {
        const auto value = word(from, key.key, key.words);
        row.input[key.key] = static_cast<double>(value.value_or(0));
        if (own && value) parts.push_back(key.words[*value]);
        continue;
      }
      const double value = number(from, key.key, key.quantity, key.low, key.high).value_or(key.low);
      row.input[key.key] = value;
      if (own) parts.push_back(label(key, value));
    }
    models::report_unknown_keys(node, "", known, diagnostics_);
    row.label = fmt::format("{}", fmt::join(parts, ", "));
    row.measured = number(node, "measured", Quantity::ratio, 1e-12, 1e12).value_or(1);
    row.row_error = node.find("row_error") == nullptr
                        ? row_error
                        : number(node, "row_error", Quantity::ratio, 0, 1).value_or(0);
    return row;
  }

  static std::string label(const WorkloadKey& key, double value) {
    const std::string text = models::format_quantity(value, key.quantity);
    return key.key == "bytes" ? text : key.key + " " + text;
  }

  const ConfigEntry* required(const ConfigNode& node, std::string_view key, ConfigNode::Kind kind) {
    const ConfigEntry* entry = node.find(key);
    if (entry == nullptr) {
      diagnostics_.error(node.location, fmt::format("'{}' is missing", key));
    } else if (entry->value.kind != kind) {
      diagnostics_.error(entry->key_location,
                         fmt::format("'{}' must be {}, got {}", key, models::describe(kind),
                                     models::describe(entry->value.kind)));
      return nullptr;
    }
    return entry;
  }

  std::string text(const ConfigNode& node, std::string_view key) {
    const ConfigEntry* entry = required(node, key, ConfigNode::Kind::scalar);
    return entry == nullptr ? "" : entry->value.scalar;
  }

  /// Index of the word that the key has.
  std::optional<std::size_t> word(const ConfigNode& node, std::string_view key,
                                  const std::vector<std::string>& words) {
    const ConfigEntry* entry = required(node, key, ConfigNode::Kind::scalar);
    if (entry == nullptr) return std::nullopt;
    const auto found = std::find(words.begin(), words.end(), entry->value.scalar);
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    diagnostics_
        .error(entry->value.location,
               fmt::format("{}: unknown word '{}'{}", key, entry->value.scalar,
                           ir::suggestion(entry->value.scalar, words)))
        .notes.push_back({fmt::format("words: {}", fmt::join(words, ", ")), {}});
    return std::nullopt;
  }

  std::optional<double> number(const ConfigNode& node, std::string_view key, Quantity quantity,
                               double low, double high) {
    const ConfigEntry* entry = required(node, key, ConfigNode::Kind::scalar);
    if (entry == nullptr) return std::nullopt;
    const models::ParsedQuantity parsed = models::parse_quantity(entry->value.scalar, quantity);
    if (!parsed.error.empty()) {
      diagnostics_.error(entry->value.location, fmt::format("{}: {}", key, parsed.error));
      return std::nullopt;
    }
    if (parsed.value < low || parsed.value > high) {
      diagnostics_.error(entry->value.location,
                         fmt::format("{}: {} is out of range: {} to {}", key, entry->value.scalar,
                                     models::format_quantity(low, quantity),
                                     models::format_quantity(high, quantity)));
      return std::nullopt;
    }
    return parsed.value;
  }

  ir::Diagnostics& diagnostics_;
};

}  // namespace

std::vector<std::string> calibration_names(const std::filesystem::path& data_dir) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator(data_dir / "yaml" / "calibration", ignored)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

CalibrationFile read_calibration(const std::string& name_or_path,
                                 const std::filesystem::path& data_dir,
                                 const models::ConfigLimits& limits) {
  CalibrationFile file;
  const std::filesystem::path path =
      models::is_config_path(name_or_path)
          ? std::filesystem::path(name_or_path)
          : data_dir / "yaml" / "calibration" / (name_or_path + ".yaml");
  models::TextFile text =
      models::read_text_file(path, path.lexically_normal().string(), limits.max_file_bytes);
  if (text.source == nullptr) {
    ir::Diagnostic& error = file.diagnostics.error({}, text.error);
    if (!models::is_config_path(name_or_path)) {
      error.notes.push_back(
          {fmt::format("shipped measurements: {}", fmt::join(calibration_names(data_dir), ", ")),
           {}});
    }
    return file;
  }
  file.source = text.source;
  models::ConfigDocument document = models::parse_document(text.source, limits);
  file.diagnostics.append(std::move(document.diagnostics));
  CalibrationData data = CalibrationReader(file).read(document.root);
  file.diagnostics.sort();
  if (!file.diagnostics.has_errors()) file.data = std::move(data);
  return file;
}

}  // namespace a2a3::tools
