// SPDX-License-Identifier: Apache-2.0
#include "judge.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "explorer.hpp"

namespace a2a3::sync {
namespace {

bool is_reported(const Result& result) {
  return result.outcome != Outcome::finished || !result.race_check.races.empty() ||
         std::ranges::any_of(result.findings, [](const Finding& finding) {
           return finding.kind == "lost credit" || finding.kind == "missed value" ||
                  finding.kind == "leftover credit";
         });
}

}  // namespace

void judge(collectives::ProgramRun& original, collectives::ProgramRun& mutant, std::int64_t ranks,
           const collectives::Input& input, Counts& counts) {
  ASSERT_FALSE(original.diagnostics.has_errors()) << original.text();
  ASSERT_FALSE(mutant.diagnostics.has_errors()) << mutant.text();
  const Inputs inputs = collectives::inputs_of(*original.module, ranks, input);
  execute(original, ranks, inputs, Engine::untimed);
  ASSERT_TRUE(original.finished()) << original.text();
  ASSERT_FALSE(is_reported(original.result));
  execute(mutant, ranks, inputs, Engine::untimed);
  if (is_reported(mutant.result)) {
    ++counts.reported;
    return;
  }
  const Exploration all = explore(*mutant.module, ranks, inputs, original.result.outputs);
  ++counts.still_right;
  EXPECT_EQ(all.verdict, Exploration::Verdict::same)
      << "not reported, and wrong in some order: " << all.difference << " (" << all.runs
      << " runs)";
}

}  // namespace a2a3::sync
