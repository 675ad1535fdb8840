// SPDX-License-Identifier: Apache-2.0
// What users get wrong, by the numbers of the rows of edge_cases.md, part 1: mistakes that are
// found before the kernel runs. Other tests cover:
//
//   row     where
//    3      EdgeCase05 (deadlock)
//    6      golden/verify/bad-host-collectives
//    7      EdgeCase18
//    9      golden/verify/bad-signature
//   10, 11  golden/verify/bad-elementwise
//   15      golden/verify/bad-roles, bad-entry-none, bad-window-level
//   16      golden/verify/bad-roles
//   17      golden/verify/bad-arguments
//   19      golden/verify/bad-device
//   24      golden/verify/bad-load-store
//   31, 34  unit/interp/fault_test
//   32      EdgeCase13
//   37      EdgeCase04
//   39      golden/verify/bad-put-get
//   46, 47  golden/verify/bad-allgather
//   50      EdgeCase16
//   51      EdgeRow51 in edge_host_signals_test
#include <gtest/gtest.h>

#include "edge_kernel.hpp"

namespace a2a3::test::edge_rows_test {
namespace {

TEST(EdgeRow, TheKernelThatIsChangedHereIsRight) {
  for (const int ranks : {1, 2, 3, 8}) {
    const Finished run = run_edge(edge_kernel(), ranks);
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(run.out, "OK\n");
  }
}

TEST(EdgeRow03, SetOnACellThatSeveralRanksSignal) {
  const auto text = [](const std::string& first, const std::string& second) {
    return edge_kernel({"if me == 1:", "    " + first, "if me == 2:", "    " + second});
  };
  for (const std::string engine : {"timed", "untimed"}) {
    const std::string sets = text(notify("0", "0", 1, "Set"), notify("0", "0", 2, "Set"));
    const Finished both = run_edge(sets, 3, {"--engine", engine});
    EXPECT_EQ(both.status, 0);
    EXPECT_TRUE(contains(both.err, place(sets, notify("0", "0", 1, "Set")) +
                                       "warning: competing Sets: cells[0, 0] of rank 0 is set to 1 "
                                       "by rank 1 and to 2 by rank 2, and nothing orders the two: "
                                       "a Set wipes out what came before it"));
    EXPECT_TRUE(contains(both.err, place(sets, notify("0", "0", 2, "Set")) + "note:"));
    EXPECT_TRUE(contains(both.err, "use NotifyOp.AtomicAdd, or a cell for each rank"));
  }
  const std::string mixed = text(notify("0", "0", 1, "AtomicAdd"), notify("0", "0", 1, "Set"));
  const Finished lost = run_edge(mixed, 3);
  EXPECT_EQ(lost.status, 4);
  EXPECT_TRUE(contains(lost.err, place(mixed, notify("0", "0", 1, "Set")) +
                                     "error: lost credit: rank 2 sets cells[0, 0] of rank 0 to 1, "
                                     "and nothing orders that with the +1 of rank 1"));
  EXPECT_TRUE(contains(lost.err, place(mixed, notify("0", "0", 1, "AtomicAdd")) + "note: "));
  EXPECT_TRUE(contains(lost.err, "NotifyOp.AtomicAdd of a negative value"));
  // One writer for each cell, and adders only.
  EXPECT_EQ(run_edge(text(notify("0", "me", 1, "Set"), notify("0", "me", 2, "Set")), 3).err, "");
  EXPECT_EQ(
      run_edge(text(notify("0", "0", 1, "AtomicAdd"), notify("0", "0", 2, "AtomicAdd")), 3).err,
      "");
  // The same value whichever comes last; and Sets that a wait puts in order.
  EXPECT_EQ(run_edge(text(notify("0", "0", 1, "Set"), notify("0", "0", 1, "Set")), 3).err, "");
  const std::string chain = edge_kernel(
      {"if me == 1:", "    " + notify("0", "0", 1, "Set"), "    " + notify("2", "1", 1, "Set"),
       "if me == 2:", "    " + wait("1", 1, "Ge"), "    " + notify("0", "0", 2, "Set")});
  EXPECT_EQ(run_edge(chain, 3).err, "");
}

TEST(EdgeRow04, RankCountIsHardCoded) {
  const std::string text = replaced(edge_kernel(), "NR = pl.dynamic(\"NR\")", "NR = 2");
  EXPECT_EQ(run_edge(text, 2).status, 0);
  const Finished run = run_edge(text, 3);
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, place(text, "x[r]") +
                                    "error: index 2 of \"x\" is outside dimension 0, which has "
                                    "size 2"));
  EXPECT_TRUE(contains(run.err,
                       "the run has 3 ranks: make the dimension a pl.dynamic one, or run "
                       "with 2 devices"));
}

