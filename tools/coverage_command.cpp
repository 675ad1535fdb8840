// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/op.hpp"
#include "tools/command.hpp"

namespace a2a3::tools {
namespace {

std::string levels(const ir::OpInfo& op) {
  std::vector<std::string> names;
  const auto add = [&](ir::Level level, const char* name) {
    if ((op.levels & static_cast<std::uint8_t>(level)) != 0) names.emplace_back(name);
  };
  add(ir::Level::kernel, "kernel");
  add(ir::Level::chip, "chip");
  add(ir::Level::host, "host");
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string aliases(const ir::OpInfo& op) {
  std::vector<std::string> names;
  for (const std::string_view alias : op.aliases)
    names.push_back(fmt::format("`{}`", alias));
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The tables in Markdown, from the op table itself.
std::string coverage() {
  std::string text =
      "| operation | also | where | instruction | meaning |\n| --- | --- | --- | --- | --- |\n";
  for (const ir::OpInfo& op : ir::op_table()) {
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", ir::signature(op), aliases(op),
                        levels(op), op.instruction, op.summary);
  }
  text += "\n| refused so far | meaning |\n| --- | --- |\n";
  for (const ir::UnsupportedOp& op : ir::unsupported_ops())
    text += fmt::format("| `{}` | {} |\n", op.name, op.summary);
  return text;
}

ExitStatus print_coverage() {
  std::cout << coverage();
  return ExitStatus::ok;
}

}  // namespace

void add_coverage_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand(
      "coverage", "List the operations of the kernel language: supported, and refused by name");
  command->footer(
      "The tables are Markdown.\n\n"
      "Examples:\n"
      "  a2a3sim coverage\n"
      "  a2a3sim coverage | grep remote_load");
  command->callback([&action] { action = print_coverage; });
}

}  // namespace a2a3::tools
