// SPDX-License-Identifier: Apache-2.0
#include "models/machine_yaml.hpp"

#include <algorithm>
#include <map>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/vocabulary.hpp"
#include "models/config/document.hpp"
#include "models/machine_check.hpp"
#include "models/machine_fields.hpp"
#include "models/machine_lists.hpp"

namespace a2a3::models {
namespace {

namespace fs = std::filesystem;

fs::path shipped_dir(const MachineSearch& search) {
  return search.data_dir / "yaml" / "machines";
}

/// A value and where the last file that gave it stands.
struct Given {
  double value = 0;
  std::string source;
  ir::SourceLocation location;
  int file = 0;  ///< of the files in the order of their reading; 0 for defaults
};

/// Reads a file and its bases, the bases first, so that a later value replaces an earlier one.
class Reader {
 public:
  explicit Reader(const MachineSearch& search) : search_(search) {}

  /// `extends_at` is the place that asked for the file; unknown for the user's own request.
  void read(const std::string& name_or_path, const fs::path& relative_to,
            const ir::SourceLocation& extends_at) {
    fs::path path;
    bool shipped = false;
    if (is_config_path(name_or_path)) {
      path = relative_to / name_or_path;
    } else {
      shipped = true;
      path = shipped_dir(search_) / (name_or_path + ".yaml");
      std::error_code failure;
      if (!fs::exists(path, failure)) return unknown_machine(name_or_path, extends_at);
    }
    std::error_code failure;
    fs::path identity = fs::canonical(path, failure);
    if (failure) identity = path;
    if (std::find(open_.begin(), open_.end(), identity) != open_.end()) {
      result_.diagnostics.error(extends_at,
                                fmt::format("extends goes in a circle: {}", circle(identity)));
      return;
    }
    TextFile text =
        read_text_file(path, path.lexically_normal().string(), search_.limits.max_file_bytes);
    if (text.source == nullptr) {
      result_.diagnostics.error(extends_at, text.error);
      return;
    }
    result_.sources.push_back(text.source);
    ConfigDocument document = parse_document(text.source, search_.limits);
    result_.diagnostics.append(std::move(document.diagnostics));
    open_.push_back(identity);
    if (const ConfigEntry* base = document.root.find("extends")) {
      if (text_value(*base)) read(base->value.scalar, path.parent_path(), base->value.location);
    }
    open_.pop_back();
    if (open_.empty()) name_ = path.stem().string();
    ++file_;
    read_mapping(document.root, "", shipped);
  }

  MachineYaml finish() {
    MachineDescription machine;
    machine.name = name_;
    machine.description = description_;
    const bool complete = !result_.diagnostics.has_errors();
    for (const MachineField& field : machine_fields()) {
      if (field.fallback) given_.emplace(field.path, Given{*field.fallback, "default", {}});
      const auto given = given_.find(field.path);
      if (given != given_.end()) field.set(machine, given->second.value);
    }
    for (const MachineField& field : machine_fields()) {
      const auto given = given_.find(field.path);
      if (field.read_by != nullptr && !field.read_by(machine)) {
        if (complete && given != given_.end()) unread(field, given->second);
      } else if (given != given_.end()) {
        result_.values.push_back({field.path, field.text(given->second.value), given->second.source,
                                  given->second.location, field.help});
      } else if (complete) {
        missing(field);
      }
    }
    take_lists(machine);
    if (!result_.diagnostics.has_errors()) {
      const auto locate = [this](const std::string& path) { return given_.at(path).location; };
      check_together(machine, slow_links_, placement_, locate, result_.diagnostics);
    }
    if (!result_.diagnostics.has_errors()) result_.machine = std::move(machine);
    result_.diagnostics.sort();
    return std::move(result_);
  }

 private:
  void unknown_machine(const std::string& name, const ir::SourceLocation& extends_at) {
    const std::vector<std::string> names = shipped_machines(search_);
    ir::Diagnostic& error = result_.diagnostics.error(
        extends_at, fmt::format("unknown machine '{}'{}", name, ir::suggestion(name, names)));
    error.notes.push_back({fmt::format("shipped machines: {}; a file of your own is named by its "
                                       "path, for example ./{}.yaml",
                                       fmt::join(names, ", "), name),
                           {}});
  }

  [[nodiscard]] std::string circle(const fs::path& again) const {
    std::string text;
    for (auto file = std::find(open_.begin(), open_.end(), again); file != open_.end(); ++file) {
      text += file->filename().string() + " -> ";
    }
    return text + again.filename().string();
  }

  bool text_value(const ConfigEntry& entry) {
    if (entry.value.kind == ConfigNode::Kind::scalar && !entry.value.scalar.empty()) return true;
    result_.diagnostics.error(
        entry.value.kind == ConfigNode::Kind::null ? entry.key_location : entry.value.location,
        fmt::format("'{}' must be text, got {}", entry.key, describe(entry.value.kind)));
    return false;
  }

