// SPDX-License-Identifier: Apache-2.0
#include "models/sweep_file.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/vocabulary.hpp"
#include "models/config/document.hpp"
#include "models/config/expect.hpp"
#include "models/config/whole_number.hpp"
#include "models/sweep_keys.hpp"
#include "models/value_range.hpp"

namespace a2a3::models {
namespace {

std::vector<std::string> key_names(bool groups) {
  std::vector<std::string> names;
  for (const SweepKey& key : sweep_keys()) {
    if (key.is_group == groups) names.emplace_back(key.name);
  }
  return names;
}

/// The key that "ranks" or "set.SIZE" means; nullptr when there is none.
const SweepKey* find_sweep_key(std::string_view text) {
  const std::size_t dot = text.find('.');
  for (const SweepKey& key : sweep_keys()) {
    if (key.is_group != (dot != std::string_view::npos && dot + 1 < text.size())) continue;
    if (key.name == text.substr(0, dot)) return &key;
  }
  return nullptr;
}

class SweepFileReader {
 public:
  explicit SweepFileReader(SweepFile& file) : file_(file) {}

  void read(const ConfigNode& root);

 private:
  void read_fixed(const ConfigEntry& entry, const SweepKey& key);
  void read_over(const ConfigEntry& entry);
  void read_zip(const ConfigEntry& entry);
  void add_axis(const std::vector<const ConfigEntry*>& columns);
  void refuse_repeated_rows(const SweepAxis& axis);
  std::vector<RunText> values(const ConfigEntry& entry);
  void check_value(const SweepKey& key, const RunText& value);
  bool claim(const std::string& key, const ir::SourceLocation& location);
  const SweepKey* key_of_axis(const ConfigEntry& entry);

