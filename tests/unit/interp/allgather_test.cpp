// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernel_text.hpp"
#include "kernels.hpp"

namespace a2a3::interp::allgather_test {
namespace {

class Allgather : public ::testing::TestWithParam<int> {};

void expect_concatenation(const TextRun& run, int ranks) {
  ASSERT_TRUE(run.finished()) << run.text();
  const isa::Array& y = run.arrays.at("y");
  ASSERT_EQ(y.shape, (std::vector<std::int64_t>{ranks, 1, ranks * 64}));
  for (std::int64_t i = 0; i < y.elements(); ++i) {
    ASSERT_EQ(y.at(i), static_cast<double>(i % (ranks * 64) + 1)) << i;
  }
}

TEST_P(Allgather, EveryRankEndsWithTheConcatenation) {
  TextOptions options;
  options.ranks = GetParam();
  options.input = [](const std::string& name, std::int64_t i) {
    return name == "x" ? static_cast<double>(i + 1) : 0.0;
  };
  expect_concatenation(run_text(kAllgather, options), GetParam());
}

TEST_P(Allgather, TheOrderOfTheCoresDoesNotMatter) {
  TextOptions options;
  options.ranks = GetParam();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    options.seed = seed;
    expect_concatenation(run_text(kAllgather, options), GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Allgather, ::testing::Values(1, 2, 3, 4, 5, 7, 8, 16));

TEST(AllgatherPlan, PlacesWindowsAndSlices) {
  TextOptions options;
  options.ranks = 3;
  const TextRun run = plan_text(kAllgather, options);
  ASSERT_FALSE(run.diagnostics.has_errors()) << run.text();
  const LaunchPlan& plan = run.plan;
  ASSERT_EQ(plan.windows.size(), 2u);
  EXPECT_EQ(plan.windows[0].name, "data_buf");
  EXPECT_EQ(plan.windows[0].bytes, 3u * 64 * 4);
  EXPECT_EQ(plan.windows[1].bytes, 12u);
  ASSERT_EQ(plan.domains.size(), 1u);
  EXPECT_EQ(plan.domains[0].devices, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(plan.windows[1].offset_bytes.at(2), 1024u);  // aligned to 512 behind 768 bytes
  ASSERT_EQ(plan.copies.size(), 6u);
  EXPECT_EQ(plan.copies[2].host_offset_bytes, 256u);
  EXPECT_EQ(plan.copies[2].device.device, 1u);
  EXPECT_TRUE(plan.copies[2].copy_in);
  EXPECT_FALSE(plan.copies[2].copy_out);
  EXPECT_TRUE(plan.copies[3].copy_out);
  EXPECT_FALSE(plan.copies[3].copy_in);
  ASSERT_EQ(plan.tasks.size(), 3u);
  const auto& y = std::get<TensorArgument>(plan.tasks[1].arguments[1]);
  EXPECT_EQ(y.shape, (std::vector<std::int64_t>{1, 192}));
  EXPECT_EQ(y.name, "y[1]");
  const auto& data = std::get<TensorArgument>(plan.tasks[1].arguments[2]);
  EXPECT_EQ(data.window, 0);
  EXPECT_EQ(data.shape, (std::vector<std::int64_t>{3, 64}));
}

}  // namespace
}  // namespace a2a3::interp::allgather_test
