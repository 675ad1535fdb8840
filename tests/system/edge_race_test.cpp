// SPDX-License-Identifier: Apache-2.0
// Mistakes of edge_cases.md that are races: the rows of part 1 that are marked H, and scenarios of
// part 2, by their numbers; each beside the kernel that is right. Scenarios 1, 9 and 10 as lists of
// events are in unit/isa/order/happens_before_test.cpp.
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "edge_kernel.hpp"

namespace a2a3::test::edge_race_test {
namespace {

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

using Ranks = std::set<std::uint32_t>;

/// One of the two accesses: its line, by a part of it and which of its places, and what it does.
struct Side {
  std::string part;
  int nth = 0;
  std::string access;  ///< as --json says
  Ranks ranks;
};

struct Mistake {
  std::string name;
  Body wrong;
  Side second;  ///< the one that has to wait, at whose line the error stands
  Side first;
  std::string kind;   ///< as --json says
  std::string range;  ///< {} is the rank whose memory it is
  std::uint32_t owner = 0;
  int count = 0;  ///< of races between the two lines
  std::string advice;
  Body right;
  int ranks = 3;
  std::string rows = "NR";  ///< of `win`
};

const std::string kRow0 = "win = pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], win)";
const Body kTileToRank1{
    "pld.tensor.put(win, 1, x, dst_offsets=[k, 0], src_offsets=[0, 0], shape=[1, 64])"};

/// Rank 0 puts tile k on rank 1 and adds `value` to its cell; rank 1 waits for k + 1 and loads it.
Body four_tiles(const std::string& value) {
  return inside(
      "for k in pl.range(4):",
      joined({inside("if me == 0:", joined({kTileToRank1,
                                            {"pld.system.notify(cells, peer=1, offsets=[0, "
                                             "0], value=" +
                                             value + ", op=pld.NotifyOp.AtomicAdd)"}})),
              inside("if me == 1:",
                     {"pld.system.wait(cells, offsets=[0, 0], expected=k + 1, cmp=pld.WaitCmp.Ge)",
                      "y = pl.store(pl.load(win, [k, 0], [1, 64]), [0, 0], y)"})}));
}

const Body kAddToRank0{
    "pld.tile.remote_store(pl.load(x, [0, 0], [1, 64]), win, peer=0, offsets=[0, 0], "
    "atomic=pld.AtomicType.Add)"};
const Body kStoreToRank0{
    "pld.tile.remote_store(pl.load(x, [0, 0], [1, 64]), win, peer=0, offsets=[0, 0])"};
const Body kBroadcast{"whole = pld.tensor.broadcast(win, cells, root=0)"};
const Body kStageByRoot = inside("if me == 0:", {kRow0});
const Body kRestageByRoot = inside(
    "if me == 0:", {"win = pl.store(pl.add(pl.load(x, [0, 0], [1, 64]), 1.0), [0, 0], win)"});

const Ranks kAll{0, 1, 2};
const std::string kBefore = "read-before-write";
const std::string kAfter = "write-after-read";

const std::vector<Mistake> kMistakes = {
    {"Row02_27_49_RemoteReadBeforeThePeerStaged",
     joined({kStage, kPull}),
     {"pld.tile.remote_load(", 0, "read", kAll},
     {"pl.store(pl.load(x, [0, 0], [1, 64]), [me", 0, "write", kAll},
     kBefore,
     "win[{}, 0:64]",
     0,
     6,
     "let the writer notify the reader after the write",
     joined({kStage, barrier_by_hand(), kPull})},
    {"Row21_SeveralRanksSetOneCell",
     joined({kStage, inside("if me != 0:", {notify("0", "0", 1, "Set")}),
             inside("if me == 0:", joined({{wait("0", 1, "Eq")}, kPull}))}),
     {"pld.tile.remote_load(", 0, "read", {0}},
     {"pl.store(pl.load(x, [0, 0], [1, 64]), [me", 0, "write", {1, 2}},
     kBefore,
     "win[{}, 0:64]",
     1,
     2,
     "",
     joined({kStage, inside("if me != 0:", {notify("0", "0", 1, "AtomicAdd")}),
             inside("if me == 0:", joined({{wait("0", 2, "Eq")}, kPull}))})},
    {"Row22_40_SecondBarrierExpectsTheFirstCredit",
     joined({barrier_by_hand(1), kStage, barrier_by_hand(1), kPull}),
     {"pld.tile.remote_load(", 0, "read", kAll},
     {"pl.store(pl.load(x, [0, 0], [1, 64]), [me", 0, "write", kAll},
     kBefore,
     "win[{}, 0:64]",
     0,
     6,
     "",
     joined({barrier_by_hand(1), kStage, barrier_by_hand(2), kPull})},
    {"Row29_PushWithTheBarrierBeforeIt",
     joined({barrier_by_hand(), kPushRight, kReadFirstRow}),
     {"pl.load(win, [0, 0]", 0, "read", kAll},
     {"pld.tensor.put(", 0, "write", kAll},
     kBefore,
     "win[0, 0:64]",
     0,
     3,
     "",
     joined({kPushRight, barrier_by_hand(), kReadFirstRow})},
    {"Row30_PutWithoutWait",
     joined({kPushRight, {notify(kNextRank, "0", 1, "AtomicAdd")}, kReadFirstRow}),
     {"pl.load(win, [0, 0]", 0, "read", kAll},
     {"pld.tensor.put(", 0, "write", kAll},
     kBefore,
     "win[0, 0:64]",
     0,
     3,
     "",
     joined({kPushRight,
             {notify(kNextRank, "0", 1, "AtomicAdd"), wait("0", 1, "Ge")},
             kReadFirstRow})},
    {"Row35_HandshakeWithTheWrongNeighbour",
     joined({{kRow0, notify(kNextRank, "0", 1, "AtomicAdd"), wait("0", 1, "Ge")},
             pull_first_row(kNextRank)}),
     {"pld.tile.remote_load(", 0, "read", kAll},
     {kRow0.substr(6), 0, "write", kAll},
     kBefore,
     "win[0, 0:64]",
     1,
     3,
     "",
     joined({{kRow0, notify(kLastRank, "0", 1, "AtomicAdd"), wait("0", 1, "Ge")},
             pull_first_row(kNextRank)})},
    {"Row54_StagingWithoutRootTest",
     kStoreToRank0,
     {"pld.tile.remote_store(", 0, "write", kAll},
     {"pld.tile.remote_store(", 0, "write", kAll},
     "write-write",
     "win[0, 0:64]",
     0,
     2,
     "give each rank bytes of its own",
     inside("if me == 0:", kStoreToRank0)},
    {"Scenario01_ThirdTilePassesEarly",
     four_tiles("k + 1"),
     {"pl.load(win, [k, 0]", 0, "read", {1}},
     {"pld.tensor.put(", 0, "write", {0}},
     kBefore,
     "win[2, 0:64]",
     1,
     2,
     "",
     four_tiles("1"),
     2,
     "4"},
    {"Scenario09_StoreInPlaceWithoutReadDoneBarrier",
     joined({kStage, barrier_by_hand(), kPull, kRestage}),
     {"pl.store(pl.load(y, [0, 0]", 0, "write", kAll},
     {"pld.tile.remote_load(", 0, "read", kAll},
     kAfter,
     "win[{}, 0:64]",
     0,
     6,
     "let the reader notify the writer after the read",
     joined({kStage, barrier_by_hand(), kPull, barrier_by_hand(2), kRestage})},
    {"Scenario20_AtomicAddAndPlainStore",
     joined({inside("if me != 0:", kAddToRank0), inside("if me == 0:", {kRow0})}),
     {"pld.tile.remote_store(", 0, "atomic_add", {1, 2}},
     {kRow0.substr(6), 0, "write", {0}},
     "plain-against-atomic",
     "win[0, 0:64]",
     0,
     2,
     "put a notify and a wait between them",
     kAddToRank0},
    {"Row56_PushesAgainBeforeTheReaderIsDone",
     joined({kPushRight, barrier_by_hand(1), kReadFirstRow, kPushRight, barrier_by_hand(2),
             kReadFirstRow}),
     {"pld.tensor.put(", 1, "write", kAll},
     {"pl.load(win, [0, 0]", 0, "read", kAll},
     kAfter,
     "win[0, 0:64]",
     1,
     3,
     "let the reader notify the writer after the read",
     joined({kPushRight, barrier_by_hand(1), kReadFirstRow, barrier_by_hand(2), kPushRight,
             barrier_by_hand(3), kReadFirstRow})},
    {"Row55_BroadcastThenRestagingByTheRoot",
     joined({kStageByRoot, kBroadcast, kRestageByRoot}),
     {"pl.store(pl.add(", 0, "write", {0}},
     {"pld.tensor.broadcast(", 0, "read", {1, 2}},
     kAfter,
     "win[0, 0:64]",
     0,
     2,
     "let the reader notify the writer after the read",
     joined({kStageByRoot, kBroadcast, {"pld.tensor.barrier(cells)"}, kRestageByRoot}),
     3,
     "1"},
};

class EdgeRace : public testing::TestWithParam<Mistake> {};

/// The timed engine, and the untimed one round the cores and in drawn orders.
const std::vector<Body> kOrders{{},
                                {"--engine", "untimed"},
                                {"--engine", "untimed", "--seed", "1"},
                                {"--engine", "untimed", "--seed", "2"}};

std::string place_of(const std::string& text, const Side& side) {
  return nth_place(text, side.part, side.nth);
}

/// The lines, accesses and ranks of a race in the JSON, whichever of the two came first.
using Sides = std::multiset<std::tuple<std::string, std::string, Ranks>>;

std::tuple<std::string, std::string, Ranks> side_of(const nlohmann::json& race,
                                                    const std::string& which) {
  const nlohmann::json& at = race[which]["location"];
  return {fmt::format("kernel.py:{}:{}: ", at["line"].get<int>(), at["column"].get<int>()),
          race[which]["access"], race[which + "_ranks"].get<Ranks>()};
}

/// The race between the two lines is found once, with all that belongs to it.
void expect_race(const nlohmann::json& found, const Mistake& mistake, const std::string& text,
                 bool is_drawn) {
  ASSERT_EQ(found.size(), 1U) << found.dump(2);
  const nlohmann::json& race = found[0];
  EXPECT_EQ(race["kind"], mistake.kind);
  EXPECT_EQ(race["window"], "win_buf");
  EXPECT_EQ(race["size_bytes"], 256);
  EXPECT_EQ(race["races_count"], mistake.count);
  const std::uint32_t owner = race["owner_rank"];
  // Which of alike ranks is told of depends on the order.
  if (!is_drawn) {
    EXPECT_EQ(owner, mistake.owner);
  }
  EXPECT_EQ(race["range"], fmt::format(fmt::runtime(mistake.range), owner));
  const std::string second = place_of(text, mistake.second);
  const std::string first = place_of(text, mistake.first);
  const auto earlier = side_of(race, "earlier");
  const auto later = side_of(race, "later");
  if (first != second) {
    EXPECT_EQ((Sides{earlier, later}),
              (Sides{{first, mistake.first.access, mistake.first.ranks},
                     {second, mistake.second.access, mistake.second.ranks}}))
        << race.dump(2);
    return;
  }
  Ranks all = std::get<Ranks>(earlier);
  all.merge(Ranks(std::get<Ranks>(later)));
  EXPECT_EQ(all, mistake.first.ranks);
  for (const auto& side : {earlier, later}) {
    EXPECT_EQ(std::get<0>(side), first);
    EXPECT_EQ(std::get<1>(side), mistake.first.access);
  }
}

TEST_P(EdgeRace, IsFoundWithBothLinesTheBytesAndTheRanks) {
  const Mistake& mistake = GetParam();
  const std::string text = with_rows(edge_kernel(mistake.wrong), mistake.rows);
  for (const Body& order : kOrders) {
    SCOPED_TRACE(fmt::format("{}{}", text, fmt::join(order, " ")));
    const ScratchDir scratch;
    const std::string json = scratch.file("run.json");
    const Finished run = run_edge(text, mistake.ranks, joined({order, {"--json", json}}));
    EXPECT_EQ(run.status, 4) << run.err;
    EXPECT_NE(run.last_line(), "OK");
    expect_race(read_json(json)["race_check"]["races"], mistake, text, order.size() > 2);
    EXPECT_TRUE(contains(run.err, place_of(text, mistake.second) + "error: race: "));
    EXPECT_TRUE(contains(run.err, place_of(text, mistake.first) + "note: "));
    const nlohmann::json race = read_json(json)["race_check"]["races"][0];
    EXPECT_TRUE(contains(run.err, fmt::format("{} of rank {}", race["range"].get<std::string>(),
                                              race["owner_rank"].get<int>())));
    EXPECT_TRUE(contains(run.err, fmt::format("note: {} such races", mistake.count)));
    EXPECT_TRUE(contains(run.err, mistake.advice));
  }
}

TEST_P(EdgeRace, IsGoneInTheRightKernel) {
  const std::string text = with_rows(edge_kernel(GetParam().right), GetParam().rows);
  for (const Body& order : kOrders) {
    SCOPED_TRACE(fmt::format("{}{}", text, fmt::join(order, " ")));
    const Finished run = run_edge(text, GetParam().ranks, order);
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(run.out, "OK\n");
  }
}

INSTANTIATE_TEST_SUITE_P(Mistakes, EdgeRace, testing::ValuesIn(kMistakes),
                         [](const auto& mistake) { return mistake.param.name; });

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
      joined({{"win = pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], win)"},
              inside("for p in pl.range(1, n):", {notify("p", "0", value, op)}),
              inside("for q in pl.range(1, n):", {replaced(wait("q", 7, "Ge"), "=7", "=g + 1")})}));
  const Body reads =
      inside("else:", {replaced(wait("0", 7, "Ge"), "=7", "=" + expected),
                       "got = pld.tile.remote_load(win, peer=0, offsets=[0, 0], shape=[1, 64])",
                       "y = pl.store(got, [0, 0], y)", notify("0", "me", 1, "AtomicAdd")});
  return edge_kernel(inside("for g in pl.range(2):", joined({writes, reads})));
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
    EXPECT_EQ(right.status, 0);
    EXPECT_EQ(right.err, "");
  }
}

}  // namespace
}  // namespace a2a3::test::edge_race_test
