// SPDX-License-Identifier: Apache-2.0
// Mistakes of edge_cases.md that are races: the rows of part 1 that are marked H, and scenarios of
// part 2, by their numbers; each beside the kernel that is right. Scenarios 1, 9 and 10 as lists of
// events are in unit/isa/order/happens_before_test.cpp.
#include <functional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "edge_kernel.hpp"

namespace a2a3::test::edge_race_test {
namespace {

using Body = std::vector<std::string>;

/// One behind the other.
Body body(Body first, const Body& second, const Body& third = {}, const Body& fourth = {},
          const Body& fifth = {}, const Body& sixth = {}, const Body& seventh = {}) {
  for (const Body* part : {&second, &third, &fourth, &fifth, &sixth, &seventh})
    first.insert(first.end(), part->begin(), part->end());
  return first;
}

Body inside(const std::string& head, const Body& lines) {
  Body block{head};
  for (const std::string& line : lines)
    block.push_back("    " + line);
  return block;
}

/// All ranks signal all, in row `me`, and wait for `expected` in the rows of the others.
Body barrier(int expected = 1) {
  return body(
      inside("for p in pl.range(n):", inside("if p != me:", {notify("p", "me", 1, "AtomicAdd")})),
      inside("for q in pl.range(n):", inside("if q != me:", {wait("q", expected, "Ge")})));
}

const std::string kNextRank = "(me + 1) % n";
const std::string kLastRank = "(me + n - 1) % n";
const Body kStage{"win = pl.store(pl.load(x, [0, 0], [1, 64]), [me, 0], win)"};
const Body kRestage{"win = pl.store(pl.load(y, [0, 0], [1, 64]), [me, 0], win)"};
const Body kPull = inside("for s in pl.range(n):",
                          {"got = pld.tile.remote_load(win, peer=s, offsets=[s, 0], shape=[1, 64])",
                           "y = pl.store(got, [0, 0], y)"});
const Body kPushRight{
    "pld.tensor.put(win, (me + 1) % n, x, dst_offsets=[0, 0], src_offsets=[0, 0], shape=[1, 64])"};
const Body kReadFirstRow{"y = pl.store(pl.load(win, [0, 0], [1, 64]), [0, 0], y)"};

/// Another place for the reads of all peers.
Body pull_first_row(const std::string& peer) {
  return {"got = pld.tile.remote_load(win, peer=" + peer + ", offsets=[0, 0], shape=[1, 64])",
          "y = pl.store(got, [0, 0], y)"};
}

struct Mistake {
  std::string name;
  Body wrong;
  std::string earlier;  ///< parts of the two lines, in any order
  std::string later;
  Body right;
  int ranks = 3;
};

const std::vector<Mistake> kMistakes = {
    {"Row02_27_49_RemoteReadBeforeThePeerStaged", body(kStage, kPull), "[me, 0], win)",
     "pld.tile.remote_load(", body(kStage, barrier(), kPull)},
    {"Row21_SeveralRanksSetOneCell",
     body(kStage, inside("if me != 0:", {notify("0", "0", 1, "Set")}),
          inside("if me == 0:", body({wait("0", 1, "Eq")}, kPull))),
     "[me, 0], win)", "pld.tile.remote_load(",
     body(kStage, inside("if me != 0:", {notify("0", "0", 1, "AtomicAdd")}),
          inside("if me == 0:", body({wait("0", 2, "Eq")}, kPull)))},
    {"Row22_40_SecondBarrierExpectsTheFirstCredit", body(barrier(1), kStage, barrier(1), kPull),
     "[me, 0], win)", "pld.tile.remote_load(", body(barrier(1), kStage, barrier(2), kPull)},
    {"Row29_PushWithTheBarrierBeforeIt", body(barrier(), kPushRight, kReadFirstRow),
     "pld.tensor.put(", "pl.load(win, [0, 0]", body(kPushRight, barrier(), kReadFirstRow)},
    {"Row30_PutWithoutWait",
     body(kPushRight, {notify(kNextRank, "0", 1, "AtomicAdd")}, kReadFirstRow), "pld.tensor.put(",
     "pl.load(win, [0, 0]",
     body(kPushRight, {notify(kNextRank, "0", 1, "AtomicAdd"), wait("0", 1, "Ge")}, kReadFirstRow)},
    {"Row35_HandshakeWithTheWrongNeighbour",
     body({"win = pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], win)",
           notify(kNextRank, "0", 1, "AtomicAdd"), wait("0", 1, "Ge")},
          pull_first_row(kNextRank)),
     "[0, 0], win)", "pld.tile.remote_load(",
     body({"win = pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], win)",
           notify(kLastRank, "0", 1, "AtomicAdd"), wait("0", 1, "Ge")},
          pull_first_row(kNextRank))},
    {"Row54_StagingWithoutRootTest",
     {"pld.tile.remote_store(pl.load(x, [0, 0], [1, 64]), win, peer=0, offsets=[0, 0])"},
     "pld.tile.remote_store(",
     "pld.tile.remote_store(",
     inside("if me == 0:",
            {"pld.tile.remote_store(pl.load(x, [0, 0], [1, 64]), win, peer=0, offsets=[0, 0])"})},
    {"Scenario01_ThirdTilePassesEarly",
     inside(
         "for k in pl.range(4):",
         body(inside("if me == 0:",
                     {"pld.tensor.put(win, 1, x, dst_offsets=[k, 0], src_offsets=[0, 0], "
                      "shape=[1, 64])",
                      "pld.system.notify(cells, peer=1, offsets=[0, 0], value=k + 1, "
                      "op=pld.NotifyOp.AtomicAdd)"}),
              inside("if me == 1:", {"pld.system.wait(cells, offsets=[0, 0], expected=k + 1, "
                                     "cmp=pld.WaitCmp.Ge)",
                                     "y = pl.store(pl.load(win, [k, 0], [1, 64]), [0, 0], y)"}))),
     "pld.tensor.put(", "pl.load(win, [k, 0]",
     inside(
         "for k in pl.range(4):",
         body(inside("if me == 0:",
                     {"pld.tensor.put(win, 1, x, dst_offsets=[k, 0], src_offsets=[0, 0], "
                      "shape=[1, 64])",
                      "pld.system.notify(cells, peer=1, offsets=[0, 0], value=1, "
                      "op=pld.NotifyOp.AtomicAdd)"}),
              inside("if me == 1:", {"pld.system.wait(cells, offsets=[0, 0], expected=k + 1, "
                                     "cmp=pld.WaitCmp.Ge)",
                                     "y = pl.store(pl.load(win, [k, 0], [1, 64]), [0, 0], y)"}))),
     4},
    {"Scenario09_StoreInPlaceWithoutReadDoneBarrier", body(kStage, barrier(), kPull, kRestage),
     "pl.load(y, [0, 0]", "pld.tile.remote_load(",
     body(kStage, barrier(), kPull, barrier(2), kRestage)},
    {"Scenario20_AtomicAddAndPlainStore",
     body(inside("if me != 0:", {"pld.tile.remote_store(pl.load(x, [0, 0], [1, 64]), win, peer=0, "
                                 "offsets=[0, 0], atomic=pld.AtomicType.Add)"}),
          inside("if me == 0:", {"win = pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], win)"})),
     "pld.AtomicType.Add",
     "[0, 0], win)",
     {"pld.tile.remote_store(pl.load(x, [0, 0], [1, 64]), win, peer=0, offsets=[0, 0], "
      "atomic=pld.AtomicType.Add)"}},
    {"Row56_PushesAgainBeforeTheReaderIsDone",
     body(kPushRight, barrier(1), kReadFirstRow, kPushRight, barrier(2), kReadFirstRow),
     "pld.tensor.put(", "pl.load(win, [0, 0]",
     body(kPushRight, barrier(1), kReadFirstRow, barrier(2), kPushRight, barrier(3),
          kReadFirstRow)},
    {"Row55_BroadcastThenRestagingByTheRoot",
     body({"whole = pld.tensor.broadcast(win, cells, root=0)"},
          inside("if me == 0:", {"win = pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], win)"})),
     "pld.tensor.broadcast(", "[0, 0], win)",
     body({"whole = pld.tensor.broadcast(win, cells, root=0)", "pld.tensor.barrier(cells)"},
          inside("if me == 0:", {"win = pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], win)"}))},
};

class EdgeRace : public testing::TestWithParam<Mistake> {};

/// Runs a body on the timed engine, and on the untimed one round the cores and in drawn orders.
void for_each_order(
    const Body& lines, int ranks,
    const std::function<void(const Finished& run, const std::string& text)>& check) {
  std::string text = edge_kernel(lines);
  // broadcast wants a static shape.
  if (text.find("broadcast") != std::string::npos)
    text = replaced(text, "win: pl.InOut[pld.DistributedTensor[[NR, 64]",
                    "win: pl.InOut[pld.DistributedTensor[[1, 64]");
  for (const Body& how :
       {Body{}, Body{"--engine", "untimed"}, Body{"--engine", "untimed", "--seed", "1"},
        Body{"--engine", "untimed", "--seed", "2"}}) {
    SCOPED_TRACE(text);
    check(run_edge(text, ranks, how), text);
  }
}

TEST_P(EdgeRace, IsFoundWithBothLines) {
  for_each_order(GetParam().wrong, GetParam().ranks, [](const Finished& run, const std::string&) {
    EXPECT_EQ(run.status, 4) << run.err;
    EXPECT_TRUE(contains(run.err, "error: race: "));
    EXPECT_TRUE(contains(run.err, GetParam().earlier));
    EXPECT_TRUE(contains(run.err, GetParam().later));
  });
}

TEST_P(EdgeRace, IsGoneInTheRightKernel) {
  for_each_order(GetParam().right, GetParam().ranks, [](const Finished& run, const std::string&) {
    EXPECT_NE(run.status, 4) << run.err;
    EXPECT_TRUE(run.status == 0 || run.status == 2) << run.err;  // the data plays no part here
    EXPECT_EQ(run.err.find("race"), std::string::npos) << run.err;
  });
}

INSTANTIATE_TEST_SUITE_P(Mistakes, EdgeRace, testing::ValuesIn(kMistakes),
                         [](const auto& mistake) { return mistake.param.name; });

// Row 40: cells that a former launch left at 1.
TEST(EdgeRow40, CreditOfTheLaunchBefore) {
  const std::string text = edge_kernel(body(
      kPushRight, {notify(kNextRank, "0", 1, "AtomicAdd"), wait("0", 1, "Ge")}, kReadFirstRow));
  const Body again{"--launches", "2"};
  EXPECT_EQ(run_edge(text, 3, again).err.find("race"), std::string::npos);
  const Finished stale = run_edge(text, 3, body(again, Body{"--persistent"}));
  EXPECT_EQ(stale.status, 4) << stale.err;
  EXPECT_TRUE(contains(stale.err, "note: in launch 2\n"));
  EXPECT_TRUE(contains(stale.err, "race: ranks 0-2 "));
}

// Scenario 6 with delivery in order: the notify waits for the pieces of the put.
TEST(EdgeCase06, ANotifyBehindAChunkedPutOrdersIt) {
  const Body chunked{
      "pld.tensor.put(win, (me + 1) % n, win, dst_offsets=[0, 0], src_offsets=[4, 0], "
      "shape=[4, 64], chunk_rows=2)"};
  const Body read{"y = pl.store(pl.load(win, [3, 0], [1, 64]), [0, 0], y)"};
  const auto run = [&](const Body& between) {
    return run_edge(edge_kernel(body(chunked, between, read)), 8, {"--engine", "untimed"},
                    "y: 0 * x");
  };
  EXPECT_EQ(run({}).status, 4);
  EXPECT_EQ(run({notify(kNextRank, "0", 1, "AtomicAdd"), wait("0", 1, "Ge")}).err.find("race"),
            std::string::npos);
}

// The report is about the side that has to wait, in every order of the cores.
TEST(EdgeRace, TheSideThatHasToWaitIsTheSameInEveryOrder) {
  const std::string stage = "win = pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], win)";
  const std::string pull =
      "y = pl.store(pld.tile.remote_load(win, peer=0, offsets=[0, 0], "
      "shape=[1, 64]), [0, 0], y)";
  const std::string again = "win = pl.store(pl.load(y, [0, 0], [1, 64]), [0, 0], win)";
  const std::string early = edge_kernel({"if me == 0:", "    " + stage, "else:", "    " + pull});
  const std::string late =
      edge_kernel({"if me == 0:", "    " + stage, "    " + notify("1", "0", 1, "AtomicAdd"),
                   "    " + again, "else:", "    " + wait("0", 1, "Ge"), "    " + pull});
  for (int seed = 0; seed < 8; ++seed) {
    const std::vector<std::string> order{"--engine", "untimed", "--seed", std::to_string(seed)};
    const Finished read = run_edge(early, 2, order);
    EXPECT_EQ(read.status, 4);
    EXPECT_TRUE(contains(read.err, place(early, "pld.tile.remote_load(") +
                                       "error: race: rank 1 reads win[0, 0:64] of rank 0 while the "
                                       "write by rank 0 is not ordered before it"))
        << read.err;
    EXPECT_TRUE(contains(read.err, "let the writer notify the reader after the write"));
    const Finished write = run_edge(late, 2, order);
    EXPECT_EQ(write.status, 4);
    EXPECT_TRUE(contains(write.err, place(late, "pl.store(pl.load(y,") +
                                        "error: race: rank 0 writes win[0, 0:64] of rank 0 while "
                                        "the read by rank 1 is not ordered before it"))
        << write.err;
    EXPECT_TRUE(contains(write.err, "let the reader notify the writer after the read"));
  }
}

/// Rank 0 writes twice and says so each time, and waits until all have read; the others wait.
std::string two_generations(const std::string& op, int value, const std::string& expected) {
  const Body writes = inside(
      "if me == 0:",
      body({"win = pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], win)"},
           inside("for p in pl.range(1, n):", {notify("p", "0", value, op)}),
           inside("for q in pl.range(1, n):", {replaced(wait("q", 7, "Ge"), "=7", "=g + 1")})));
  const Body reads =
      inside("else:", {replaced(wait("0", 7, "Ge"), "=7", "=" + expected),
                       "got = pld.tile.remote_load(win, peer=0, offsets=[0, 0], shape=[1, 64])",
                       "y = pl.store(got, [0, 0], y)", notify("0", "me", 1, "AtomicAdd")});
  return edge_kernel(inside("for g in pl.range(2):", body(writes, reads)));
}

// Row 40, scenario 10: of the second time a reader that an earlier credit lets through comes too
// early, though it had data; not the writer, which waits for all readers.
TEST(EdgeRace, BehindAWaitThatAnEarlierCreditSatisfiesTheReadComesTooEarly) {
  for (const int ranks : {2, 3, 5}) {
    for (const std::string op : {"AtomicAdd", "Set"}) {
      const std::string text = two_generations(op, 1, "1");
      for (const Body& how :
           {Body{}, Body{"--engine", "untimed"}, Body{"--engine", "untimed", "--seed", "3"}}) {
        SCOPED_TRACE(op + " on " + std::to_string(ranks));
        const Finished run = run_edge(text, ranks, how);
        EXPECT_EQ(run.status, 4);
        EXPECT_TRUE(contains(run.err, place(text, "pld.tile.remote_load(") + "error: race: "))
            << run.err;
        EXPECT_TRUE(contains(run.err, place(text, "pld.system.wait(cells, offsets=[0") +
                                          "note: this wait of rank 1 on cells[0, 0] does not wait "
                                          "for the write"))
            << run.err;
        EXPECT_TRUE(contains(run.err, op == "Set" ? "set and expect one more than the time before"
                                                  : "let the notify add the same each time"));
        EXPECT_FALSE(contains(run.err, "let the reader notify the writer"));
      }
    }
    const Finished right = run_edge(two_generations("AtomicAdd", 1, "g + 1"), ranks);
    EXPECT_EQ(right.err.find("race"), std::string::npos) << right.err;
  }
}

}  // namespace
}  // namespace a2a3::test::edge_race_test
