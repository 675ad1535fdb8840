// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/machine_yaml.hpp"
#include "tools/calibration/calibration.hpp"
#include "tools/calibration/read_calibration.hpp"
#include "tools/command.hpp"
#include "tools/data_dir.hpp"
#include "tools/kernel_options.hpp"
#include "tools/report/json_text.hpp"
#include "tools/report/table.hpp"

namespace a2a3::tools {
namespace {

struct CalibrateOptions {
  std::string name;
  std::string machine;
  bool json = false;
  FileLimits files;
};

/// Without the sign of a zero, which is that of a rounding error.
std::string percent(double share) {
  const std::string text = fmt::format("{:+.2f} %", 100 * share);
  return text == "-0.00 %" || text == "+0.00 %" ? "0.00 %" : text;
}

std::string verdict(const CalibrationTable& table, const TableResult& result) {
  std::string text = fmt::format("mean absolute error {:.2f} %", 100 * result.mean_error);
  if (table.mean_error) text += fmt::format(", at most {:g} %", 100 * *table.mean_error);
  if (!result.within) text += ": missed";
  return text;
}

std::string text_of(const CalibrationTable& table, const TableResult& result) {
  Table rows({{"row", ""},
              {"measured", name(table.unit)},
              {"simulated", name(table.unit)},
              {"error", ""},
              {"at most", ""},
              {"", ""}});
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const CalibrationRow& row = table.rows[i];
    const RowResult& one = result.rows[i];
    rows.add_row({row.label, fmt::format("{:.2f}", row.measured),
                  fmt::format("{:.2f}", one.simulated), percent(one.error),
                  fmt::format("{:g} %", 100 * row.row_error), one.within ? "" : "missed"});
  }
  return fmt::format("{}: {}\n({})\n\n{}{}\n", table.name, table.title, table.source, rows.text(),
                     verdict(table, result));
}

nlohmann::ordered_json json_of(const CalibrationTable& table, const TableResult& result) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const CalibrationRow& row = table.rows[i];
    rows.push_back({{"row", row.label},
                    {"measured", row.measured},
                    {"simulated", result.rows[i].simulated},
                    {"error", result.rows[i].error},
                    {"error_limit", row.row_error},
                    {"within", result.rows[i].within}});
  }
  nlohmann::ordered_json json = {{"name", table.name},
                                 {"title", table.title},
                                 {"source", table.source},
                                 {"workload", table.workload->name},
                                 {"unit", name(table.unit)},
                                 {"rows", std::move(rows)},
                                 {"mean_error", result.mean_error}};
  if (table.mean_error) json["mean_error_limit"] = *table.mean_error;
  json["within"] = result.within;
  return json;
}

/// The measurements of one machine: JSON or text, and whether all are met.
struct Calibrated {
  nlohmann::ordered_json json;
  std::string text;
  ExitStatus status = ExitStatus::wrong_input;
};

Calibrated calibrated(const std::string& name, const CalibrateOptions& options) {
  Calibrated result;
  const auto limits = options.files.of(models::ConfigLimits{});
  const CalibrationFile file = read_calibration(name, data_dir(), limits);
  std::cerr << ir::format(file.diagnostics);
  if (!file.data) return result;
  const std::string machine_name = options.machine.empty() ? file.data->machine : options.machine;
  const models::MachineYaml machine = models::read_machine(machine_name, {data_dir(), limits});
  std::cerr << ir::format(machine.diagnostics);
  if (!machine.machine) return result;

  bool within = true;
  ir::Diagnostics diagnostics;
  nlohmann::ordered_json tables = nlohmann::ordered_json::array();
  for (const CalibrationTable& table : file.data->tables) {
    const TableResult measured =
        calibrate(table, file.data->count_seconds, *machine.machine, diagnostics);
    within = within && measured.within;
    if (options.json)
      tables.push_back(json_of(table, measured));
    else
      result.text += (result.text.empty() ? "" : "\n") + text_of(table, measured);
  }
  std::cerr << ir::format(diagnostics);
  if (diagnostics.has_errors()) return result;
  result.json = {
      {"machine", machine.machine->name}, {"tables", std::move(tables)}, {"within", within}};
  result.status = within ? ExitStatus::ok : ExitStatus::wrong_result;
  return result;
}

ExitStatus run_calibration(const CalibrateOptions& options) {
  std::vector<std::string> names{options.name};
  if (options.name.empty() && options.machine.empty()) names = calibration_names(data_dir());
  if (names.empty() || names.front().empty()) names = {"a2"};
  std::string text;
  ExitStatus status = ExitStatus::ok;
  nlohmann::ordered_json machines = nlohmann::ordered_json::array();
  for (const std::string& name : names) {
    Calibrated one = calibrated(name, options);
    if (one.status == ExitStatus::wrong_input) return one.status;
    if (one.status != ExitStatus::ok) status = one.status;
    if (!text.empty()) text += "\n";
    if (names.size() > 1) text += fmt::format("machine {}\n\n", name);
    text += one.text;
    machines.push_back(std::move(one.json));
  }
  if (options.json) text = to_text({{"schema_version", 2}, {"machines", std::move(machines)}});
  std::cout << text;
  return status;
}

}  // namespace

void add_calibrate_command(CLI::App& machine, Action& action) {
  const auto options = std::make_shared<CalibrateOptions>();
  CLI::App* command = machine.add_subcommand(
      "calibrate",
      "Simulate the workloads of published measurements and print both figures of each");
  command->footer(
      "Exit status 2 when an error is larger than the file allows.\n\n"
      "Examples:\n"
      "  a2a3sim machine calibrate\n"
      "  a2a3sim machine calibrate a3\n"
      "  a2a3sim machine calibrate a2 -p my_machine.yaml --json");
  command->add_option("NAME", options->name,
                      "Name of shipped measurements, or a YAML file; without it, all that are "
                      "shipped, and with -p those of a2");
  command->add_option("-p,--platform", options->machine,
                      "Machine in place of the one that was measured: a name or a YAML file");
  command->add_flag("--json", options->json, "Print JSON");
  add_file_limits(*command, options->files);
  command->callback(
      [options, &action] { action = [options] { return run_calibration(*options); }; });
}

}  // namespace a2a3::tools
