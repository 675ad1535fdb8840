// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/result_table.hpp"

#include <gtest/gtest.h>

#include "tools/report/plot.hpp"

namespace a2a3::tools::result_table_test {
namespace {

SweepManifest two_runs() {
  return {"d",
          {"kernel", "set.N"},
          {{"h1", {"k, v.py", "1"}, "run 1"}, {"h2", {"k.py", "2"}, "run 2"}}};
}

std::vector<PointResult> two_results() {
  PointResult right;
  right.status = "ok";
  right.exit_status = ExitStatus::ok;
  right.instructions = 12;
  right.cost = PointCost{.time_ps = 4'000'000,
                         .size_bytes = 1000,
                         .algbw = 2.5e8,
                         .busbw = 1.25e8,
                         .received_bytes = 5,
                         .sent_bytes = 6,
                         .local_bytes = 7,
                         .signals = 8,
                         .waiting_ps = 9,
                         .modelled_ps = 3'500'000,
                         .bound_ps = 1'000'000};
  right.schedule = RunSchedule{"allreduce.mesh", models::ScheduleForm::host, 0, 4};
  PointResult wrong;
  wrong.status = "deadlock";
  wrong.exit_status = ExitStatus::deadlock;
  wrong.error = "says \"no\"\nand more";
  return {right, wrong};
}

TEST(ResultTable, CsvIsTidyAndQuoted) {
  EXPECT_EQ(
      results_csv(two_runs(), two_results()),
      "kernel,set.N,status,exit_status,time_us,size_bytes,algbw_gb_per_s,busbw_gb_per_s,"
      "received_max_bytes,sent_max_bytes,local_max_bytes,signals_max_count,waiting_max_us,"
      "modelled_us,bound_us,instructions_count,error\n"
      "\"k, v.py\",1,ok,0,4.000000,1000,0.250000,0.125000,5,6,7,8,0.000009,3.500000,1.000000,12,"
      "\n"
      "k.py,2,deadlock,3,,,,,,,,,,,,0,\"says \"\"no\"\"\nand more\"\n");
}

TEST(ResultTable, WhatIsStoredComesBack) {
  for (const PointResult& result : two_results()) {
    const auto back = point_result(to_json(result));
    ASSERT_TRUE(back);
    EXPECT_EQ(to_json(*back), to_json(result));
    EXPECT_EQ(back->cost.has_value(), result.cost.has_value());
    ASSERT_EQ(back->schedule.has_value(), result.schedule.has_value());
    if (!back->schedule) continue;
    EXPECT_EQ(back->schedule->name, "allreduce.mesh");
    EXPECT_EQ(back->schedule->form, models::ScheduleForm::host);
    EXPECT_EQ(back->schedule->lanes, 4);
  }
  EXPECT_FALSE(point_result({{"status", "ok"}}));
  nlohmann::ordered_json half = to_json(two_results()[0]);
  half.erase("busbw_bytes_per_second");
  EXPECT_FALSE(point_result(half));
}

TEST(ResultTable, AModelIsOffByMoreThanATenthOfTheSimulatedTime) {
  const auto is_off = [](sim::Picoseconds time, sim::Picoseconds modelled) {
    return PointCost{.time_ps = time, .modelled_ps = modelled}.is_off_model();
  };
  EXPECT_FALSE(is_off(1000, 900));
  EXPECT_TRUE(is_off(1000, 899));
  EXPECT_FALSE(is_off(1000, 1100));
  EXPECT_TRUE(is_off(1000, 1101));
  EXPECT_FALSE(is_off(1000, 0)) << "there is none";
}

TEST(ResultTable, FailuresSayHowToRepeatThem) {
  const std::string text = failures_text(two_runs(), two_results());
  EXPECT_NE(text.find("1 of 2 runs failed"), std::string::npos);
  EXPECT_NE(text.find("\n    run 2\n"), std::string::npos);
  EXPECT_EQ(failures_text(two_runs(), {two_results()[0], two_results()[0]}), "");
  EXPECT_EQ(worst_status(two_results()), ExitStatus::deadlock);
}

TEST(ResultTable, StoredJsonIsOfOneVersion) {
  EXPECT_EQ(results_json(two_runs(), two_results())["points"][0]["axes"]["set.N"], "1");
  EXPECT_EQ(results_json(two_runs(), two_results())["schema_version"], 1);
}

TEST(Plot, EverySeriesHasADashAPointAndAColourOfItsOwn) {
  Plot plot{"it's a title", "x (bytes)", "y (us)", {{"1 KiB", 1024}}, {{"2 ranks", {}}}};
  for (int s = 0; s < 6; ++s)
    plot.panels[0].series.push_back({"s" + std::to_string(s), {{1024, 1.0 + s}, {2048, 2.0 + s}}});
  const std::string text = gnuplot_commands(plot, "out.svg");
  EXPECT_NE(text.find("title 'it''s a title'"), std::string::npos);
  for (const char* style : {"dashtype 1 pointtype 7", "dashtype 2 pointtype 4",
                            "dashtype 3 pointtype 9", "dashtype 4 pointtype 12"})
    EXPECT_NE(text.find(style), std::string::npos) << style;
  EXPECT_NE(text.find("linecolor '#0072B2'"), std::string::npos);
  EXPECT_EQ(draw_svg({"t", "x", "y", {}, {{"p", {}}}}, "/tmp/never.svg"),
            "there is nothing to plot: no run gave a time");
}

}  // namespace
}  // namespace a2a3::tools::result_table_test
