// SPDX-License-Identifier: Apache-2.0
// Memory that begins with anything, and how findings of memory are named: by the tensors, boxes and
// elements of the file, never by raw bytes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "edge_kernel.hpp"

namespace a2a3::test::undefined_memory_test {
namespace {

constexpr int kRankCounts[] = {1, 2, 3, 4, 5, 7, 8};

const std::string kStore = "pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], y)";
const std::string kAdd =
    "pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], y, atomic=pl.AtomicType.Add)";

std::string all_ranks(int ranks) {
  if (ranks < 3) return ranks == 1 ? "rank 0" : "ranks 0,1";
  return fmt::format("ranks 0-{}", ranks - 1);
}

TEST(UndefinedMemory, AnAtomicAddReadsWhatItAddsTo) {
  const std::string text = replaced(edge_kernel(), kStore, kAdd);
  for (const int ranks : kRankCounts) {
    for (const std::string engine : {"timed", "untimed"}) {
      const Finished run = run_edge(text, ranks, {"--engine", engine});
      EXPECT_EQ(run.status, 4) << run.err;
      EXPECT_TRUE(contains(
          run.err,
          place(text, kAdd) + fmt::format("error: unwritten read: {} add{} bytes that nothing has "
                                          "written: y[0, 0:64] of rank 0",
                                          all_ranks(ranks), ranks == 1 ? "s to" : " to")));
      EXPECT_TRUE(contains(run.err, "an atomic add reads what it adds to"));
    }
  }
}

TEST(UndefinedMemory, AnAtomicAddOntoWhatIsDefinedIsRight) {
  // What the kernel wrote, a window, and an output with contents of the host's.
  const std::string first = "y = " + kStore;
  EXPECT_EQ(run_edge(replaced(edge_kernel({first}), first + "\n    y = " + kStore,
                              first + "\n    y = " + kAdd),
                     3, {}, "y: 2 * x")
                .err,
            "");
  const std::string into_window =
      "win = pl.store(pl.load(x, [0, 0], [1, 64]), [me, 0], win, atomic=pl.AtomicType.Add)";
  EXPECT_EQ(run_edge(edge_kernel({into_window}), 3).err, "");
  std::string kept = replaced(edge_kernel(), kStore, kAdd);
  for (const std::string shape : {"[[1, 64]", "[[NR, 1, 64]"})
    kept = replaced(kept, "y: pl.Out[pl.Tensor" + shape, "y: pl.InOut[pl.Tensor" + shape);
  const Finished run = run_edge(kept, 3, {"--input", "y: constant(1)"}, "y: x + 1");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
}

/// What a kernel takes as an InOut is no input for that: the host function's direction counts.
TEST(UndefinedMemory, AnOutputOfTheHostThatAKernelTakesAsInOut) {
  const std::string out = "y: pl.Out[pl.Tensor[[1, 64]";
  const std::string text = replaced(edge_kernel(), out, replaced(out, "pl.Out", "pl.InOut"));
  EXPECT_EQ(run_edge(text, 3).err, "");
  const std::string half = "pl.store(pl.load(x, [0, 0], [1, 32]), [0, 0], y)";
  const Finished run = run_edge(replaced(text, kStore, half), 3);
  EXPECT_EQ(run.status, 4) << run.err;
  EXPECT_TRUE(contains(run.err,
                       "error: unwritten output: \"y\" is not written everywhere by "
                       "ranks 0-2: not y[0, 32:64] of rank 0"))
      << run.err;
  const Finished added = run_edge(replaced(text, kStore, kAdd), 3);
  EXPECT_EQ(added.status, 4) << added.err;
  EXPECT_TRUE(contains(added.err, "error: unwritten read: ranks 0-2 add to bytes"));
}

TEST(UndefinedMemory, AnAtomicAddOntoACreatedTensor) {
  const std::string add =
      "t = pl.store(pl.load(a, [0, 0], [1, 64]), [0, 0], t, atomic=pl.AtomicType.Add)";
  const std::string text =
      replaced(replaced(edge_kernel(), "@pl.jit\ndef",
                        "@pl.jit.incore\ndef into(a: pl.Tensor[[1, 64], pl.FP32], "
                        "t: pl.Out[pl.Tensor[[1, 64], pl.FP32]]):\n    " +
                            add + "\n    return t\n\n\n@pl.jit\ndef"),
               "    kernel(x, y, win, cells, r)",
               "    t = pl.create_tensor([1, 64], dtype=pl.FP32)\n    t = into(x, t)\n"
               "    kernel(t, y, win, cells, r)");
  const Finished run = run_edge(text, 2);
  EXPECT_EQ(run.status, 4);
  EXPECT_TRUE(contains(run.err, place(text, add.substr(4)) +
                                    "error: unwritten read: ranks 0,1 add to bytes that nothing "
                                    "has written: t[0, 0:64] of rank 0"));
}

/// Every rank copies 32 values of its row of `x`; the host function gives it `slice` of `y`.
std::string rows_kernel(const std::string& slice, const std::string& y_rows = "NR") {
  return fmt::format(R"(import pypto.language as pl
import pypto.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def kernel(x: pl.Tensor[[1, 32], pl.FP32], y: pl.Out[pl.Tensor[[1, 32], pl.FP32]]):
    y = pl.store(pl.load(x, [0, 0], [1, 32]), [0, 0], y)
    return y


@pl.jit
def chip(x: pl.Tensor[[1, 32], pl.FP32], y: pl.Out[pl.Tensor[[1, 32], pl.FP32]]):
    y = kernel(x, y)
    return y


@pl.jit.host
def host(x: pl.Tensor[[NR, 64], pl.FP32], y: pl.Out[pl.Tensor[[{}, 64], pl.FP32]]):
    for r in pl.range(pld.world_size()):
        chip(x[r:r + 1, 0:32], {}, device=r)
    return y
)",
                     y_rows, slice);
}

std::string more_parts(int count) {
  return count == 0 ? "\n" : fmt::format(", and {} more part{}\n", count, count == 1 ? "" : "s");
}

TEST(UndefinedMemory, PartsOfAnOutputThatNoDispatchGets) {
  const std::string left = rows_kernel("y[r:r + 1, 0:32]");
  const std::string right = rows_kernel("y[r:r + 1, 32:64]");
  for (const int ranks : kRankCounts) {
    const Finished run = run_edge(left, ranks, {}, "y: 7 * x");
    EXPECT_EQ(run.status, 4) << run.err;
    EXPECT_TRUE(contains(run.err, place(left, "y: pl.Out[pl.Tensor[[NR") +
                                      "error: unwritten output: \"y\" is not written everywhere: "
                                      "no dispatch gets y[0, 32:64]" +
                                      more_parts(ranks - 1)));
    EXPECT_EQ(run.err.find("rank never used"), std::string::npos) << run.err;
    EXPECT_TRUE(contains(run_edge(right, ranks, {}, "y: 7 * x").err,
                         "no dispatch gets y[0, 0:32]" + more_parts(ranks - 1)));
  }
  const std::string text = rows_kernel("y[2 * r:2 * r + 1, 0:32]", "2 * NR");
  EXPECT_TRUE(contains(run_edge(text, 2, {}, "y: 7 * x").err,
                       "no dispatch gets y[0, 32 to 1, 63], and 1 more part\n"))
      << "the rest of row 0, and row 1 follows it; then those of rows 2 and 3";
}

TEST(UndefinedMemory, AnOutputOfNoDispatch) {
  const std::string text = replaced(edge_kernel(), "y: pl.Out[pl.Tensor[[NR, 1, 64], pl.FP32]]):",
                                    "y: pl.Out[pl.Tensor[[NR, 1, 64], pl.FP32]], "
                                    "z: pl.Out[pl.Tensor[[NR, 1, 64], pl.FP32]]):");
  const std::string what =
      "unwritten output: \"z\" is not written everywhere: no dispatch gets z\n";
  const Finished run = run_edge(text, 3);
  EXPECT_EQ(run.status, 4);
  EXPECT_TRUE(contains(run.err, place(text, "z: pl.Out") + "error: " + what));
  const Finished accepted = run_edge(text, 3, {"--golden", "z: 0 * x"});
  EXPECT_EQ(accepted.status, 0) << accepted.err;
  EXPECT_TRUE(contains(accepted.err, "warning: " + what));
}

TEST(UndefinedMemory, ARankThatGetsNothingIsNamedAndCheckFindsItToo) {
  const std::string text = replaced(edge_kernel(), "pl.range(pld.world_size())", "pl.range(1)");
  const Finished run = run_edge(text, 4);
  EXPECT_EQ(run.status, 4);
  EXPECT_TRUE(contains(run.err, "warning: rank never used: no dispatch gets y[1], y[2], y[3]\n"));
  EXPECT_TRUE(contains(run.err, "no dispatch gets y[1:4, 0:1, 0:64]\n"));
  const ScratchDir scratch;
  const Finished check = a2a3sim(
      {"check", scratch.write("kernel.py", text), "--ranks", "2", "--seeds", "1", "--skews", "0"});
  EXPECT_EQ(check.status, 4);
  EXPECT_TRUE(contains(check.out + check.err, "no dispatch gets y[1, 0, 0:64]"));
}

TEST(UndefinedMemory, WhatNoKernelGotHasItsNameOfTheHostFunction) {
  const std::string call = "    kernel(x, y, win, cells, r)";
  const std::string elsewhere =
      replaced(edge_kernel(), call,
               "    t = pl.create_tensor([1, 64], dtype=pl.FP32)\n    kernel(x, t, win, cells, r)");
  EXPECT_TRUE(
      contains(run_edge(elsewhere, 3).err,
               "\"y\" is not written everywhere by ranks 0-2: not y[0, 0, 0:64] of rank 0"));
  std::string half = edge_kernel();
  half = replaced(half, "kernel(x: pl.Tensor[[1, 64]", "kernel(x: pl.Tensor[[1, 32]");
  half = replaced(half, "y: pl.Out[pl.Tensor[[1, 64]", "y: pl.Out[pl.Tensor[[1, 32]");
  half = replaced(half, "pl.load(x, [0, 0], [1, 64])", "pl.load(x, [0, 0], [1, 32])");
  half = replaced(half, "def chip(x, y, win, cells, r)",
                  "def chip(x: pl.Tensor[[1, 64], pl.FP32], y: pl.Out[pl.Tensor[[1, 64], "
                  "pl.FP32]], win: pl.InOut[pld.DistributedTensor[[NR, 64], pl.FP32]], cells: "
                  "pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]], r: pl.Scalar[pl.INT32])");
  half = replaced(half, call,
                  "    y[:, 0:32] = kernel(x[:, 0:32], y[:, 0:32], win, cells, r)\n    return y");
  half = replaced(half, "[0, 0], y)\n", "[0, 0], y)\n    return y\n");
  EXPECT_TRUE(contains(run_edge(half, 3).err, "not y[0, 0, 32:64] of rank 0"));
}

TEST(UndefinedMemory, BytesAroundAWindowBelongToNobody) {
  // The line of a Set reaches beyond the window of cells; what races in it are the cells.
  const ScratchDir scratch;
  const std::string machine = scratch.write("machine.yaml",
                                            "extends: a2a3sim\nmemory: relaxed\n"
                                            "hazards: {set_line: 64 B}\n");
  const std::string text =
      edge_kernel({notify("0", "me", 1, "Set"),
                   "if me == 0:", "    for p in pl.range(n):", "        " + wait("p", 1, "Ge")});
  for (const int ranks : {2, 3, 5}) {
    const Finished run = run_edge(text, ranks, {"--engine", "untimed", "-p", machine});
    EXPECT_TRUE(run.status == 3 || run.status == 4) << run.err;
    EXPECT_TRUE(contains(run.err, "cells["));
    EXPECT_TRUE(contains(run.err, "a Set writes its whole line of 64 bytes back"));
    EXPECT_EQ(run.err.find("of cells_buf"), std::string::npos) << run.err;
    EXPECT_EQ(run.err.find("the memory"), std::string::npos) << run.err;
  }
  EXPECT_EQ(run_edge(text, 1, {"--engine", "untimed", "-p", machine}).err, "");
}

TEST(UndefinedMemory, AReadOfAnUndefinedElementNamesItsPlaceInTheTile) {
  const std::string load = "t = pl.load(x, [0, 0], [1, 64], valid_shape=[1, 40])";
  const std::string text =
      edge_kernel({load, "a = pl.read(t, [0, 39])", "b = pl.read(t, [0, 45])"});
  const Finished run = run_edge(text, 3);
  EXPECT_EQ(run.status, 4);
  EXPECT_TRUE(contains(run.err, place(text, "pl.read(t, [0, 45])") +
                                    "error: undefined tile: ranks 0-2 read element [0, 45] of a "
                                    "[1, 64] tile, which nothing has given a value"));
  EXPECT_EQ(run.err.find("[0, 39] of"), std::string::npos) << run.err;
  const std::string created =
      edge_kernel({"t = pl.tile.create([3, 16], pl.FP32)", "a = pl.read(t, [2, 5])"});
  EXPECT_TRUE(contains(run_edge(created, 2).err, "read element [2, 5] of a [3, 16] tile"));
}

TEST(UndefinedMemory, AStoreNamesTheTileAsItWasMade) {
  const std::string text = edge_kernel({"a = pl.load(x, [0, 0], [1, 64], valid_shape=[1, 40])",
                                        "b = pl.load(x, [0, 0], [1, 64], valid_shape=[1, 50])",
                                        "win = pl.store(pl.add(b, a), [me, 0], win)"});
  EXPECT_TRUE(contains(run_edge(text, 2).err,
                       "use 10 of 50 valid elements of a [1, 64] tile that nothing has given a "
                       "value, the first at [0, 40]"));
}

}  // namespace
}  // namespace a2a3::test::undefined_memory_test
