// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/point.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "models/config/text_file.hpp"
#include "models/config/whole_number.hpp"
#include "models/input_spec.hpp"

namespace a2a3::tools {
namespace {

using PointValues = std::vector<std::pair<std::string, std::string>>;

/// The values that every table has in front.
constexpr const char* kFirstColumns[] = {"kernel", "mode", "machine", "ranks"};

const std::string* find_value(const PointValues& values, const std::string& key) {
  const auto found = std::ranges::find(values, key, &PointValues::value_type::first);
  return found == values.end() ? nullptr : &found->second;
}

std::string value_or(const PointValues& values, const std::string& key, std::string fallback) {
  const std::string* value = find_value(values, key);
  return value == nullptr ? std::move(fallback) : *value;
}

/// An input or a golden that a file gives is looked for beside the sweep file, as in a run file.
std::string placed_spec(const std::string& text, const std::filesystem::path& directory) {
  const auto file = models::npy_file(text, directory);
  return file ? file->lexically_normal().string() : text;
}

/// The part behind the dot of "set.SIZE", for keys of one group.
struct GroupOption {
  const char* group;
  std::vector<std::string> RunOptions::*texts;
  const char* format;
};
constexpr GroupOption kGroupOptions[] = {{"set", &RunOptions::settings, "{}={}"},
                                         {"inputs", &RunOptions::inputs, "{}: {}"},
                                         {"goldens", &RunOptions::goldens, "{}: {}"},
                                         {"skew", &RunOptions::skews, "rank={}:{}"}};

RunOptions options_of(const PointValues& values, const std::filesystem::path& directory) {
  RunOptions options;
  options.file = shown_path(directory / value_or(values, "kernel", ""));
  if (const std::string* machine = find_value(values, "machine")) {
    options.platform =
        models::is_config_path(*machine) ? shown_path(directory / *machine) : *machine;
  }
  if (const std::string* ranks = find_value(values, "ranks")) {
    options.devices = first_devices(models::whole_number<std::uint32_t>(*ranks).value());
  }
  options.devices = value_or(values, "devices", options.devices);
  options.mode = value_or(values, "mode", "");
  options.entry = value_or(values, "entry", "");
  options.compare = value_or(values, "compare", "");
  options.engine = value_or(values, "engine", options.engine);
  options.host_allreduce = value_or(values, "host_allreduce", options.host_allreduce);
  options.check_goldens = value_or(values, "check_goldens", "true") == "true";
  const bool timed = options.engine == RunOptions{}.engine;
  options.data = value_or(values, "data", options.check_goldens || !timed ? kFullData : kAutoData);
  options.no_race_check = true;
  if (const std::string* seed = find_value(values, "seed")) {
    options.seed = models::whole_number<std::uint64_t>(*seed);
  }
  for (const auto& [key, value] : values) {
    const std::size_t dot = key.find('.');
    for (const GroupOption& group : kGroupOptions) {
      if (dot == std::string::npos || key.substr(0, dot) != group.group) continue;
      const bool spec = group.texts == &RunOptions::inputs || group.texts == &RunOptions::goldens;
      (options.*group.texts)
          .push_back(fmt::format(fmt::runtime(group.format), key.substr(dot + 1),
                                 spec ? placed_spec(value, directory) : value));
    }
  }
  return options;
}

}  // namespace

std::string shell_word(const std::string& text) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string path_word(const std::string& path) {
  return shell_word(path.starts_with('-') ? "./" + path : path);
}

std::string first_devices(std::uint32_t ranks) {
  return ranks == 1 ? "0" : fmt::format("0-{}", ranks - 1);
}

std::string shown_path(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  const std::filesystem::path normal = (here / path).lexically_normal();
  const std::filesystem::path relative = normal.lexically_relative(here);
  if (error || relative.empty() || *relative.begin() == "..") return normal.string();
  return relative.string();
}

Sweep sweep_of(const models::SweepFile& file, const std::filesystem::path& directory) {
  Sweep sweep;
  sweep.description = file.description;
  const std::vector<std::string> keys = file.axis_keys();
  for (const char* column : kFirstColumns)
    sweep.columns.emplace_back(column);
  for (const std::string& key : keys) {
    if (std::ranges::find(sweep.columns, key) == sweep.columns.end()) sweep.columns.push_back(key);
  }
  for (std::uint64_t index = 0; index < file.points(); ++index) {
    PointValues values;
    for (const auto& [key, text] : file.fixed)
      values.emplace_back(key, text.text);
    const std::vector<models::RunText> texts = file.point(index);
    for (std::size_t i = 0; i < keys.size(); ++i)
      values.emplace_back(keys[i], texts[i].text);
    SweepPoint point;
    point.options = options_of(values, directory);
    const PointValues defaults = {{"machine", point.options.platform}, {"ranks", "2"}};
    for (const std::string& column : sweep.columns) {
      const bool counted = column == "ranks" && find_value(values, "devices") != nullptr;
      point.values.push_back(
          value_or(values, column, counted ? "" : value_or(defaults, column, "")));
    }
    sweep.points.push_back(std::move(point));
  }
  return sweep;
}

namespace {

/// A limit of runs that is an option.
struct LimitOption {
  const char* name;
  std::uint64_t Limits::*value;
};
constexpr LimitOption kLimitOptions[] = {{"--max-tensor-bytes", &Limits::max_tensor_bytes},
                                         {"--max-race-records", &Limits::max_race_records},
                                         {"--max-steps", &Limits::max_steps},
                                         {"--max-host-steps", &Limits::max_host_steps}};

}  // namespace

std::string option_words(const RunOptions& options) {
  const RunOptions defaults;
  std::string text;
  const auto add = [&](const char* name, const std::string& value) {
    text += fmt::format(" {} {}", name, shell_word(value));
  };
  const auto add_all = [&](const char* name, const std::vector<std::string>& values) {
    for (const std::string& value : values)
      add(name, value);
  };
  if (!options.mode.empty()) add("--mode", options.mode);
  if (!options.memory.empty()) add("--memory", options.memory);
  if (!options.entry.empty()) add("--entry", options.entry);
  add_all("--set", options.settings);
  add_all("--input", options.inputs);
  add_all("--golden", options.goldens);
  add_all("--traffic", options.traffic);
  if (!options.compare.empty()) add("--compare", options.compare);
  if (!options.check_goldens) text += " --no-goldens";
  if (!options.check_traffic) text += " --no-traffic";
  if (options.data != defaults.data) add("--data", options.data);
  add_all("--skew", options.skews);
  if (options.host_allreduce != defaults.host_allreduce) {
    add("--host-allreduce", options.host_allreduce);
  }
  if (options.max_devices != defaults.max_devices) {
    add("--max-devices", std::to_string(options.max_devices));
  }
  const FileLimits& files = options.files;
  if (files.max_file_bytes) add("--max-file-bytes", std::to_string(*files.max_file_bytes));
  if (files.max_nesting) add("--max-nesting", std::to_string(*files.max_nesting));
  if (options.run_limits.max_instructions)
    add("--max-instructions", std::to_string(*options.run_limits.max_instructions));
  add_all("--compare", options.output_compares);
  for (const LimitOption& limit : kLimitOptions) {
    const std::uint64_t value = options.run_limits.*limit.value;
    if (value != defaults.run_limits.*limit.value) add(limit.name, std::to_string(value));
  }
  const models::GoldenLimits& golden = options.golden_limits;
  if (golden.max_elements != defaults.golden_limits.max_elements)
    add("--max-golden-elements", std::to_string(golden.max_elements));
  if (golden.max_operations != defaults.golden_limits.max_operations)
    add("--max-golden-operations", std::to_string(golden.max_operations));
  if (options.no_race_check) text += " --no-race-check";
  return text;
}

std::string run_command(const RunOptions& options) {
  std::string text =
      fmt::format("a2a3sim run {} -p {} -d {}{}", path_word(options.file),
                  path_word(options.platform), shell_word(options.devices), option_words(options));
  if (options.engine != RunOptions{}.engine) text += " --engine " + options.engine;
  if (options.seed) text += fmt::format(" --seed {}", *options.seed);
  return text;
}

}  // namespace a2a3::tools
