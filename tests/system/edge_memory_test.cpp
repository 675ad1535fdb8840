// SPDX-License-Identifier: Apache-2.0
// Mistakes of edge_cases.md, part 1, that are marked V: reads of what nobody wrote, outputs that
// are not written, operands and peers out of range. The data plays a part only where it says so.
#include <gtest/gtest.h>

#include "edge_kernel.hpp"

namespace a2a3::test::edge_memory_test {
namespace {

const std::vector<Body> kEngines{{}, {"--engine", "untimed"}};

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
  const Finished run = run_edge(text, 3);
  EXPECT_EQ(run.status, 0);
  EXPECT_TRUE(contains(run.err, place(text, read) + "warning: unwritten read: ranks 0-2 "));
  EXPECT_TRUE(contains(run.err, "win[0, 32:64] of rank 0"));
}

TEST(EdgeRow20, LocalLoadWhereARemoteOneWasMeant) {
  const std::string read = "pl.load(win, [(me + 1) % n, 0], [1, 64])";
  const std::string text = edge_kernel(staged(kStage, {"y = pl.store(" + read + ", [0, 0], y)"}));
  for (const Body& engine : kEngines) {
    const Finished run = run_edge(text, 3, engine);
    EXPECT_EQ(run.status, 0) << "windows begin with zeros";
    EXPECT_TRUE(contains(run.err, place(text, read) +
                                      "warning: unwritten read: ranks 0-2 read bytes that nothing "
                                      "has written: win[1, 0:64] of rank 0"))
        << run.err;
    EXPECT_TRUE(contains(run.err, "note: 3 times"));
  }
}

// The same where the peers push into the row: their data is there, and nothing orders the load
// behind it.
TEST(EdgeRow20, LocalLoadOfWhatThePeersWriteWithoutOrder) {
  const std::string push =
      "pld.tile.remote_store(pl.load(x, [0, 0], [1, 64]), win, peer=(me + n - 1) % n, "
      "offsets=[me, 0])";
  const std::string read = "pl.load(win, [(me + 1) % n, 0], [1, 64])";
  const auto text = [&](const Body& between) {
    return edge_kernel(joined({{push}, between, {"y = pl.store(" + read + ", [0, 0], y)"}}));
  };
  const std::string wrong = text({});
  for (const Body& engine : kEngines) {
    const ScratchDir scratch;
    const std::string json = scratch.file("run.json");
    const Finished run = run_edge(wrong, 3, joined({engine, {"--json", json}}));
    EXPECT_EQ(run.status, 4);
    EXPECT_TRUE(contains(run.err, place(wrong, read) + "error: race: ranks 0-2 "));
    EXPECT_TRUE(contains(run.err, place(wrong, push) + "note: "));
    const nlohmann::json races = read_json(json)["race_check"]["races"];
    ASSERT_EQ(races.size(), 1U);
    EXPECT_EQ(races[0]["kind"], "read-before-write");
    EXPECT_EQ(races[0]["races_count"], 3);
    const int owner = races[0]["owner_rank"];
    EXPECT_EQ(races[0]["range"], "win[" + std::to_string((owner + 1) % 3) + ", 0:64]");
    const Finished right = run_edge(text({"pld.tensor.barrier(cells)"}), 3, engine);
    EXPECT_EQ(right.status, 0);
    EXPECT_EQ(right.err, "");
  }
}

// Row 45: every rank gathers the rows of its own window, of which it staged one.
TEST(EdgeRow45, OwnWindowInsteadOfTheRemoteOnes) {
  const auto gather = [](const std::string& read) {
    return edge_kernel(
        staged(kStage, inside("for p in pl.range(n):", {"y = pl.store(" + read + ", [0, 0], y)"})));
  };
  const std::string remote = "pld.tile.remote_load(win, peer=p, offsets=[p, 0], shape=[1, 64])";
  for (const std::string& read :
       {std::string("pl.load(win, [p, 0], [1, 64])"), replaced(remote, "peer=p", "peer=me")}) {
    const std::string text = gather(read);
    for (const Body& engine : kEngines) {
      const Finished run = run_edge(text, 3, engine);
      EXPECT_EQ(run.status, 0) << "windows begin with zeros";
      EXPECT_TRUE(contains(run.err, place(text, read) +
                                        "warning: unwritten read: ranks 0-2 read bytes that "
                                        "nothing has written: win[0, 0:64] of rank 1"))
          << run.err;
      EXPECT_TRUE(contains(run.err, "note: 6 times"));
      EXPECT_TRUE(contains(run.err, "compare the rank, offsets and shape of the read with what"));
    }
  }
  for (const int ranks : {1, 2, 3, 4, 5, 7, 8}) {
    const Finished right = run_edge(gather(remote), ranks);
    EXPECT_EQ(right.status, 0);
    EXPECT_EQ(right.err, "");
  }
}

TEST(EdgeRow52, ReductionOfWhatWasNotStaged) {
  const std::string call = "pld.tensor.allreduce(win, cells, op=pld.ReduceOp.Sum, mode=\"mesh\")";
  const std::string text = edge_kernel({"summed = " + call});
  for (const Body& engine : kEngines) {
    const Finished run = run_edge(text, 3, engine);
    EXPECT_EQ(run.status, 0) << "windows begin with zeros";
    EXPECT_TRUE(contains(run.err, place(text, call) +
                                      "warning: unwritten read: ranks 0-2 read bytes that nothing "
                                      "has written: win[0:3, 0:64] of rank 0"))
        << run.err;
    EXPECT_TRUE(contains(run.err, "note: 9 times")) << "each rank reads the window of each";
  }
  const std::string all = "for k in pl.range(n):\n        " + replaced(kStage, "[me", "[k");
  const Finished right = run_edge(edge_kernel({all, "summed = " + call}), 3);
  EXPECT_EQ(right.status, 0);
  EXPECT_EQ(right.err, "");
}

/// The store of a tile with elements that nothing has given a value.
TEST(EdgeMemory, AnUndefinedTileIsStored) {
  struct Undefined {
    Body tile;
    std::string what;
  };
  const std::string store = "pl.store(t, [me, 0], win)";
  const std::string narrow = "t = pl.load(x, [0, 0], [1, 64], valid_shape=[1, 32])";
  const Undefined cases[] = {
      {{"t = pl.tile.create([1, 64], dtype=pl.FP32)"},
       "64 of 64 elements of a [1, 64] tile that nothing has given a value, the first at [0, 0]"},
      {{"t = pl.create_tile([1, 64], dtype=pl.FP32)"},
       "64 of 64 elements of a [1, 64] tile that nothing has given a value, the first at [0, 0]"},
      {{narrow, "t = pl.tile.set_validshape(t, 1, 48)"},
       "16 of 48 valid elements of a [1, 64] tile that nothing has given a value, the first at [0, "
       "32]"}};
  for (const Undefined& one : cases) {
    const std::string text = edge_kernel(joined({one.tile, {"win = " + store}}));
    for (const Body& engine : kEngines) {
      const Finished run = run_edge(text, 3, engine);
      EXPECT_EQ(run.status, 4);
      EXPECT_NE(run.last_line(), "OK");
      EXPECT_TRUE(contains(
          run.err, place(text, store) + "error: undefined tile: ranks 0-2 use " + one.what));
      EXPECT_TRUE(contains(run.err, "note: 3 times"));
      EXPECT_TRUE(contains(run.err, "begin with pl.tile.full"));
    }
  }
  for (const Body& right : {Body{narrow, "t = pl.tile.fillpad(t)"}, Body{narrow},
                            Body{narrow, "t = pl.tile.set_validshape(t, 1, 16)"},
                            Body{"t = pl.tile.full([1, 64], dtype=pl.FP32, value=0.0)"}}) {
    for (const Body& engine : kEngines) {
      const Finished run = run_edge(edge_kernel(joined({right, {"win = " + store}})), 3, engine);
      EXPECT_EQ(run.status, 0);
      EXPECT_EQ(run.err, "");
    }
  }
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
  EXPECT_EQ(run.status, 0);
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
