// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/elaborate/decorators.hpp"
#include "ir/op.hpp"
#include "tools/command.hpp"
#include "tools/coverage_uses.hpp"

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

/// The tables in Markdown, from the op table itself; with a column for `uses` unless it is null.
std::string coverage(const OperationUses* uses) {
  const auto used = [&](std::vector<std::string_view> names) {
    return uses == nullptr ? "" : fmt::format(" {} |", shortened(uses->of(names)));
  };
  const std::string title = uses == nullptr ? "" : " called in |";
  const std::string rule = uses == nullptr ? "" : " --- |";
  std::string text = fmt::format(
      "| operation | also | where | instruction | meaning |{}\n| --- | --- | --- | --- | --- |{}\n",
      title, rule);
  for (const ir::OpInfo& op : ir::op_table()) {
    std::vector<std::string_view> names(op.aliases.begin(), op.aliases.end());
    names.push_back(op.name);
    text += fmt::format("| `{}` | {} | {} | {} | {} |{}\n", ir::signature(op), aliases(op),
                        levels(op), op.instruction, op.summary, used(std::move(names)));
  }
  text += fmt::format("\n| refused so far | meaning |{}\n| --- | --- |{}\n", title, rule);
  for (const ir::UnsupportedOp& op : ir::unsupported_ops())
    text += fmt::format("| `{}` | {} |{}\n", op.name, op.summary, used({op.name}));
  text += "\n| function or class | supported | meaning |\n| --- | --- | --- |\n";
  for (const ir::ProgramForm& form : ir::program_forms()) {
    text += fmt::format("| `{}` | {} | {} |\n", form.name, form.supported ? "yes" : "refused",
                        form.meaning);
  }
  return text;
}

ExitStatus print_coverage(const std::vector<std::string>& directories) {
  OperationUses uses;
  ir::Diagnostics diagnostics;
  for (const std::string& directory : directories)
    uses.read(directory, diagnostics);
  std::cerr << ir::format(diagnostics);
  if (diagnostics.has_errors()) return ExitStatus::wrong_input;
  std::cout << coverage(directories.empty() ? nullptr : &uses);
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
      "  a2a3sim coverage | grep remote_load\n"
      "  a2a3sim coverage --uses tests --uses examples");
  const auto directories = std::make_shared<std::vector<std::string>>();
  command
      ->add_option("--uses", *directories,
                   "A directory: name the kernels and tests in it that call each operation")
      ->allow_extra_args(false);
  command->callback(
      [directories, &action] { action = [directories] { return print_coverage(*directories); }; });
}

}  // namespace a2a3::tools
