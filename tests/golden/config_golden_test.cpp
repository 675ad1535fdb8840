// SPDX-License-Identifier: Apache-2.0
// tests/golden/config: machine files, and with the setting `kind` run, sweep and compare files. The
// first input is the file that is read; the others lie beside it. The output lists what was read
// (of a machine the values named by `show`, all of them without it), or the errors.
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "golden/golden_runner.hpp"
#include "models/compare_file.hpp"
#include "models/machine_yaml.hpp"
#include "models/run_file.hpp"
#include "models/sweep_file.hpp"

namespace a2a3::golden::config_golden_test {
namespace {

namespace fs = std::filesystem;

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

bool listed(const std::string& names, const std::string& name) {
  std::istringstream stream(names);
  for (std::string word; stream >> word;) {
    if (word == name) return true;
  }
  return names.empty();
}

Outcome machine(const Case& golden_case) {
  const fs::path dir =
      fs::path(testing::TempDir()) / fmt::format("a2a3_config_{}_{}", golden_case.name,
                                                 testing::UnitTest::GetInstance()->random_seed());
  fs::create_directories(dir);
  for (const Input& input : golden_case.inputs) {
    fs::create_directories((dir / input.name).parent_path());
    std::ofstream(dir / input.name, std::ios::binary) << input.text;
  }
  const models::MachineYaml read =
      models::read_machine((dir / golden_case.inputs.front().name).string(), {A2A3_SOURCE_DIR, {}});
  fs::remove_all(dir);
  Outcome outcome{read.machine.has_value(), format(read.diagnostics)};
  if (read.machine) {
    for (const models::MachineValue& value : read.values) {
      if (!listed(golden_case.setting("show", ""), value.path)) continue;
      outcome.output +=
          fmt::format("{} = {} | {} | {}\n", value.path, value.value, value.source, value.where());
    }
  }
  replace_all(outcome.output, dir.lexically_normal().string() + "/", "");
  replace_all(outcome.output, std::string(A2A3_SOURCE_DIR) + "/", "");
  return outcome;
}

std::string texts(const std::string& mode, const char* what,
                  const std::map<std::string, models::RunText>& values) {
  std::string result;
  for (const auto& [name, value] : values) {
    result += fmt::format("{}: {} {} = {} (line {})\n", mode, what, name, value.text,
                          value.location.line);
  }
  return result;
}

Outcome run_file(const Case& golden_case) {
  const Input& input = golden_case.inputs.front();
  const models::RunFile file =
      models::parse_run_file(std::make_shared<const ir::SourceFile>(input.name, input.text));
  if (file.diagnostics.has_errors()) return {false, format(file.diagnostics)};
  Outcome outcome;
  outcome.output =
      fmt::format("description: {}\ndefault mode: {}\n", file.description, file.default_mode);
  for (const models::RunMode& mode : file.modes) {
    outcome.output += fmt::format("{}: entry {}, compare {}, ranks {} to {}\n", mode.name,
                                  mode.entry ? mode.entry->text : "-", mode.comparison.text(),
                                  mode.min_ranks, mode.max_ranks);
    outcome.output += texts(mode.name, "set", mode.settings) +
                      texts(mode.name, "input", mode.inputs) +
                      texts(mode.name, "golden", mode.goldens) +
                      texts(mode.name, "traffic", mode.traffic_formulas);
    if (mode.traffic) outcome.output += texts(mode.name, "traffic", {{"schedule", *mode.traffic}});
  }
  return outcome;
}

ir::SourceFilePtr source_of(const Case& golden_case) {
  const Input& input = golden_case.inputs.front();
  return std::make_shared<const ir::SourceFile>(input.name, input.text);
}

Outcome sweep_file(const Case& golden_case) {
  const models::SweepFile file = models::parse_sweep_file(source_of(golden_case));
  if (file.diagnostics.has_errors()) return {false, format(file.diagnostics)};
  Outcome outcome;
  outcome.output = fmt::format("description: {}\n{} points\n", file.description, file.points()) +
                   texts("fixed", "", file.fixed);
  const std::vector<std::string> keys = file.axis_keys();
  for (std::uint64_t i = 0; i < file.points(); ++i) {
    const std::vector<models::RunText> values = file.point(i);
    outcome.output += fmt::format("{}:", i);
    for (std::size_t k = 0; k < keys.size(); ++k)
      outcome.output += fmt::format(" {}={}", keys[k], values[k].text);
    outcome.output += "\n";
  }
  return outcome;
}

Outcome compare_file(const Case& golden_case) {
  const models::CompareFile file = models::parse_compare_file(source_of(golden_case));
  if (file.diagnostics.has_errors()) return {false, format(file.diagnostics)};
  Outcome outcome;
  outcome.output = fmt::format("description: {}\n", file.description);
  for (const models::ComparedSchedule& schedule : file.schedules) {
    outcome.output += fmt::format(
        "{}: {}, mode '{}', entry '{}', {} elements for 1000 B on 3 ranks", schedule.name,
        schedule.kernel.text, schedule.mode, schedule.entry, schedule.elements(1000, 3));
    for (const auto& [name, value] : schedule.settings)
      outcome.output += fmt::format(", {}={}", name, value);
    outcome.output += fmt::format(", {} in {}\n", isa::name(schedule.dtype), schedule.size);
  }
  return outcome;
}

const bool kRegistered = register_topic("config", [](const Case& golden_case) {
  const std::string kind = golden_case.setting("kind", "machine");
  if (kind == "run") return run_file(golden_case);
  if (kind == "sweep") return sweep_file(golden_case);
  if (kind == "compare") return compare_file(golden_case);
  return machine(golden_case);
});

}  // namespace
}  // namespace a2a3::golden::config_golden_test
