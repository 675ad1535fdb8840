// SPDX-License-Identifier: Apache-2.0
// `lower` prints programs that run the same; `diff` compares those of two modes.
#include <gtest/gtest.h>

#include "program.hpp"

namespace a2a3::test {
namespace {

const std::string kAllgather = "examples/13_allgather.py";

TEST(Lower, WhatItPrintsRunsTheSame) {
  const ScratchDir scratch;
  const Finished lowered = a2a3sim({"lower", kAllgather, "--mode", "builtin", "-d", "0-2"});
  ASSERT_EQ(lowered.status, 0) << lowered.err;
  EXPECT_EQ(lowered.out.find("pld.tensor."), std::string::npos);
  const std::string file = scratch.write("lowered.py", lowered.out);
  const std::string json = scratch.file("lowered.json");
  const Finished again = a2a3sim({"run", file, "-d", "0-2", "--input", "x: arange_by_rank()",
                                  "--golden", "y: concat(x)", "--json", json});
  EXPECT_EQ(again.status, 0) << again.err;
  const std::string original = scratch.file("original.json");
  ASSERT_EQ(
      a2a3sim({"run", kAllgather, "--mode", "builtin", "-d", "0-2", "--json", original}).status, 0);
  EXPECT_EQ(read_json(json)["ranks"][1]["traffic"], read_json(original)["ranks"][1]["traffic"]);
  // Lowered once more it is the same text.
  EXPECT_EQ(a2a3sim({"lower", file, "-d", "0-2"}).out, lowered.out);
}

TEST(Lower, StopsBehindTheNamedPass) {
  const Finished none =
      a2a3sim({"lower", kAllgather, "--mode", "builtin", "-d", "0,1", "--pass", "none"});
  EXPECT_TRUE(contains(none.out, "pld.tensor.allgather(x, data, signal)"));
  const Finished first =
      a2a3sim({"lower", "examples/06_put_get.py", "-d", "0,1", "--pass", "lower_collectives"});
  EXPECT_TRUE(contains(first.out, "pld.tensor.put"));
  const Finished wrong = a2a3sim({"lower", kAllgather, "--pass", "magic"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_TRUE(contains(wrong.err, "lower_transfers"));
}

TEST(Diff, ShowsPullAgainstPush) {
  const Finished diff = a2a3sim({"diff", kAllgather, "--modes", "hand,builtin", "-d", "0,1"});
  ASSERT_EQ(diff.status, 0) << diff.err;
  EXPECT_TRUE(contains(diff.out, "--- hand: hand_step\n+++ builtin: builtin_step\n"));
  EXPECT_TRUE(contains(diff.out, "-        recv = pld.tile.remote_load("));
  EXPECT_TRUE(contains(diff.out, "+        pld.tile.put("));
  // The barrier is the same on both sides.
  EXPECT_TRUE(contains(diff.out,
                       "\n             pld.system.wait(signal, offsets=[src, 0], "
                       "expected=1, cmp=pld.WaitCmp.Ge)\n"));
  EXPECT_EQ(diff.out.find("_allgather0_"), std::string::npos);
}

TEST(Diff, StandsSideBySide) {
  const Finished diff =
      a2a3sim({"diff", kAllgather, "--modes", "hand,builtin", "-d", "0,1", "--side-by-side"});
  ASSERT_EQ(diff.status, 0) << diff.err;
  EXPECT_TRUE(contains(diff.out, " > "));
  EXPECT_TRUE(contains(diff.out, " | "));
}

TEST(Diff, IsJsonOnRequest) {
  const Finished diff =
      a2a3sim({"diff", kAllgather, "--modes", "hand,builtin", "-d", "0-3", "--json"});
  ASSERT_EQ(diff.status, 0) << diff.err;
  const auto json = nlohmann::json::parse(diff.out);
  EXPECT_EQ(json["ranks"], 4);
  EXPECT_EQ(json["modes"], (std::vector<std::string>{"hand", "builtin"}));
  EXPECT_EQ(json["functions"][0]["left"], "hand_step");
  EXPECT_EQ(json["functions"][0]["same"], false);
  EXPECT_EQ(json["functions"][2]["same"], true);  // the host function
}

TEST(Diff, OfAModeWithItselfIsNothing) {
  const Finished diff = a2a3sim({"diff", kAllgather, "--modes", "hand,hand", "-d", "0,1"});
  EXPECT_EQ(diff.status, 0);
  EXPECT_EQ(diff.out, "the lowered programs are the same\n");
}

TEST(Diff, WantsTwoModes) {
  const Finished one = a2a3sim({"diff", kAllgather, "--modes", "hand"});
  EXPECT_EQ(one.status, 1);
  EXPECT_TRUE(contains(one.err, "--modes takes two modes"));
  const Finished unknown = a2a3sim({"diff", kAllgather, "--modes", "hand,built"});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_TRUE(contains(unknown.err, "built"));
}

}  // namespace
}  // namespace a2a3::test
