// SPDX-License-Identifier: Apache-2.0
#include "tools/check/check_plan.hpp"

#include <gtest/gtest.h>

namespace a2a3::tools::check_plan_test {
namespace {

CheckOptions options_for(const std::string& ranks, const std::string& seeds,
                         const std::vector<std::string>& sizes) {
  CheckOptions options;
  options.base.file = "no_such_kernel.py";
  options.ranks = ranks;
  options.seeds = seeds;
  options.sizes = sizes;
  return options;
}

TEST(CheckPlan, GroupsAreEveryCombinationSmallestFirst) {
  ir::Diagnostics diagnostics;
  const CheckPlan plan =
      plan_of(options_for("3,1", "2", {"SIZE=64,8..9", "DTYPE=FP32,FP16"}), diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << ir::format(diagnostics);
  const std::vector<CheckGroup> groups = plan.groups();
  ASSERT_EQ(groups.size(), 2 * 2 * 3);
  EXPECT_EQ(groups.front().ranks, 1);
  EXPECT_EQ(settings_text({1, groups[0].settings, {}, {}}), "DTYPE=FP32, SIZE=8");
  EXPECT_EQ(settings_text({1, groups[1].settings, {}, {}}), "DTYPE=FP32, SIZE=9");
  EXPECT_EQ(settings_text({1, groups[5].settings, {}, {}}), "DTYPE=FP16, SIZE=64");
  EXPECT_EQ(groups.back().ranks, 3);
}

TEST(CheckPlan, CasesAreOrdersThenTimedThenLate) {
  ir::Diagnostics diagnostics;
  const CheckPlan plan = plan_of(options_for("3", "5..6", {}), diagnostics);
  const std::vector<CheckCase> cases = plan.cases({3, {}});
  ASSERT_EQ(cases.size(), 2 + 1 + 2);
  EXPECT_EQ(cases[0].seed, 5);
  EXPECT_EQ(cases[1].seed, 6);
  EXPECT_FALSE(cases[2].seed);
  EXPECT_TRUE(cases[2].skew_ns.empty());
  EXPECT_EQ(cases[3].skew_ns.size(), 3);
  EXPECT_NE(cases[3].skew_ns, cases[4].skew_ns);
  for (const auto& [rank, delay] : cases[4].skew_ns)
    EXPECT_LE(delay, 20'000U);
  EXPECT_EQ(plan.cases({1, {}}).size(), 2 + 1) << "one rank is late for nobody";
}

TEST(CheckPlan, ErrorsNameTheOption) {
  for (const auto& [options, part] :
       {std::pair(options_for("0", "2", {}), "--ranks"),
        std::pair(options_for("2", "none", {}), "--seeds"),
        std::pair(options_for("2", "2", {"SIZE"}), "--sizes"),
        std::pair(options_for("2", "2", {"A=1", "A=2"}), "--sizes")}) {
    ir::Diagnostics diagnostics;
    (void)plan_of(options, diagnostics);
    ASSERT_TRUE(diagnostics.has_errors()) << part;
    EXPECT_NE(diagnostics.all().front().message.find(part), std::string::npos);
  }
}

TEST(CheckCase, TheReplayNamesEverythingThatIsNotTheDefault) {
  RunOptions base;
  base.file = "my kernel.py";
  base.platform = "a2";
  base.mode = "hand";
  base.settings = {"TILE=8"};
  base.run_limits.max_steps = 99;
  EXPECT_EQ(replay_command(base, {3, {{"SIZE", "17"}}, 0x5eed, {}}),
            "a2a3sim check 'my kernel.py' --replay 0x5eed --ranks 3 -p a2 --mode hand --set TILE=8 "
            "--set SIZE=17 --max-steps 99");
  EXPECT_EQ(replay_command({}, {2, {}, std::nullopt, {{1, 1500}}}),
            "a2a3sim check '' --replay timed --ranks 2 --skew rank=1:1500ns");
  RunOptions dashes;
  dashes.file = "-x.py";
  dashes.platform = "-m.yaml";
  EXPECT_EQ(replay_command(dashes, {1, {}, 0, {}}),
            "a2a3sim check ./-x.py --replay 0x0 --ranks 1 -p ./-m.yaml");
  EXPECT_EQ(case_text({1, {}, 1, {}}), "1 rank, order 0x1");
  EXPECT_EQ(case_text({2, {{"SIZE", "1"}}, std::nullopt, {{1, 10}}}),
            "2 ranks, SIZE=1, timed, rank 1 late by 10 ns");
}

TEST(CheckCase, IsRunAsItSays) {
  RunOptions base;
  base.settings = {"TILE=8"};
  const RunOptions untimed = options_of(base, {3, {{"SIZE", "17"}}, 7, {}});
  EXPECT_EQ(untimed.devices, "0-2");
  EXPECT_EQ(untimed.engine, "untimed");
  EXPECT_EQ(untimed.seed, 7);
  EXPECT_EQ(untimed.settings, (std::vector<std::string>{"TILE=8", "SIZE=17"}));
  const RunOptions timed = options_of(base, {2, {}, std::nullopt, {{1, 10}}});
  EXPECT_EQ(timed.engine, "timed");
  EXPECT_FALSE(timed.seed);
  EXPECT_EQ(timed.skews, std::vector<std::string>{"rank=1:10ns"});
}

}  // namespace
}  // namespace a2a3::tools::check_plan_test
