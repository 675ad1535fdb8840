// SPDX-License-Identifier: Apache-2.0
// Mistakes of edge_cases.md, part 1, that are marked V: reads of what nobody wrote, outputs that
// are not written, operands and peers out of range. The data plays a part only where it says so.
#include <gtest/gtest.h>

#include "edge_kernel.hpp"

namespace a2a3::test::edge_memory_test {
namespace {

using Body = std::vector<std::string>;

const std::string kStage = "win = pl.store(pl.load(x, [0, 0], [1, 64]), [me, 0], win)";

Body staged(const std::string& stage, const Body& then) {
  Body body{stage, "pld.tensor.barrier(cells)"};
  body.insert(body.end(), then.begin(), then.end());
  return body;
}

TEST(EdgeRow02, RemoteLoadOfARowThatWasNotStaged) {
  const std::string read = "pld.tile.remote_load(win, peer=0, offsets=[1, 0], shape=[1, 64])";
  const std::string text = edge_kernel(staged(kStage, {"y = pl.store(" + read + ", [0, 0], y)"}));
  for (const std::string engine : {"timed", "untimed"}) {
    const Finished run = run_edge(text, 3, {"--engine", engine});
    EXPECT_EQ(run.status, 0) << "windows begin with zeros";
    EXPECT_TRUE(contains(run.err, place(text, read) +
                                      "warning: unwritten read: ranks 0-2 read bytes that nothing "
                                      "has written: win[1, 0:64] of rank 0"))
        << run.err;
  }
  const std::string right = "pld.tile.remote_load(win, peer=0, offsets=[0, 0], shape=[1, 64])";
  EXPECT_EQ(
      run_edge(edge_kernel(staged(kStage, {"y = pl.store(" + right + ", [0, 0], y)"})), 3).err, "");
}

TEST(EdgeRow02, APartOfTheRowIsEnough) {
  const std::string half = "win = pl.store(pl.load(x, [0, 0], [1, 32]), [me, 0], win)";
  const std::string read = "pld.tile.remote_load(win, peer=0, offsets=[0, 0], shape=[1, 64])";
  const std::string text = edge_kernel(staged(half, {"y = pl.store(" + read + ", [0, 0], y)"}));
  EXPECT_TRUE(contains(run_edge(text, 3).err, "nothing has written: win[0, 32:64] of rank 0"));
}

TEST(EdgeRow20, LocalLoadWhereARemoteOneWasMeant) {
  const std::string read = "pl.load(win, [(me + 1) % n, 0], [1, 64])";
  const std::string text = edge_kernel(staged(kStage, {"y = pl.store(" + read + ", [0, 0], y)"}));
  const Finished run = run_edge(text, 3);
  EXPECT_TRUE(contains(run.err, place(text, read) +
                                    "warning: unwritten read: ranks 0-2 read bytes that nothing "
                                    "has written: win[1, 0:64] of rank 0"))
      << run.err;
}

TEST(EdgeRow52, ReductionOfWhatWasNotStaged) {
  const std::string call = "pld.tensor.allreduce(win, cells, op=pld.ReduceOp.Sum, mode=\"mesh\")";
  const std::string text = edge_kernel({"summed = " + call});
  const Finished run = run_edge(text, 3);
  EXPECT_TRUE(contains(run.err, "warning: unwritten read: ranks 0-2 read bytes"));
  EXPECT_TRUE(contains(run.err, call));
}

TEST(EdgeMemory, AWindowThatIsThereForItsZerosIsNoMistake) {
  EXPECT_EQ(
      run_edge(edge_kernel({"y = pl.store(pl.load(win, [0, 0], [1, 64]), [0, 0], y)"}), 3).err, "");
}

TEST(EdgeRow42, AnOutputIsReadBeforeItIsWritten) {
  const std::string read = "pl.load(y, [0, 0], [1, 64])";
  const std::string text = edge_kernel({"win = pl.store(" + read + ", [me, 0], win)"});
  const Finished run = run_edge(text, 3);
  EXPECT_EQ(run.status, 4);
  EXPECT_NE(run.last_line(), "OK");
  EXPECT_TRUE(contains(run.err, place(text, read) +
                                    "error: unwritten read: ranks 0-2 read bytes that nothing has "
                                    "written: y[0, 0:64] of rank 0"))
      << run.err;
  const std::string write = "y = pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], y)";
  EXPECT_EQ(run_edge(edge_kernel({write, "win = pl.store(" + read + ", [me, 0], win)"}), 3).err,
            "");
}

TEST(EdgeRow44, AGapInTheOutput) {
  const std::string text =
      replaced(edge_kernel(), "pl.load(x, [0, 0], [1, 64])", "pl.load(x, [0, 0], [1, 32])");
  const Finished wrong = run_edge(text, 3, {}, "y: x + 1");
  EXPECT_EQ(wrong.status, 4);
  EXPECT_TRUE(contains(wrong.err, place(text, "y: pl.Out[pl.Tensor[[NR, 1, 64]") +
                                      "error: unwritten output: \"y\" is not written everywhere by "
                                      "ranks 0-2: not y[0, 32:64] of rank 0"))
      << wrong.err;
}

TEST(EdgeRow44, AGoldenMayAcceptIt) {
  // Nothing is written: the zeros are those of the simulator.
  const std::string text =
      replaced(edge_kernel(), "y = pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], y)",
               "win = pl.store(pl.load(x, [0, 0], [1, 64]), [me, 0], win)");
  const Finished accepted = run_edge(text, 3, {}, "y: 0 * x");
  EXPECT_EQ(accepted.status, 0) << accepted.err;
  EXPECT_TRUE(contains(accepted.err, "warning: unwritten output: \"y\""));
}

/// Who remembers which bytes were written needs more than who remembers the accesses.
TEST(EdgeMemory, IsNotDecidedWhenWhatWasWrittenTakesTooMuch) {
  std::string text = edge_kernel(
      {"for i in pl.range(64):", "    win = pl.store(pl.load(x, [0, 0], [1, 8]), [i, 0], win)"});
  for (const std::string before : {"DistributedTensor[", "buffer(", "win_buf, "})
    text = replaced(text, before + "[NR, 64]", before + "[64, 1024]");
  EXPECT_EQ(run_edge(text, 1, {"--max-race-records", "600"}).err, "");
  const ScratchDir scratch;
  const std::string json = scratch.file("result.json");
  const Finished run = run_edge(text, 1, {"--max-race-records", "300", "--json", json});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err,
                       "not decided whether there is a race or a read of bytes without a "
                       "value"))
      << run.err;
  EXPECT_NE(run.last_line(), "OK");
  EXPECT_EQ(read_json(json)["race_check"]["state"], "undecided");
}

