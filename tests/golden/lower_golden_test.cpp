// SPDX-License-Identifier: Apache-2.0
// tests/golden/lower: a kernel file, and the kernels of its lowered program.
//
// Settings: entry, world_size, pass (the last one to run), show (all: the functions of all levels),
// and any other key as a --set NAME=VALUE.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "golden/golden_runner.hpp"
#include "ir/check.hpp"
#include "ir/elaborate.hpp"
#include "ir/parser.hpp"
#include "ir/passes/pipeline.hpp"
#include "ir/printer.hpp"

namespace a2a3::lower_golden_test {
namespace {

struct Lowered {
  std::unique_ptr<ir::Module> module;
  ir::Diagnostics diagnostics;
};

Lowered lower(const std::string& name, const std::string& text, const golden::Case& golden_case) {
  auto parsed = ir::parse_file(std::make_shared<ir::SourceFile>(name, text));
  ir::ElaborateOptions options;
  options.entry = golden_case.setting("entry", "");
  options.world_size = std::stol(golden_case.setting("world_size", "2"));
  for (const auto& [key, value] : golden_case.settings) {
    if (key != "entry" && key != "world_size" && key != "pass" && key != "show")
      options.settings[key] = value;
  }
  Lowered lowered;
  lowered.diagnostics = parsed.diagnostics;
  auto elaborated = ir::elaborate(std::move(parsed.file), options);
  lowered.diagnostics.append(std::move(elaborated.diagnostics));
  lowered.module = std::move(elaborated.module);
  if (lowered.module == nullptr) return lowered;
  lowered.diagnostics.append(ir::check(*lowered.module));
  if (lowered.diagnostics.has_errors()) return lowered;
  lowered.diagnostics.append(ir::run_passes(*lowered.module, {}, golden_case.setting("pass", "")));
  return lowered;
}

/// The kernels of a printed module, which come first.
std::string kernels_of(const std::string& printed) {
  const std::string first = "    @pl.function(type=pl.FunctionType.InCore)";
  const std::size_t begin = printed.find(first);
  if (begin == std::string::npos) return "no kernel\n";
  return printed.substr(begin, printed.find("    @pl.function(type=pl.FunctionType.Orch") - begin);
}

golden::Outcome describe(const golden::Case& golden_case) {
  const golden::Input& input = golden_case.inputs.front();
  const Lowered lowered = lower(input.name, input.text, golden_case);
  if (lowered.diagnostics.has_errors() || lowered.module == nullptr) {
    return {false, format(lowered.diagnostics)};
  }
  const std::string printed = print(*lowered.module);
  golden::Case plain;
  const Lowered again = lower("printed.py", printed, plain);
  EXPECT_EQ(format(again.diagnostics), "") << printed;
  if (again.module != nullptr && golden_case.setting("pass", "").empty()) {
    EXPECT_EQ(print(*again.module), printed) << "a lowered program is lowered no further";
  }
  const bool show_all = golden_case.setting("show", "") == "all";
  return {true, show_all ? printed : kernels_of(printed)};
}

const bool kRegistered = golden::register_topic("lower", describe);

}  // namespace
}  // namespace a2a3::lower_golden_test