  void read_mapping(const ConfigNode& mapping, const std::string& path, bool shipped) {
    const std::vector<std::string>& known = machine_mappings().at(path);
    report_unknown_keys(mapping, path, known, result_.diagnostics);
    for (const ConfigEntry& entry : mapping.entries) {
      if (std::find(known.begin(), known.end(), entry.key) == known.end()) continue;
      const std::string inner = path.empty() ? entry.key : path + "." + entry.key;
      if (inner == "description") {
        if (text_value(entry)) description_ = entry.value.scalar;
      } else if (inner == "sources") {
        read_legend(entry);
      } else if (inner == "slow_links") {
        slow_links_ = read_slow_links(entry, result_.diagnostics);
        for (auto& one : slow_links_)
          if (one.source.empty()) one.source = shipped ? "none given" : "user file";
      } else if (inner == "placement") {
        placement_ = read_placement(entry, result_.diagnostics);
        for (auto& one : placement_)
          if (one.source.empty()) one.source = shipped ? "none given" : "user file";
      } else if (inner == "memory" && entry.value.kind == ConfigNode::Kind::scalar) {
        read_field(entry, "memory.order", shipped);  // the short form of that key
      } else if (machine_mappings().count(inner) != 0) {
        read_section(entry, inner, shipped);
      } else {
        read_field(entry, inner, shipped);
      }
    }
  }

  void read_field(const ConfigEntry& entry, const std::string& path, bool shipped) {
    for (const MachineField& field : machine_fields()) {
      if (field.path == path) read_value(entry, field, shipped);
    }
  }

  void read_legend(const ConfigEntry& entry) {
    if (entry.value.kind != ConfigNode::Kind::mapping) {
      result_.diagnostics.error(entry.key_location,
                                fmt::format("'sources' must be a mapping of codes to texts, got {}",
                                            describe(entry.value.kind)));
      return;
    }
    for (const ConfigEntry& code : entry.value.entries) {
      if (!text_value(code)) continue;
      auto known = std::find_if(result_.legend.begin(), result_.legend.end(),
                                [&](const auto& other) { return other.first == code.key; });
      if (known == result_.legend.end()) known = result_.legend.insert(known, {code.key, {}});
      known->second = code.value.scalar;
    }
  }

  void read_section(const ConfigEntry& entry, const std::string& path, bool shipped) {
    if (entry.value.kind == ConfigNode::Kind::mapping) {
      read_mapping(entry.value, path, shipped);
      return;
    }
    result_.diagnostics
        .error(entry.key_location,
               fmt::format("'{}' must be a mapping, got {}", path, describe(entry.value.kind)))
        .notes.push_back(
            {fmt::format("its keys: {}", fmt::join(machine_mappings().at(path), ", ")), {}});
  }

  void read_value(const ConfigEntry& entry, const MachineField& field, bool shipped) {
    if (entry.value.kind != ConfigNode::Kind::scalar) {
      const bool null = entry.value.kind == ConfigNode::Kind::null;
      result_.diagnostics.error(null ? entry.key_location : entry.value.location,
                                fmt::format("'{}' must be {}, got {}", field.path, expected(field),
                                            describe(entry.value.kind)));
      return;
    }
    Given given{0, trailing_comment(entry.value.location), entry.value.location, file_};
    if (given.source.empty()) given.source = shipped ? "none given" : "user file";
    const auto word = std::find(field.words.begin(), field.words.end(), entry.value.scalar);
    if (word != field.words.end()) {
      given.value = static_cast<double>(word - field.words.begin());
    } else if (!number(entry.value, field, given.value)) {
      return;
    }
    given_[field.path] = std::move(given);
  }

  /// Reads a number inside the field's range; reports what is wrong with it.
  bool number(const ConfigNode& node, const MachineField& field, double& value) {
    if (!field.words.empty() && !field.or_number) {
      result_.diagnostics.error(
          node.location, fmt::format("{}: expected {}, got '{}'{}", field.path, expected(field),
                                     node.scalar, ir::suggestion(node.scalar, field.words)));
      return false;
    }
    const ParsedQuantity parsed = parse_quantity(node.scalar, field.quantity);
    if (!parsed.error.empty()) {
      ir::SourceLocation where = node.location;
      if (!node.quoted && parsed.error_begin + parsed.error_length <= where.length) {
        where.column += static_cast<std::uint32_t>(parsed.error_begin);
        where.length = static_cast<std::uint32_t>(std::max<std::size_t>(1, parsed.error_length));
      }
      ir::Diagnostic& error =
          result_.diagnostics.error(where, fmt::format("{}: {}", field.path, parsed.error));
      if (const std::string units = unit_names(field.quantity); !units.empty()) {
        error.notes.push_back({"units: " + units, {}});
      }
      if (field.or_number) {
        error.notes.push_back({fmt::format("or: {}", fmt::join(field.words, ", ")), {}});
      }
      return false;
    }
    if (parsed.value < field.low || parsed.value > field.high) {
      result_.diagnostics.error(
          node.location, fmt::format("{}: {} is out of range: {} to {}", field.path, node.scalar,
                                     format_quantity(field.low, field.quantity),
                                     format_quantity(field.high, field.quantity)));
      return false;
    }
    value = parsed.value;
    return true;
  }

