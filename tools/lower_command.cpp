// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "ir/printer.hpp"
#include "tools/command.hpp"
#include "tools/kernel_options.hpp"
#include "tools/run_setup.hpp"

namespace a2a3::tools {
namespace {

constexpr const char* kLowerExamples =
    "What is printed is a kernel file again: it runs, with the same result and the same "
    "traffic.\n\n"
    "Examples:\n"
    "  a2a3sim lower examples/13_allgather.py --mode builtin -d 0,1\n"
    "  a2a3sim lower examples/06_put_get.py -d 0-2 --pass none";

ExitStatus lower(const RunOptions& options) {
  ir::Diagnostics diagnostics;
  const RunSetup setup = prepare_run(options, diagnostics);
  std::cerr << ir::format(diagnostics);
  if (setup.module == nullptr || diagnostics.has_errors()) return ExitStatus::wrong_input;
  std::cout << ir::print(*setup.module);
  return ExitStatus::ok;
}

}  // namespace

void add_lower_command(CLI::App& program, Action& action) {
  const auto options = std::make_shared<RunOptions>();
  options->check_whole_file = true;
  CLI::App* command = program.add_subcommand(
      "lower", "Print a program as it runs: collectives and transfers in simpler operations");
  command->footer(kLowerExamples);
  add_kernel_options(*command, *options);
  add_mode_option(*command, *options);
  add_pass_option(*command, *options);
  command->callback([options, &action] { action = [options] { return lower(*options); }; });
}

}  // namespace a2a3::tools