TEST(EdgeRow08, DispatchLoopShorterThanTheDeviceList) {
  const std::string text = replaced(edge_kernel(), "pl.range(pld.world_size())", "pl.range(2)");
  const Finished run = run_edge(text, 4);
  EXPECT_EQ(run.status, 4);
  EXPECT_TRUE(
      contains(run.err, place(text, "host(x:") + "warning: 2 of 4 devices get no dispatch: 2, 3"));
  EXPECT_TRUE(contains(run.err, place(text, "y: pl.Out[pl.Tensor[[NR") +
                                    "warning: rank never used: no dispatch gets y[2], y[3]"));
  EXPECT_EQ(run_edge(text, 2).err, "");
}

TEST(EdgeRow12, SliceOfOneRankForAll) {
  const std::string input = replaced(edge_kernel(), "chip(x[r], y[r]", "chip(x[0], y[r]");
  const Finished same_input = run_edge(input, 4);
  EXPECT_EQ(same_input.status, 2);
  EXPECT_TRUE(contains(same_input.err,
                       place(input, "chip(x[0]") +
                           "warning: input \"x[0]\" is dispatched to device 0 and to device 1, and "
                           "no dispatch gets x[1], x[2], x[3]"));
  EXPECT_TRUE(contains(same_input.err, "is device=r or [r] missing?"));

  const std::string output = replaced(edge_kernel(), "chip(x[r], y[r]", "chip(x[r], y[0]");
  const Finished same_output = run_edge(output, 4);
  EXPECT_EQ(same_output.status, 4);
  EXPECT_TRUE(contains(same_output.err,
                       place(output, "chip(x[r]") +
                           "warning: output \"y[0]\" is dispatched to device 0 and to device 1"));
  EXPECT_TRUE(contains(same_output.err,
                       place(output, "y: pl.Out[pl.Tensor[[NR") +
                           "error: unwritten output: \"y\" is not written everywhere: no dispatch "
                           "gets y[1:4, 0:1, 0:64]"));
}

TEST(EdgeRow12, DeviceIsMissingOrConstant) {
  for (const std::string device : {"r, device=0)", "r)"}) {
    const std::string text = replaced(edge_kernel(), "r, device=r)", device);
    const Finished run = run_edge(text, 4);
    EXPECT_EQ(run.status, 0) << "the kernels need no rank";
    EXPECT_TRUE(contains(
        run.err, place(text, "host(x:") + "warning: 3 of 4 devices get no dispatch: 1, 2, 3"));
  }
}

TEST(EdgeRow12, OneInputForAllRanksIsNoMistake) {
  // All ranks may read one row when no other row waits for a reader.
  const std::string text = replaced(replaced(edge_kernel(), "def host(x: pl.Tensor[[NR, 1, 64]",
                                             "def host(x: pl.Tensor[[1, 1, 64]"),
                                    "chip(x[r], y[r]", "chip(x[0], y[r]");
  const Finished run = run_edge(text, 3, {}, "y: x[0]");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.err, "");
}

