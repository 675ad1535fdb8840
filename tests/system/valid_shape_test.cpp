// SPDX-License-Identifier: Apache-2.0
// Parts of windows: slices with a valid_shape and their allreduce.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace a2a3::test::valid_shape_test {
namespace {

const std::string kFile = "tests/system/data/valid_shape.py";

/// The parts that the kernel reduces or doubles, `part` as it was set; the rest is what was stored.
const std::string kGolden =
    "y: where((reshape(arange(4), 4, 1) >= 1) and (reshape(arange(4), 4, 1) <= 2) and "
    "(arange(64) >= 32) and (arange(64) < 49), sum(x), where((reshape(arange(4), 4, 1) < PART + 1) "
    "and (arange(64) < PART * 3), max(x), where((reshape(arange(4), 4, 1) == 3) and (arange(64) == "
    "0), 2 * x, x)))";

class ValidShape : public testing::TestWithParam<int> {};

/// `part` 0 gives an empty rectangle.
TEST_P(ValidShape, OnlyThePartIsReduced) {
  const ScratchDir scratch;
  for (const std::string dtype : {"FP32", "FP16"}) {
    const Finished lowered =
        a2a3sim({"lower", kFile, "-d", devices(GetParam()), "--set", "DTYPE=" + dtype});
    ASSERT_EQ(lowered.status, 0) << lowered.err;
    const std::string lowered_file = scratch.write("lowered_" + dtype + ".py", lowered.out);
    for (const std::string part : {"0", "1"}) {
      for (const std::string engine : {"timed", "untimed"}) {
        for (const std::string& file : {kFile, lowered_file}) {
          SCOPED_TRACE(fmt::format("{} part={} {} {}", dtype, part, engine, file));
          std::string golden = kGolden;
          for (std::size_t at; (at = golden.find("PART")) != std::string::npos;)
            golden.replace(at, 4, part);
          std::vector<std::string> command{"run",      file,
                                           "-d",       devices(GetParam()),
                                           "--set",    "part=" + part,
                                           "--engine", engine,
                                           "--input",  "x: uniform_int(seed=3, low=-50, high=50)",
                                           "--golden", golden,
                                           "--quiet"};
          if (file == kFile) command.insert(command.end(), {"--set", "DTYPE=" + dtype});
          const Finished run = a2a3sim(command);
          EXPECT_EQ(run.status, 0) << run.err;
          EXPECT_EQ(run.out, "OK\n") << run.err;
        }
      }
    }
  }
}

/// Bytes of the closed form by hand: FP16 rows are read in whole blocks of 16.
TEST_P(ValidShape, TheCardHasTheRectangles) {
  const ScratchDir scratch;
  const std::uint64_t peers = static_cast<std::uint64_t>(GetParam()) - 1;
  for (const std::string dtype : {"FP32", "FP16"}) {
    const std::string json = scratch.file("card.json");
    const Finished run = a2a3sim({"run", kFile, "-d", devices(GetParam()), "--set", "part=1",
                                  "--set", "DTYPE=" + dtype, "--json", json, "--quiet"});
    ASSERT_NE(run.status, 1) << run.err;
    const std::uint64_t known = dtype == "FP32" ? 2 * 17 * 4 : 2 * 32 * 2;
    const std::uint64_t open = dtype == "FP32" ? 2 * 3 * 4 : 2 * 16 * 2;
    const nlohmann::json card = read_json(json);
    for (const auto& rank : card["ranks"]) {
      EXPECT_EQ(rank["payload_received_bytes"], peers * (known + open)) << dtype;
      EXPECT_EQ(rank["signals_sent_count"], 2 * 2 * peers) << dtype;
      EXPECT_EQ(rank["self_signals_count"], 2 * peers) << dtype;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, ValidShape, testing::Values(1, 2, 3, 4, 5, 7, 8));

TEST(ValidShapeErrors, WhatOnlyTheRunKnowsIsCheckedThere) {
  const Finished large = a2a3sim({"run", kFile, "-d", "0,1", "--set", "part=2", "--quiet"});
  EXPECT_EQ(large.status, 1);
  EXPECT_TRUE(contains(large.err, "slice takes rows 0..2 of \"win_buf\", which has 2 rows"));
  const Finished negative = a2a3sim({"run", kFile, "-d", "0,1", "--set", "part=-1", "--quiet"});
  EXPECT_EQ(negative.status, 1);
  EXPECT_TRUE(contains(negative.err, "slice takes"));
}

TEST(ValidShapeErrors, AStridedTargetIsRefusedWhenTheRunKnowsIt) {
  const ScratchDir scratch;
  // A slice whose width is a scalar: whether it has gaps is known at the run.
  const std::string text =
      replaced(replaced(read_file(std::filesystem::path(A2A3_SOURCE_DIR) / kFile),
                        "open_part = pl.slice(win, [2, 32], [0, 0], valid_shape=[rows, part * 3])",
                        "open_part = pl.slice(win, [rows, part * 32], [0, 0])"),
               "known = pl.slice(win, [3, 32], [1, 32], valid_shape=[2, 17])",
               "known = pl.slice(win, [1, 32], [1, 32])");
  const std::string file = scratch.write("strided.py", text);
  const Finished gaps = a2a3sim({"run", file, "-d", "0,1", "--set", "part=1", "--quiet"});
  EXPECT_EQ(gaps.status, 1);
  EXPECT_TRUE(
      contains(gaps.err,
               "pld.tensor.allreduce target shape reinterpret requires a packed source: this "
               "slice of \"win_buf\" has gaps between its rows"));
  EXPECT_TRUE(contains(gaps.err, "pld.tensor.allreduce(open_part, sig, op=pld.ReduceOp.Max)"));
  const Finished whole = a2a3sim({"run", file, "-d", "0,1", "--set", "part=2", "--quiet"});
  EXPECT_FALSE(whole.err.find("packed source") != std::string::npos) << whole.err;
}

}  // namespace
}  // namespace a2a3::test::valid_shape_test
