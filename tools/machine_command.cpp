// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ir/diagnostic.hpp"
#include "models/machine_reference.hpp"
#include "models/machine_yaml.hpp"
#include "tools/command.hpp"
#include "tools/data_dir.hpp"
#include "tools/kernel_options.hpp"
#include "tools/report/json_text.hpp"
#include "tools/report/table.hpp"

namespace a2a3::tools {
namespace {

struct MachineOptions {
  std::string name;
  bool json = false;
  bool sources = false;
  FileLimits files;

  [[nodiscard]] models::MachineSearch search() const {
    return {data_dir(), files.of(models::ConfigLimits{})};
  }
};

std::string as_json(const models::MachineYaml& machine) {
  nlohmann::ordered_json values = nlohmann::ordered_json::array();
  for (const models::MachineValue& value : machine.values) {
    values.push_back({{"path", value.path},
                      {"value", value.value},
                      {"source", value.source},
                      {"where", value.where()},
                      {"help", value.help}});
  }
  nlohmann::ordered_json legend = nlohmann::ordered_json::object();
  for (const auto& [code, text] : machine.legend)
    legend[code] = text;
  const nlohmann::ordered_json json = {{"schema_version", 1},
                                       {"name", machine.machine->name},
                                       {"description", machine.machine->description},
                                       {"values", std::move(values)},
                                       {"sources", std::move(legend)}};
  return to_text(json);
}

std::string as_text(const models::MachineYaml& machine, bool with_legend) {
  Table table({{"parameter", ""}, {"value", ""}, {"where", ""}, {"source", ""}}, 4);
  for (const models::MachineValue& value : machine.values) {
    table.add_row({value.path, value.value, value.where(), value.source});
  }
  std::string text = fmt::format("{}: {}\n\n{}", machine.machine->name,
                                 machine.machine->description, table.text());
  if (machine.legend.empty() || !with_legend) return text;
  Table legend({{"code", ""}, {"source", ""}}, 2);
  for (const auto& [code, source] : machine.legend)
    legend.add_row({code, source});
  return text + "\n" + legend.text();
}

ExitStatus show(const MachineOptions& options) {
  const models::MachineYaml machine = models::read_machine(options.name, options.search());
  std::cerr << ir::format(machine.diagnostics);
  if (!machine.machine) return ExitStatus::wrong_input;
  std::cout << (options.json ? as_json(machine) : as_text(machine, options.sources));
  return ExitStatus::ok;
}

ExitStatus list(const MachineOptions& options) {
  Table table({{"machine", ""}, {"description", ""}}, 2);
  nlohmann::ordered_json machines = nlohmann::ordered_json::array();
  ExitStatus status = ExitStatus::ok;
  for (const std::string& name : models::shipped_machines(options.search())) {
    const models::MachineYaml machine = models::read_machine(name, options.search());
    std::cerr << ir::format(machine.diagnostics);
    if (!machine.machine) {
      status = ExitStatus::wrong_input;
      continue;
    }
    table.add_row({name, machine.machine->description});
    machines.push_back({{"name", name}, {"description", machine.machine->description}});
  }
  const nlohmann::ordered_json json = {{"schema_version", 1}, {"machines", std::move(machines)}};
  std::cout << (options.json ? to_text(json) : table.text());
  return status;
}

}  // namespace

void add_machine_command(CLI::App& program, Action& action) {
  const auto options = std::make_shared<MachineOptions>();
  CLI::App* machine = program.add_subcommand(
      "machine", "Show the machines that kernels run on, and how near they come to measurements");
  machine->require_subcommand(1);
  machine->footer(
      "Examples:\n"
      "  a2a3sim machine list\n"
      "  a2a3sim machine show a2 --sources\n"
      "  a2a3sim machine show my_machine.yaml --json\n"
      "  a2a3sim machine calibrate");

  CLI::App* show_command = machine->add_subcommand(
      "show", "Print every parameter of a machine, the place it is set at, and its source");
  show_command->add_option("NAME", options->name,
                           "Name of a shipped machine, or a YAML file; without it, the list of "
                           "machines");
  show_command->add_flag("--sources", options->sources,
                         "Print what the codes in the sources stand for, too");
  show_command->add_flag("--json", options->json, "Print JSON");
  add_file_limits(*show_command, options->files);
  show_command->callback([options, &action] {
    action = [options] { return options->name.empty() ? list(*options) : show(*options); };
  });

  CLI::App* keys_command = machine->add_subcommand(
      "keys", "Print a Markdown table of every key of a machine file, with its range and meaning");
  keys_command->callback([&action] {
    action = [] {
      std::cout << models::machine_reference();
      return ExitStatus::ok;
    };
  });

  CLI::App* list_command = machine->add_subcommand("list", "List the machines that are shipped");
  list_command->add_flag("--json", options->json, "Print JSON");
  list_command->callback([options, &action] { action = [options] { return list(*options); }; });
  add_calibrate_command(*machine, action);
}

}  // namespace a2a3::tools
