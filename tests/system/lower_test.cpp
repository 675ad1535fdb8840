// SPDX-License-Identifier: Apache-2.0
// `lower` prints programs that run the same; `diff` compares those of two modes.
#include <gtest/gtest.h>

#include "program.hpp"

namespace a2a3::test::lower_test {
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
  const auto ranks = [](const std::string& path) {
    auto costs = read_json(path).at("ranks");
    for (auto& rank : costs)
      rank.erase("phases");  // they name lines
    return costs;
  };
  EXPECT_EQ(ranks(json).size(), 3u);
  EXPECT_EQ(ranks(json), ranks(original));
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

TEST(Diff, NamesOfAnyLengthAreCompared) {
  const ScratchDir scratch;
  const std::filesystem::path example = std::filesystem::path(A2A3_SOURCE_DIR) / kAllgather;
  const std::string name = "_a1_" + std::string(50'000, 'b');
  std::string text = read_file(example);
  for (std::size_t found = 0; (found = text.find("recv", found)) != std::string::npos;
       found += name.size()) {
    text.replace(found, 4, name);
  }
  const std::string kernel = scratch.write("k.py", text);
  scratch.write("k.yaml", read_file(std::filesystem::path(example).replace_extension(".yaml")));
  const Finished diff = a2a3sim({"diff", kernel, "--modes", "hand,builtin", "-d", "0,1"});
  EXPECT_EQ(diff.status, 0) << diff.err.substr(0, 500);
  EXPECT_TRUE(
      contains(diff.out, "-        " + std::string(50'000, 'b') + " = pld.tile.remote_load("));
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
}  // namespace a2a3::test::lower_test