  static std::string expected(const MachineField& field) {
    std::string text;
    if (field.words.empty() || field.or_number) {
      text = fmt::format("{} (for example {})", describe(field.quantity), example(field.quantity));
    }
    for (const std::string& word : field.words) {
      text += (text.empty() ? "" : " or ") + word;
    }
    return text;
  }

  void missing(const MachineField& field) {
    const ir::SourceLocation file{result_.sources.front().get(), 1, 1, 1};
    result_.diagnostics
        .error(file, fmt::format("'{}' is missing: expected {}", field.path, expected(field)))
        .notes.push_back(
            {"a file that begins with 'extends: a2' takes over what it does not give", {}});
  }

  /// A value that this machine does not read is wrong, unless the file that says so took it over
  /// from another one.
  void unread(const MachineField& field, const Given& given) {
    const Given& selector = given_.at(field.selector);
    if (given.file == 0 || given.file < selector.file) return;
    const auto& fields = machine_fields();
    const auto by = std::find_if(fields.begin(), fields.end(),
                                 [&](const auto& one) { return one.path == field.selector; });
    ir::Diagnostic& error = result_.diagnostics.error(
        given.location, fmt::format("nothing reads {}: {} is {}", field.path, field.selector,
                                    by->text(selector.value)));
    if (selector.location.known()) error.notes.push_back({"given here", selector.location});
    std::vector<std::string> readers;
    for (std::size_t word = 0; word < by->words.size(); ++word) {
      MachineDescription machine;
      by->set(machine, static_cast<double>(word));
      if (field.read_by(machine)) readers.push_back(by->words[word]);
    }
    if (!readers.empty()) {
      error.notes.push_back(
          {fmt::format("it is for {}: {}", field.selector, fmt::join(readers, " or ")), {}});
    }
  }

  void take_lists(MachineDescription& machine) {
    for (const auto& [slow, location, source] : slow_links_) {
      machine.slow_links.push_back(slow);
      result_.values.push_back(
          {"slow_links", text(slow), source, location, "A link that differs from the others."});
    }
    std::string positions;
    for (const auto& [position, location, source] : placement_) {
      machine.placement.push_back(position);
      positions += (positions.empty() ? "" : ", ") + std::to_string(position);
    }
    if (placement_.empty()) return;
    result_.values.push_back({"placement", positions, placement_.front().source,
                              placement_.front().location,
                              "Position of each device on the topology."});
  }

  const MachineSearch& search_;
  std::map<std::string, Given> given_;
  std::string name_;
  std::string description_;
  std::vector<Listed<SlowLink>> slow_links_;
  std::vector<Listed<std::uint32_t>> placement_;
  int file_ = 0;
  std::vector<fs::path> open_;  ///< files whose bases are being read
  MachineYaml result_;
};

}  // namespace

std::string MachineValue::where() const {
  if (!location.known()) return {};
  return fmt::format("{}:{}", fs::path(location.file->path()).filename().string(), location.line);
}

MachineYaml read_machine(const std::string& name_or_path, const MachineSearch& search) {
  Reader reader(search);
  reader.read(name_or_path, {}, {});
  return reader.finish();
}

std::vector<std::string> shipped_machines(const MachineSearch& search) {
  std::vector<std::string> names;
  std::error_code failure;
  for (const fs::directory_entry& file : fs::directory_iterator(shipped_dir(search), failure)) {
    if (file.path().extension() == ".yaml") names.push_back(file.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<ir::Diagnostic> check_device(const MachineDescription& machine, std::uint64_t id) {
  if (machine.devices == 0 || id < machine.devices) return std::nullopt;
  ir::Diagnostic error;
  error.message = fmt::format("there is no device {}: machine '{}' has devices 0 to {}", id,
                              machine.name, machine.devices - 1);
  error.notes.push_back(
      {fmt::format("to have more, write a file big.yaml with the lines 'extends: {}' and 'devices: "
                   "{}' and run with -p ./big.yaml; a2a3sim, the default machine, has any number",
                   machine.name, id + 1),
       {}});
  return error;
}

}  // namespace a2a3::models
