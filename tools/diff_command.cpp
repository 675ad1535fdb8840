// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/command.hpp"
#include "tools/kernel_options.hpp"
#include "tools/lowered_text.hpp"
#include "tools/report/json_text.hpp"
#include "tools/run_setup.hpp"

namespace a2a3::tools {
namespace {

constexpr const char* kDiffExamples =
    "Temporaries of a lowering lose their prefix, so that what means the same reads the same.\n\n"
    "Examples:\n"
    "  a2a3sim diff examples/13_allgather.py --modes hand,builtin -d 0,1\n"
    "  a2a3sim diff examples/13_allgather.py --modes hand,builtin -d 0,1 --side-by-side";

struct DiffOptions {
  RunOptions kernel;
  std::vector<std::string> modes;
  bool side_by_side = false;
  bool json = false;
};

/// One pair of functions that differ, or that have no partner.
struct FunctionDiff {
  const PrintedFunction* left = nullptr;
  const PrintedFunction* right = nullptr;
  std::vector<DiffLine> lines;
  bool same = false;
};

std::vector<FunctionDiff> compare(const std::vector<FunctionPair>& pairs) {
  Renames names;  // the right side's functions are named as the left side's
  for (const auto& [left, right] : pairs) {
    if (left != nullptr && right != nullptr) names.emplace(right->name, left->name);
  }
  std::vector<FunctionDiff> diffs;
  for (const auto& [left, right] : pairs) {
    FunctionDiff diff;
    diff.left = left;
    diff.right = right;
    diff.lines = compare_lines(left == nullptr ? Lines{} : left->lines,
                               right == nullptr ? Lines{} : renamed(right->lines, names));
    diff.same = std::all_of(diff.lines.begin(), diff.lines.end(),
                            [](const DiffLine& line) { return line.kind == DiffLine::Kind::same; });
    diffs.push_back(std::move(diff));
  }
  return diffs;
}

std::string name_of(const PrintedFunction* function) {
  return function == nullptr ? "(no such function)" : function->name;
}

std::string as_text(const DiffOptions& options, const std::vector<FunctionDiff>& diffs) {
  std::string text;
  for (const FunctionDiff& diff : diffs) {
    if (diff.same) continue;
    if (!text.empty()) text += '\n';
    text += fmt::format("--- {}: {}\n+++ {}: {}\n", options.modes[0], name_of(diff.left),
                        options.modes[1], name_of(diff.right));
    text += options.side_by_side ? side_by_side_diff(diff.lines) : unified_diff(diff.lines);
  }
  return text.empty() ? "the lowered programs are the same\n" : text;
}

std::string as_json(const DiffOptions& options, std::size_t ranks,
                    const std::vector<FunctionDiff>& diffs) {
  constexpr const char* kKinds[] = {"same", "removed", "added"};
  const auto optional = [](auto value, bool there) {
    return there ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
  };
  nlohmann::ordered_json functions = nlohmann::ordered_json::array();
  for (const FunctionDiff& diff : diffs) {
    nlohmann::ordered_json lines = nlohmann::ordered_json::array();
    for (const DiffLine& line : diff.lines) {
      lines.push_back({{"kind", kKinds[static_cast<int>(line.kind)]},
                       {"left_line", optional(line.left, line.left != 0)},
                       {"right_line", optional(line.right, line.right != 0)},
                       {"text", line.text}});
    }
    functions.push_back({{"left", optional(name_of(diff.left), diff.left != nullptr)},
                         {"right", optional(name_of(diff.right), diff.right != nullptr)},
                         {"same", diff.same},
                         {"lines", std::move(lines)}});
  }
  const nlohmann::ordered_json json = {{"schema_version", 1},
                                       {"file", options.kernel.file},
                                       {"modes", options.modes},
                                       {"ranks", ranks},
                                       {"functions", std::move(functions)}};
  return to_text(json);
}

ExitStatus diff(const DiffOptions& options) {
  if (options.modes.size() != 2) {
    std::cerr << fmt::format("error: --modes takes two modes, as in --modes hand,builtin; got {}\n",
                             options.modes.size());
    return ExitStatus::wrong_input;
  }
  std::vector<std::vector<PrintedFunction>> sides;
  std::size_t ranks = 0;
  for (const std::string& mode : options.modes) {
    RunOptions kernel = options.kernel;
    kernel.mode = mode;
    kernel.check_whole_file = true;
    ir::Diagnostics diagnostics;
    const RunSetup setup = prepare_run(kernel, diagnostics);
    std::cerr << ir::format(diagnostics);
    if (setup.module == nullptr || diagnostics.has_errors()) return ExitStatus::wrong_input;
    ranks = setup.device_ids.size();
    sides.push_back(comparable_functions(*setup.module));
  }
  const std::vector<FunctionDiff> diffs = compare(pair_functions(sides[0], sides[1]));
  std::cout << (options.json ? as_json(options, ranks, diffs) : as_text(options, diffs));
  return ExitStatus::ok;
}

}  // namespace

void add_diff_command(CLI::App& program, Action& action) {
  const auto options = std::make_shared<DiffOptions>();
  CLI::App* command =
      program.add_subcommand("diff", "Compare the lowered programs of two modes of a kernel file");
  command->footer(kDiffExamples);
  add_kernel_options(*command, options->kernel);
  add_pass_option(*command, options->kernel);
  command->add_option("--modes", options->modes, "The two modes: hand,builtin")
      ->delimiter(',')
      ->required()
      ->allow_extra_args(false);
  command->add_flag("--side-by-side", options->side_by_side, "Two columns");
  command->add_flag("--json", options->json, "Print the comparison as JSON");
  command->callback([options, &action] { action = [options] { return diff(*options); }; });
}

}  // namespace a2a3::tools
