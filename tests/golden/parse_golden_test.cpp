// SPDX-License-Identifier: Apache-2.0
// tests/golden/parse: a kernel file, and what the printer writes for it or the errors it gives.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "golden/golden_runner.hpp"
#include "ir/parser.hpp"
#include "ir/printer.hpp"

namespace a2a3::parse_golden_test {
namespace {

golden::Outcome parse_and_print(const golden::Case& golden_case) {
  ir::ParseLimits limits;
  limits.max_nesting = static_cast<std::uint32_t>(
      std::stoul(golden_case.setting("max_nesting", std::to_string(limits.max_nesting))));
  const golden::Input& input = golden_case.inputs.front();
  const auto parsed =
      ir::parse_file(std::make_shared<ir::SourceFile>(input.name, input.text), limits);
  if (parsed.diagnostics.has_errors()) return {false, format(parsed.diagnostics)};
  std::string printed = print(parsed.file);

  const auto again = ir::parse_file(std::make_shared<ir::SourceFile>("printed.py", printed));
  EXPECT_EQ(format(again.diagnostics), "") << "the printed text does not parse";
  EXPECT_EQ(print(again.file), printed) << "print, parse, print is not the identity";
  return {true, std::move(printed)};
}

const bool kRegistered = golden::register_topic("parse", parse_and_print);

}  // namespace
}  // namespace a2a3::parse_golden_test