  SweepFile& file_;
  std::map<std::string, ir::SourceLocation> given_;
};

/// Every key is given once: fixed, or on one axis.
bool SweepFileReader::claim(const std::string& key, const ir::SourceLocation& location) {
  const auto [first, free] = given_.emplace(key, location);
  if (!free) {
    file_.diagnostics.error(location, fmt::format("'{}' is given twice", key))
        .notes.push_back({"given here first", first->second});
  }
  return free;
}

void SweepFileReader::check_value(const SweepKey& key, const RunText& value) {
  if (key.least) {
    const auto number = whole_number<std::uint64_t>(value.text);
    if (!number || *number < *key.least || *number > key.most.value_or(*number)) {
      file_.diagnostics.error(
          value.location,
          fmt::format("'{}' must be a whole number from {} {}, got '{}'", key.name, *key.least,
                      key.most ? fmt::format("to {}", *key.most) : "up", value.text));
    }
  }
  if (!key.choices.empty() && std::ranges::find(key.choices, value.text) == key.choices.end()) {
    file_.diagnostics.error(value.location,
                            fmt::format("'{}' must be {}, got '{}'", key.name,
                                        fmt::join(key.choices, " or "), value.text));
  }
}

void SweepFileReader::read_fixed(const ConfigEntry& entry, const SweepKey& key) {
  const auto take = [&](const std::string& name, const ConfigEntry& one) {
    if (!expect_scalar(one, file_.diagnostics)) return;
    if (!claim(name, one.key_location)) return;
    const RunText value{one.value.scalar, one.value.location};
    check_value(key, value);
    file_.fixed[name] = value;
  };
  if (!key.is_group) return take(entry.key, entry);
  if (!expect_mapping(entry, file_.diagnostics)) return;
  for (const ConfigEntry& one : entry.value.entries)
    take(entry.key + "." + one.key, one);
}

/// The values of an axis: a list, whose items may be ranges, or a range.
std::vector<RunText> SweepFileReader::values(const ConfigEntry& entry) {
  std::vector<RunText> texts;
  const auto take = [&](const ConfigNode& node) {
    const auto range = node.quoted ? std::nullopt : parse_range(node.scalar);
    if (!range) {
      texts.push_back({node.scalar, node.location});
      return;
    }
    if (!range->error.empty()) file_.diagnostics.error(node.location, range->error);
    for (const std::string& value : range->values)
      texts.push_back({value, node.location});
  };
  if (entry.value.kind == ConfigNode::Kind::scalar && parse_range(entry.value.scalar)) {
    take(entry.value);
    return texts;
  }
  if (entry.value.kind != ConfigNode::Kind::sequence || entry.value.items.empty()) {
    file_.diagnostics.error(
        place_of_value(entry),
        fmt::format("the axis '{}' must be a list of values or a range, as in [2, 4, 8] or 2..8",
                    entry.key));
    return texts;
  }
  for (const ConfigNode& item : entry.value.items) {
    if (item.kind == ConfigNode::Kind::scalar) {
      take(item);
      continue;
    }
    file_.diagnostics.error(
        item.kind == ConfigNode::Kind::null ? entry.key_location : item.location,
        fmt::format("values of '{}' must be single ones, got {}", entry.key, describe(item.kind)));
  }
  return texts;
}

const SweepKey* SweepFileReader::key_of_axis(const ConfigEntry& entry) {
  if (const SweepKey* key = find_sweep_key(entry.key)) return key;
  std::vector<std::string> known = key_names(false);
  for (const std::string& group : key_names(true))
    known.push_back(group + ".NAME");
  const std::vector<std::string> groups = key_names(true);
  if (std::ranges::find(groups, entry.key) != groups.end()) {
    file_.diagnostics.error(entry.key_location, fmt::format("an axis names one value: write "
                                                            "'{}.NAME'",
                                                            entry.key));
    return nullptr;
  }
  const std::string hint = ir::suggestion(entry.key, known);
  ir::Diagnostic& error = file_.diagnostics.error(
      entry.key_location, fmt::format("unknown axis '{}'{}", entry.key, hint));
  if (hint.empty())
    error.notes.push_back({fmt::format("known axes: {}", fmt::join(known, ", ")), {}});
  return nullptr;
}

/// The same run twice would be one row twice.
void SweepFileReader::refuse_repeated_rows(const SweepAxis& axis) {
  std::set<std::vector<std::string>> seen;
  for (const std::vector<RunText>& row : axis.rows) {
    std::vector<std::string> texts;
    for (const RunText& value : row)
      texts.push_back(value.text);
    if (texts.empty() || seen.insert(texts).second) continue;
    file_.diagnostics.error(row.front().location,
                            fmt::format("the axis '{}' has the value {} twice",
                                        fmt::join(axis.keys, "', '"), fmt::join(texts, ", ")));
    return;
  }
}

void SweepFileReader::add_axis(const std::vector<const ConfigEntry*>& columns) {
  SweepAxis axis;
  const ConfigEntry* longest = nullptr;
  for (const ConfigEntry* column : columns) {
    const SweepKey* key = key_of_axis(*column);
    if (key == nullptr || !claim(column->key, column->key_location)) continue;
    const std::vector<RunText> texts = values(*column);
    for (const RunText& text : texts)
      check_value(*key, text);
    if (texts.empty()) continue;
    if (longest != nullptr && texts.size() != axis.rows.size()) {
      file_.diagnostics
          .error(column->key_location,
                 fmt::format("'{}' has {} values and '{}' has {}; the lists of one item of zip are "
                             "equally long",
                             column->key, texts.size(), longest->key, axis.rows.size()))
          .notes.push_back({"taken row by row with this", longest->key_location});
      continue;
    }
    if (longest == nullptr) axis.rows.resize(texts.size());
    longest = column;
    axis.keys.push_back(column->key);
    for (std::size_t i = 0; i < texts.size(); ++i)
      axis.rows[i].push_back(texts[i]);
  }
  refuse_repeated_rows(axis);
  if (!axis.keys.empty()) file_.axes.push_back(std::move(axis));
}

void SweepFileReader::read_over(const ConfigEntry& entry) {
  if (!expect_mapping(entry, file_.diagnostics)) return;
  for (const ConfigEntry& axis : entry.value.entries)
    add_axis({&axis});
}

void SweepFileReader::read_zip(const ConfigEntry& entry) {
  const auto add = [&](const ConfigNode& mapping) {
    std::vector<const ConfigEntry*> columns;
    for (const ConfigEntry& column : mapping.entries)
      columns.push_back(&column);
    add_axis(columns);
  };
  if (entry.value.kind == ConfigNode::Kind::mapping) return add(entry.value);
  bool right = entry.value.kind == ConfigNode::Kind::sequence;
  for (const ConfigNode& item : entry.value.items)
    right = right && item.kind == ConfigNode::Kind::mapping;
  if (!right) {
    file_.diagnostics.error(place_of_value(entry),
                            "'zip' must be a mapping of lists, or a list of such mappings");
    return;
  }
  for (const ConfigNode& item : entry.value.items)
    add(item);
}

void SweepFileReader::read(const ConfigNode& root) {
  std::vector<std::string> known = key_names(false);
  for (const std::string& group : key_names(true))
    known.push_back(group);
  for (const char* more : {"description", "over", "zip"})
    known.emplace_back(more);
  report_unknown_keys(root, "", known, file_.diagnostics);
  for (const ConfigEntry& entry : root.entries) {
    if (entry.key == "description" && expect_scalar(entry, file_.diagnostics)) {
      file_.description = entry.value.scalar;
    }
    for (const SweepKey& key : sweep_keys()) {
      if (entry.key == key.name) read_fixed(entry, key);
    }
  }
  if (const ConfigEntry* over = root.find("over")) read_over(*over);
  if (const ConfigEntry* zip = root.find("zip")) read_zip(*zip);
  if (!given_.contains("kernel")) {
    file_.diagnostics.error(root.location, "the sweep names no kernel file")
        .notes.push_back({"write kernel: FILE.py, or make it an axis", {}});
  }
  const auto ranks = given_.find("ranks");
  if (ranks != given_.end() && given_.contains("devices")) {
    file_.diagnostics.error(ranks->second, "give ranks or devices, not both")
        .notes.push_back({"devices are given here", given_.at("devices")});
  }
}

}  // namespace

std::vector<std::string> SweepFile::axis_keys() const {
  std::vector<std::string> keys;
  for (const SweepAxis& axis : axes)
    keys.insert(keys.end(), axis.keys.begin(), axis.keys.end());
  return keys;
}

std::uint64_t SweepFile::points() const {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t product = 1;
  for (const SweepAxis& axis : axes)
    product = product > kMost / axis.rows.size() ? kMost : product * axis.rows.size();
  return product;
}

std::vector<RunText> SweepFile::point(std::uint64_t index) const {
  std::vector<std::size_t> row(axes.size());
  for (std::size_t i = axes.size(); i-- > 0;) {
    row[i] = static_cast<std::size_t>(index % axes[i].rows.size());
    index /= axes[i].rows.size();
  }
  std::vector<RunText> texts;
  for (std::size_t i = 0; i < axes.size(); ++i)
    texts.insert(texts.end(), axes[i].rows[row[i]].begin(), axes[i].rows[row[i]].end());
  return texts;
}

SweepFile parse_sweep_file(ir::SourceFilePtr source, const ConfigLimits& limits) {
  SweepFile file;
  ConfigDocument document = parse_document(std::move(source), limits);
  file.source = document.source;
  file.diagnostics = std::move(document.diagnostics);
  if (document.root.kind == ConfigNode::Kind::mapping) SweepFileReader(file).read(document.root);
  file.diagnostics.sort();
  return file;
}

SweepFile read_sweep_file(const std::filesystem::path& path, const ConfigLimits& limits) {
  TextFile text = read_text_file(path, path.string(), limits.max_file_bytes);
  if (text.source != nullptr) return parse_sweep_file(std::move(text.source), limits);
  SweepFile file;
  file.diagnostics.error({}, text.error);
  return file;
}

}  // namespace a2a3::models