// A scalar that is the same on all ranks may be meant so, as a root is: no check can tell that this
// one was to be the rank. The golden does, and says whose slice it is.
TEST(EdgeRow14, RankIsNotPassedDown) {
  const std::string from = "table: pl.Tensor[[NR, 64], pl.FP32], x:";
  std::string text = edge_kernel({"mine = pl.load(table, [r, 0], [1, 64])"});
  text = replaced(text, "pl.store(pl.load(x, [0, 0], [1, 64]), ", "pl.store(mine, ");
  text = replaced(text, "def kernel(x:", "def kernel(" + from);
  text = replaced(text, "def chip(x", "def chip(table, x");
  text = replaced(text, "    kernel(x", "    kernel(table, x");
  text = replaced(text, "def host(x:", "def host(" + from);
  text = replaced(text, "chip(x[r]", "chip(table, x[r]");
  const std::string constant = replaced(text, "cells, r, device=r)", "cells, 0, device=r)");
  for (const std::string engine : {"timed", "untimed"}) {
    const Finished right = run_edge(text, 3, {"--engine", engine}, "y: table");
    EXPECT_EQ(right.status, 0);
    EXPECT_EQ(right.err, "");
    const Finished run = run_edge(constant, 3, {"--engine", engine}, "y: table");
    EXPECT_EQ(run.status, 2);
    EXPECT_TRUE(contains(run.err, "y is not table on ranks 1,2"));
    for (const std::string rank : {"1", "2"})
      EXPECT_TRUE(contains(run.err, "y: rank " + rank + ": 64 of 64 elements wrong"));
    EXPECT_TRUE(contains(run.err, "it holds what rank 0 must hold"));
    EXPECT_EQ(run.err.find("warning"), std::string::npos);
  }
}

TEST(EdgeRow41, InitialValueIsReadInsteadOfTheLoopsResult) {
  const std::vector<std::string> body{
      "start = me",
      "for i, (s,) in pl.range(0, 3, init_values=(start,)):", "    total = pl.yield_(s + 1)",
      "pl.write(cells, [me, 0], start)"};
  const std::string text = edge_kernel(body);
  const Finished run = run_edge(text, 2);
  EXPECT_EQ(run.status, 0);
  EXPECT_TRUE(contains(run.err, place(text, "start)\n    y =") +
                                    "warning: 'start' holds the value from before the loop; the "
                                    "loop's result is 'total', which nobody reads"));
  EXPECT_TRUE(contains(run.err, place(text, "total = ") + "note: the loop ends here"));

  EXPECT_EQ(run_edge(replaced(text, "[me, 0], start)", "[me, 0], total)"), 2).err, "");
  // Both are read: the author knows them apart.
  EXPECT_EQ(run_edge(replaced(text, "[me, 0], start)", "[me, 0], start + total)"), 2).err, "");
}

TEST(EdgeRow43, TwoDynamicObjectsAreTwoDimensions) {
  std::string text = edge_kernel({"pld.tensor.put(win, me, rows, chunk_rows=1)"});
  text = replaced(text, "NR = pl.dynamic(\"NR\")",
                  "NR = pl.dynamic(\"NR\")\nROWS = pl.dynamic(\"NR\")");
  text = replaced(text, "def kernel(x:", "def kernel(rows: pl.Tensor[[ROWS, 64], pl.FP32], x:");
  text = replaced(text, "def chip(x", "def chip(rows, x");
  text = replaced(text, "kernel(x, y, win", "kernel(rows, x, y, win");
  text = replaced(text, "def host(x:", "def host(rows: pl.Tensor[[NR, ROWS, 64], pl.FP32], x:");
  text = replaced(text, "chip(x[r]", "chip(rows[r], x[r]");
  const Finished run = run_edge(text, 3);
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, place(text, "rows, chunk_rows") + "error: pld.tensor.put "));
  EXPECT_TRUE(contains(run.err, "differs (dynamic dims must match structurally): dst=NR, src=NR"));
  EXPECT_TRUE(contains(run.err, "two calls of pl.dynamic make two dimensions, also with one name"));
  EXPECT_EQ(run_edge(replaced(text, "ROWS = pl.dynamic(\"NR\")", "ROWS = NR"), 3).status, 0);
}

}  // namespace
}  // namespace a2a3::test::edge_rows_test