/// The same of the values in tiles.
TEST(EdgeMemory, IsNotDecidedWhenTheValuesInTilesTakeTooMuch) {
  const std::string text =
      edge_kernel({"t = pl.tile.create([24, 1024], dtype=pl.FP32)",
                   "for i in pl.range(24):", "    pl.write(t, [i, 0], pl.read(x, [0, 0]))"});
  EXPECT_EQ(run_edge(text, 1, {"--max-race-records", "200"}).err, "");
  const Finished run = run_edge(text, 1, {"--max-race-records", "100"});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err,
                       "not decided whether there is a race or a read of bytes without a "
                       "value"))
      << run.err;
  EXPECT_NE(run.last_line(), "OK");
}

TEST(EdgeRow34, NegativeOperandOfAModulo) {
  const std::string text = edge_kernel({"k = (r - 1) % n"});
  const Finished run = run_edge(text, 3);
  EXPECT_TRUE(contains(
      run.err, place(text, "(r - 1) % n") + "warning: % has a negative operand in a kernel"))
      << run.err;
  EXPECT_TRUE(contains(run.err, "write (r + n - 1) % n"));
}

TEST(EdgeRow31, APeerBehindTheLastRank) {
  const std::string send = notify("me + 1", "0", 1, "AtomicAdd");
  const std::string text = edge_kernel({send});
  const Finished run = run_edge(text, 3);
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, place(text, send) +
                                    "error: notify addresses peer 3, the domain of \"cells_buf\" "
                                    "has ranks 0..2"));
}

}  // namespace
}  // namespace a2a3::test::edge_memory_test
