// SPDX-License-Identifier: Apache-2.0
// Scenario 20 of edge_cases.md: what memory can add to, adds that meet each other, and how their
// order shows. The race with a plain store: edge_race_test.cpp.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "edge_kernel.hpp"

namespace a2a3::test::edge_atomic_test {
namespace {

const std::string kStore =
    "pld.tile.remote_store(pl.load(a, [0, 0], [1, 64]), acc, peer=0, offsets=[0, 0], "
    "atomic=pld.AtomicType.Add)";
const std::string kPut =
    "pld.tensor.put(acc, 0, a, dst_offsets=[0, 0], src_offsets=[0, 0], shape=[1, 64], "
    "atomic=pld.AtomicType.Add)";

/// Every rank adds its slice of `a` to the window `acc` of rank 0, both [1, 64], and all give out
/// what is there behind a barrier.
std::string sum_kernel(const std::string& add, const std::string& dtype) {
  const std::string type = "[[1, 64], pl." + dtype + "]";
  std::string text = edge_kernel({add, "pld.tensor.barrier(cells)",
                                  "s = pl.store(pld.tile.remote_load(acc, peer=0, offsets=[0, 0], "
                                  "shape=[1, 64]), [0, 0], s)"});
  text = replaced(text, "def kernel(x:",
                  "def kernel(a: pl.Tensor" + type + ", s: pl.Out[pl.Tensor" + type +
                      "], acc: pl.InOut[pld.DistributedTensor" + type + "], x:");
  text = replaced(text, "def chip(x", "def chip(a, s, acc, x");
  text = replaced(text, "    kernel(x, y", "    kernel(a, s, acc, x, y");
  text = replaced(text, "def host(x:",
                  fmt::format("def host(a: pl.Tensor[[NR, 1, 64], pl.{0}], s: "
                              "pl.Out[pl.Tensor[[NR, 1, 64], pl.{0}]], x:",
                              dtype));
  text = replaced(
      text, "    win_buf =",
      "    acc_buf = pld.alloc_window_buffer([1, 64], dtype=pl." + dtype + ")\n    win_buf =");
  text = replaced(
      text, "        win = ",
      "        acc = pld.window(acc_buf, [1, 64], dtype=pl." + dtype + ")\n        win = ");
  return replaced(text, "chip(x[r]", "chip(a[r], s[r], acc, x[r]");
}

TEST(EdgeCase20, ConcurrentAddsOfTheseDtypesAreRight) {
  for (const std::string dtype : {"FP32", "FP16", "BF16", "INT32", "INT16", "INT8"}) {
    for (const std::string& add : {kStore, kPut}) {
      for (const std::string engine : {"timed", "untimed"}) {
        for (const int ranks : {1, 2, 3, 8}) {
          SCOPED_TRACE(fmt::format("{} {} {} {}", dtype, add, engine, ranks));
          const Finished run = run_edge(
              sum_kernel(add, dtype), ranks,
              {"--engine", engine, "--input", "a: uniform_int(1, -9, 9)", "--golden", "s: sum(a)"});
          EXPECT_EQ(run.status, 0);
          EXPECT_EQ(run.err, "");
          EXPECT_EQ(run.out, "OK\n");
        }
      }
    }
  }
}

TEST(EdgeCase20, OtherDtypesAreRefused) {
  for (const std::string dtype : {"INT64", "UINT8", "UINT16", "UINT32", "UINT64", "BOOL"}) {
    for (const auto& [add, call] :
         {std::pair(kStore, "pld.tile.remote_store"), std::pair(kPut, "pld.tensor.put")}) {
      const std::string text = sum_kernel(add, dtype);
      const Finished run = run_edge(text, 3);
      EXPECT_EQ(run.status, 1);
      EXPECT_TRUE(
          contains(run.err, place(text, "pld.AtomicType.Add") +
                                fmt::format("error: {} with atomic=AtomicType.Add requires an "
                                            "fp32/bf16/fp16/int32/int16/int8 dtype, got {}",
                                            call, dtype)));
    }
  }
}

TEST(EdgeCase20, TheOrderOfFloatAddsIsNamedAsASourceOfRounding) {
  const Body random{"--input", "a: normal(seed=1, mean=8)", "--golden", "s: sum(a)"};
  for (const auto& [dtype, add] : {std::pair("FP32", kStore), std::pair("FP16", kPut)}) {
    const std::string text = sum_kernel(add, dtype);
    for (const std::string engine : {"timed", "untimed"}) {
      SCOPED_TRACE(fmt::format("{} {}", dtype, engine));
      const ScratchDir scratch;
      const std::string json = scratch.file("run.json");
      const Finished run =
          run_edge(text, 8, joined({random, {"--engine", engine, "--json", json}}));
      EXPECT_EQ(run.status, 2);
      EXPECT_TRUE(contains(run.err, "all differences are as small as rounding"));
      EXPECT_TRUE(contains(run.err, place(text, add) +
                                        "note: ranks 0-7 add to the same floats, acc[0, 0:64] of "
                                        "rank 0 for one: such a sum rounds in the order in which "
                                        "the adds land"));
      EXPECT_TRUE(contains(run.err, "compare with a tolerance, or add whole numbers"));
      for (const nlohmann::json& golden : read_json(json)["goldens"])
        EXPECT_EQ(golden["note"].is_object(), golden["output"] == "s");
      const Finished near = run_edge(
          text, 8,
          joined(
              {random, {"--engine", engine, "--compare", "s: tolerance(rtol=1e-2, atol=1e-2)"}}));
      EXPECT_EQ(near.status, 0);
      EXPECT_EQ(near.err, "");
    }
  }
}

TEST(EdgeCase20, OtherDifferencesAreNotPutDownToTheOrder) {
  const std::string text = sum_kernel(kStore, "FP32");
  // Not rounding.
  const Finished wrong =
      run_edge(text, 3, {"--input", "a: normal(seed=1)", "--golden", "s: sum(a) + 1"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_FALSE(contains(wrong.err, "in which the adds land"));
  // Rounding, but nobody adds.
  const Finished other =
      run_edge(edge_kernel(), 3, {"--input", "x: normal(seed=1)"}, "y: x + 0.0000001 * x");
  EXPECT_EQ(other.status, 2);
  EXPECT_TRUE(contains(other.err, "as small as rounding"));
  EXPECT_FALSE(contains(other.err, "in which the adds land"));
}

}  // namespace
}  // namespace a2a3::test::edge_atomic_test
