// SPDX-License-Identifier: Apache-2.0
// tests/golden/print: a kernel file, and the checked module that it makes as one program class. The
// class makes the same module again.
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "golden/golden_runner.hpp"
#include "ir/check.hpp"
#include "ir/elaborate.hpp"
#include "ir/parser.hpp"
#include "ir/printer.hpp"

namespace a2a3::print_golden_test {
namespace {

golden::Outcome checked_and_printed(const golden::Input& input,
                                    const ir::ElaborateOptions& options) {
  auto parsed = ir::parse_file(std::make_shared<ir::SourceFile>(input.name, input.text));
  ir::Diagnostics diagnostics = std::move(parsed.diagnostics);
  auto elaborated = ir::elaborate(std::move(parsed.file), options);
  diagnostics.append(std::move(elaborated.diagnostics));
  if (elaborated.module) diagnostics.append(ir::check(*elaborated.module));
  if (diagnostics.has_errors() || !elaborated.module) return {false, format(diagnostics)};
  return {true, print(*elaborated.module)};
}

golden::Outcome print_module(const golden::Case& golden_case) {
  ir::ElaborateOptions options;
  options.entry = golden_case.setting("entry", "");
  options.world_size = std::stoll(golden_case.setting("world_size", "2"));
  const golden::Outcome first = checked_and_printed(golden_case.inputs.front(), options);
  if (!first.accepted) return first;
  ir::ElaborateOptions again_options;
  again_options.world_size = options.world_size;
  const golden::Outcome again = checked_and_printed({"printed.py", first.output}, again_options);
  EXPECT_EQ(again.output, first.output) << "the printed class does not make the same module";
  return first;
}

const bool kRegistered = golden::register_topic("print", print_module);

}  // namespace
}  // namespace a2a3::print_golden_test
