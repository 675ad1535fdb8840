// SPDX-License-Identifier: Apache-2.0
// Findings of thousands of ranks: grouped into one line each, and short.
#include <gtest/gtest.h>

#include "edge_kernel.hpp"

namespace a2a3::test::many_ranks_test {
namespace {

const Body kUntimed{"--engine", "untimed"};
constexpr std::size_t kShort = 3000;  // characters

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST(ManyRanks, TwoStatesOfADeadlockAreTwoErrors) {
  const std::string text = edge_kernel(joined(
      {inside("if me < 1024:", {wait("0", 1, "Ge")}), inside("else:", {wait("1", 2, "Ge")})}));
  const Finished run = run_edge(text, 2048, kUntimed);
  EXPECT_EQ(run.status, 3);
  EXPECT_TRUE(contains(run.err, "deadlock: 2048 of 2048 ranks wait"));
  EXPECT_TRUE(
      contains(run.err, place(text, wait("0", 1, "Ge")) + "error: deadlock: ranks 0-1023 "));
  EXPECT_TRUE(
      contains(run.err, place(text, wait("1", 2, "Ge")) + "error: deadlock: ranks 1024-2047 "));
  EXPECT_TRUE(contains(run.err,
                       "ranks 0-1023 wait for cells[0, 0] of window buffer cells_buf to "
                       "be at least 1; it is 0"));
  EXPECT_TRUE(contains(run.err,
                       "ranks 1024-2047 wait for cells[1, 0] of window buffer cells_buf "
                       "to be at least 2; it is 0"));
  EXPECT_EQ(count(run.err, "error:"), 2U);
  EXPECT_LT(run.err.size(), kShort);
}

TEST(ManyRanks, OfACellForEachRankTheFirstAreShownAndAllAreInTheJson) {
  constexpr int kRanks = 500;
  const std::string own = wait("me", 1, "Ge");
  const std::string text = edge_kernel({own});
  const ScratchDir scratch;
  const std::string json = scratch.file("run.json");
  const Finished run = run_edge(text, kRanks, joined({kUntimed, {"--json", json}}));
  EXPECT_EQ(run.status, 3);
  EXPECT_TRUE(contains(run.err, place(text, own) + "error: deadlock: ranks 0-499 "));
  EXPECT_EQ(count(run.err, " waits for cells["), 16U);
  EXPECT_TRUE(contains(run.err, "and 484 more like these; --json has all"));
  EXPECT_LT(run.err.size(), kShort);
  EXPECT_EQ(read_json(json)["blocked"].size(), kRanks);
}

TEST(ManyRanks, ARaceOfAllIsOneError) {
  constexpr int kRanks = 2000;
  const std::string put =
      "pld.tensor.put(win, (me + 1) % n, x, dst_offsets=[0, 0], src_offsets=[0, 0], shape=[1, 64])";
  const std::string read = "pl.load(win, [0, 0], [1, 64])";
  const std::string text =
      with_rows(edge_kernel({put, "y = pl.store(" + read + ", [0, 0], y)"}), "1");
  const ScratchDir scratch;
  const std::string json = scratch.file("run.json");
  const Finished run = run_edge(text, kRanks, joined({kUntimed, {"--json", json}}));
  EXPECT_EQ(run.status, 4);
  EXPECT_TRUE(contains(run.err, place(text, read) + "error: race: ranks 0-1999 "));
  EXPECT_TRUE(contains(run.err, place(text, put) + "note: "));
  EXPECT_TRUE(contains(run.err, "note: 2000 such races"));
  EXPECT_LT(run.err.size(), kShort);
  const nlohmann::json races = read_json(json)["race_check"]["races"];
  ASSERT_EQ(races.size(), 1U);
  EXPECT_EQ(races[0]["races_count"], kRanks);
  EXPECT_EQ(races[0]["earlier_ranks"].size(), kRanks);
  EXPECT_EQ(races[0]["later_ranks"].size(), kRanks);
}

}  // namespace
}  // namespace a2a3::test::many_ranks_test
