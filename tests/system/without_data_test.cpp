// SPDX-License-Identifier: Apache-2.0
// --data none: every example in every mode takes the times and moves the bytes of a run with data,
// or says which line reads data.
#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "all_modes.hpp"
#include "program.hpp"
#include "tools/report/run_json.hpp"
#include "tools/run.hpp"

namespace a2a3::test::without_data_test {
namespace {

tools::ExecutedRun run(const ExampleMode& one, int ranks, const char* data) {
  tools::RunOptions options = measuring_run(one, ranks);
  options.data = data;
  return tools::execute_run(options);
}

/// Times, traffic, closed forms: everything but what is said about results.
nlohmann::ordered_json measured(const tools::RunReport& report) {
  nlohmann::ordered_json json = tools::run_json(report);
  for (const char* key : {"data", "outputs_without_golden", "race_check", "findings"})
    json.erase(key);
  return json;
}

class WithoutData : public testing::TestWithParam<ExampleMode> {};

TEST_P(WithoutData, TimesAndTrafficAreThoseOfARunWithData) {
  int compared = 0;
  for (const int ranks : {1, 2, 3, 4, 5, 7, 8}) {
    SCOPED_TRACE(ranks);
    const tools::ExecutedRun with = run(GetParam(), ranks, tools::kFullData);
    const tools::RunReport& full = with.report;
    if (full.result.outcome != Outcome::finished) continue;  // not for this rank count
    ++compared;
    tools::ExecutedRun without = run(GetParam(), ranks, tools::kNoData);
    if (without.report.result.needs_data) {
      const tools::RunReport& none = without.report;
      EXPECT_EQ(none.status, tools::ExitStatus::wrong_input);
      EXPECT_TRUE(std::ranges::any_of(none.diagnostics.all(), [](const ir::Diagnostic& one) {
        return one.severity == ir::Severity::error && one.location.known();
      }));
      without = run(GetParam(), ranks, tools::kAutoData);
    } else {
      EXPECT_TRUE(without.report.result.outputs.empty());
    }
    const tools::RunReport& none = without.report;
    EXPECT_EQ(none.verdict(), "not checked");
    EXPECT_EQ(measured(none), measured(full));
  }
  EXPECT_GT(compared, 0);
}

INSTANTIATE_TEST_SUITE_P(Examples, WithoutData, testing::ValuesIn(all_modes()), mode_name);

TEST(DataOption, SaysThatNothingWasChecked) {
  const Finished run = a2a3sim({"run", "examples/13_allgather.py", "-d", "0-2", "--data", "none"});
  EXPECT_EQ(run.status, 0);
  EXPECT_TRUE(contains(run.err, "no data was moved: result and races not checked"));
  EXPECT_EQ(run.out.find("OK"), std::string::npos);
}

TEST(DataOption, NamesTheLineThatReadsData) {
  const Finished run =
      a2a3sim({"run", "examples/language/boxes.py", "-d", "0-2", "--data", "none"});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, "boxes.py:17:16: error: what the kernel reads here is data"));
  EXPECT_TRUE(contains(run.err, "--data full"));
}

TEST(DataOption, RefusesWhatTakesTheData) {
  const std::vector<std::vector<std::string>> all = {
      {"--engine", "untimed"}, {"--dump", "y=y.npy"}, {"--launches", "2", "--persistent"}};
  for (const std::vector<std::string>& more : all) {
    std::vector<std::string> arguments{"run", "examples/13_allgather.py", "--data", "none"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished run = a2a3sim(arguments);
    EXPECT_EQ(run.status, 1) << more.front();
    EXPECT_TRUE(contains(run.err, "--data none does not go with"));
  }
}

}  // namespace
}  // namespace a2a3::test::without_data_test
