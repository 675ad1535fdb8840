// SPDX-License-Identifier: Apache-2.0
// tests/golden/verify: a kernel file, and the program that elaboration and checking make of it
// (every function with the types it got), or the errors they give.
//
// Settings: entry, world_size, and any other key as a --set NAME=VALUE.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "golden/golden_runner.hpp"
#include "ir/check.hpp"
#include "ir/elaborate.hpp"
#include "ir/parser.hpp"
#include "ir/printer.hpp"

namespace a2a3::verify_golden_test {
namespace {

std::string describe(const ir::Module& module) {
  static constexpr const char* kKinds[] = {"kernel", "chip", "host"};
  std::string text = "program " + module.name + "\n";
  for (const auto& function : module.functions) {
    text += std::string(kKinds[static_cast<int>(function->kind)]) + " " + function->name + "(";
    for (std::size_t i = 0; i < function->parameters.size(); ++i) {
      const ir::Parameter& parameter = function->parameters[i];
      text += (i == 0 ? "" : ", ") + parameter.name + ": " + module.describe(parameter.type);
    }
    text += ") -> " + module.describe(function->result) + "\n";
  }
  return text;
}

/// The printed module is a program of its own: it checks, and prints the same text again.
void expect_printed_module_checks(const ir::Module& module) {
  const std::string printed = print(module);
  const auto source = std::make_shared<ir::SourceFile>("printed.py", printed);
  auto parsed = ir::parse_file(source);
  ASSERT_EQ(format(parsed.diagnostics), "") << printed;
  auto elaborated = ir::elaborate(std::move(parsed.file), {});
  ASSERT_EQ(format(elaborated.diagnostics), "") << printed;
  ASSERT_NE(elaborated.module, nullptr) << printed;
  ASSERT_EQ(format(ir::check(*elaborated.module)), "") << printed;
  EXPECT_EQ(print(*elaborated.module), printed) << "print, check, print is not the identity";
}

golden::Outcome verify(const golden::Case& golden_case) {
  const golden::Input& input = golden_case.inputs.front();
  // Diagnostics point into it, also when no module keeps it alive.
  const auto source = std::make_shared<ir::SourceFile>(input.name, input.text);
  auto parsed = ir::parse_file(source);
  ir::ElaborateOptions options;
  options.entry = golden_case.setting("entry", "");
  options.world_size = std::stol(golden_case.setting("world_size", "2"));
  for (const auto& [name, value] : golden_case.settings) {
    if (name != "entry" && name != "world_size") options.settings[name] = value;
  }
  options.has_losses = parsed.diagnostics.has_errors();
  ir::Diagnostics all = parsed.diagnostics;
  auto elaborated = ir::elaborate(std::move(parsed.file), options);
  all.append(std::move(elaborated.diagnostics));
  if (elaborated.module != nullptr) {
    all.append(ir::check(*elaborated.module, parsed.diagnostics));
  }
  all.sort();
  std::string text = format(all);
  if (!all.has_errors() && elaborated.module == nullptr) text += "there is no module\n";
  if (!all.has_errors() && elaborated.module != nullptr) {
    text += describe(*elaborated.module);
    expect_printed_module_checks(*elaborated.module);
  }
  for (const std::string& name : elaborated.unused_settings)
    text += "unused setting " + name + "\n";
  return {!all.has_errors(), std::move(text)};
}

const bool kRegistered = golden::register_topic("verify", verify);

}  // namespace
}  // namespace a2a3::verify_golden_test
