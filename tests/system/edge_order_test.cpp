// SPDX-License-Identifier: Apache-2.0
// Races of edge_cases.md that depend on when something happens: on the launch before, on the
// delivery of a put, on who is late; and that the report is the same on every order.
#include <gtest/gtest.h>

#include "edge_kernel.hpp"

namespace a2a3::test::edge_order_test {
namespace {

const std::string kNextRank = "(me + 1) % n";
const Body kPushRight{
    "pld.tensor.put(win, (me + 1) % n, x, dst_offsets=[0, 0], src_offsets=[0, 0], shape=[1, 64])"};
const Body kReadFirstRow{"y = pl.store(pl.load(win, [0, 0], [1, 64]), [0, 0], y)"};

/// The only race of a run, from its JSON.
nlohmann::json only_race(const std::string& json) {
  const nlohmann::json races = read_json(json)["race_check"]["races"];
  EXPECT_EQ(races.size(), 1U) << races.dump(2);
  return races.empty() ? nlohmann::json{} : races[0];
}

/// Rank 0 puts tile k of four on rank 1 and adds k + 1; rank 1 waits for k + 1 and keeps tile 2.
/// Before its tile 2 rank 0 does `work` stores.
std::string early_pass(int work) {
  const Body slow =
      inside("if k == 2:", inside("for i in pl.range(" + std::to_string(work) + "):",
                                  {"y = pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], y)"}));
  const Body tile{
      "pld.tensor.put(win, 1, x, dst_offsets=[k, 0], src_offsets=[0, 0], shape=[1, 64])",
      "pld.system.notify(cells, peer=1, offsets=[0, 0], value=k + 1, op=pld.NotifyOp.AtomicAdd)"};
  const Body taken =
      joined({{"pld.system.wait(cells, offsets=[0, 0], expected=k + 1, cmp=pld.WaitCmp.Ge)"},
              inside("if k == 2:", {"y = pl.store(pl.load(win, [k, 0], [1, 64]), [0, 0], y)"})});
  const std::string text =
      edge_kernel(inside("for k in pl.range(4):",
                         joined({inside("if me == 0:", work > 0 ? joined({slow, tile}) : tile),
                                 inside("if me == 1:", taken)})));
  // Rank 1 gives out what it took.
  const std::string end = "[0, 0], y)\n\n\n@pl.jit\n";
  const std::string own = "    y = pl.store(pl.load(x, [0, 0], [1, 64]), " + end;
  return with_rows(replaced(text, own, "    if me != 1:\n    " + own), "4");
}

const std::string kRank1TakesOfRank0 = "y: where(r == 1, x[0], x)";

// On entry to the tiles the cell holds 0, 1, 3, 6, and the waits ask for 1, 2, 3, 4.
TEST(EdgeCase01, FromTheThirdTileOnTheWaitsPassOnStaleCredit) {
  const ScratchDir scratch;
  const std::string json = scratch.file("run.json");
  const Finished run =
      run_edge(early_pass(0), 2, {"--engine", "untimed", "--signals", "--json", json});
  EXPECT_EQ(run.status, 4);
  const nlohmann::json waits = read_json(json)["signals"]["waits"];
  ASSERT_EQ(waits.size(), 4U);
  // The first two block, on 0 and 1, until the next credit comes; 3 and 6 are there on entry.
  const std::vector<int> found{1, 3, 3, 6};
  const std::vector<std::string> states{"fresh", "fresh", "stale", "earlier round"};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(waits[k]["cell"], "cells[0, 0]");
    EXPECT_EQ(waits[k]["expected"], k + 1);
    EXPECT_EQ(waits[k]["value"], found[k]);
    EXPECT_EQ(waits[k]["state"], states[k]);
  }
}

TEST(EdgeCase01, WithALateThirdTileTheGoldenFailsToo) {
  const auto late = [](int work, const Body& order) {
    const ScratchDir scratch;
    const std::string json = scratch.file("run.json");
    const std::string text = early_pass(work);
    const Finished run =
        run_edge(text, 2, joined({order, {"--signals", "--json", json}}), kRank1TakesOfRank0);
    EXPECT_EQ(run.status, 4);
    EXPECT_TRUE(contains(run.err, place(text, "pl.load(win, [k, 0]") + "error: race: "));
    EXPECT_TRUE(contains(run.err, place(text, "pld.tensor.put(") + "note: "));
    const nlohmann::json race = only_race(json);
    EXPECT_EQ(race["kind"], "read-before-write");
    EXPECT_EQ(race["range"], "win[2, 0:64]");
    EXPECT_EQ(race["owner_rank"], 1);
    EXPECT_EQ(race["races_count"], 1);
    return std::pair(run.err, read_json(json)["signals"]["waits"][2]);
  };
  const std::string wrong = "y: rank 1: 64 of 64 elements wrong; at [0, 0] got 0, expected 1";
  constexpr int kWork = 40;
  for (const Body& order : {Body{}, Body{"--engine", "untimed"}}) {
    const auto [err, third] = late(kWork, order);
    EXPECT_TRUE(contains(err, wrong));
    EXPECT_EQ(third["value"], 3) << "as on entry: the wait does not block";
    EXPECT_EQ(third["state"], "stale");
  }
  // The race is there all the same when the reader is late and has its data.
  const auto [err, third] = late(0, {"--skew", "rank=1:100us"});
  EXPECT_FALSE(contains(err, "wrong result"));
  EXPECT_EQ(third["state"], "stale");
}

// Row 40: cells that a former launch left at 1.
TEST(EdgeRow40, CreditOfTheLaunchBefore) {
  const std::string text = edge_kernel(joined(
      {kPushRight, {notify(kNextRank, "0", 1, "AtomicAdd"), wait("0", 1, "Ge")}, kReadFirstRow}));
  const Body again{"--launches", "2"};
  const Finished cleared = run_edge(text, 3, again);
  EXPECT_EQ(cleared.status, 0);
  EXPECT_EQ(cleared.err, "");
  const ScratchDir scratch;
  const std::string json = scratch.file("run.json");
  const Finished stale = run_edge(text, 3, joined({again, {"--persistent", "--json", json}}));
  EXPECT_EQ(stale.status, 4) << stale.err;
  EXPECT_TRUE(contains(stale.err, "note: in launch 2\n"));
  EXPECT_TRUE(contains(stale.err, place(text, "pl.load(win, [0, 0]") + "error: race: ranks 0-2 "));
  EXPECT_TRUE(contains(stale.err, place(text, "pld.tensor.put(") + "note: "));
  EXPECT_TRUE(contains(stale.err, "win[0, 0:64] of rank 0"));
  EXPECT_TRUE(contains(stale.err, "note: 3 such races"));
  EXPECT_TRUE(contains(stale.err, place(text, wait("0", 1, "Ge")) +
                                      "warning: stale credit: ranks 0-2 cannot block here: "
                                      "cells[0, 0] "));
}

// Scenario 6 with delivery in order: the notify waits for the pieces of the put. With memory:
// relaxed it does not: relaxed_test.cpp.
TEST(EdgeCase06, ANotifyBehindAChunkedPutOrdersIt) {
  constexpr int kRanks = 8;
  const Body chunked{
      "win = pl.store(pl.load(x, [0, 0], [1, 64]), [7, 0], win)",
      "pld.tensor.put(win, (me + 1) % n, win, dst_offsets=[0, 0], src_offsets=[4, 0], "
      "shape=[4, 64], chunk_rows=2)"};
  const Body staged = joined({inside("for k in pl.range(4, 7):",
                                     {"win = pl.store(pl.load(x, [0, 0], [1, 64]), [k, 0], win)"}),
                              chunked});
  const Body read{"y = pl.store(pl.load(win, [3, 0], [1, 64]), [0, 0], y)"};
  for (const Body& engine : {Body{}, Body{"--engine", "untimed"}}) {
    const ScratchDir scratch;
    const std::string json = scratch.file("run.json");
    const std::string wrong = edge_kernel(joined({staged, read}));
    const Finished found = run_edge(wrong, kRanks, joined({engine, {"--json", json}}));
    EXPECT_EQ(found.status, 4);
    EXPECT_TRUE(contains(found.err, place(wrong, "pl.load(win, [3, 0]") + "error: race: "));
    EXPECT_TRUE(contains(found.err, place(wrong, "pld.tensor.put(") + "note: "));
    const nlohmann::json race = only_race(json);
    EXPECT_EQ(race["kind"], "read-before-write");
    EXPECT_EQ(race["range"], "win[3, 0:64]") << "the piece of the second chunk";
    EXPECT_EQ(race["races_count"], kRanks);
    const Finished right = run_edge(
        edge_kernel(
            joined({staged, {notify(kNextRank, "0", 1, "AtomicAdd"), wait("0", 1, "Ge")}, read})),
        kRanks, engine);
    EXPECT_EQ(right.status, 0);
    EXPECT_EQ(right.err, "");
  }
}

// Of two stores in no order, the one that the run did first is not held against a read behind both:
// it races with the other store, and with the read once that is mended.
TEST(EdgeOrder, AReadIsHeldAgainstTheLastWrite) {
  const auto kernel = [](const Body& mended) {
    return edge_kernel(joined(
        {inside("if me == 0:", joined({{"win = pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], win)"},
                                       mended.empty() ? Body{} : Body{mended[0]}})),
         inside("if me == 1:",
                joined({mended.empty() ? Body{} : Body{mended[1]},
                        {"pld.tile.remote_store(pl.load(x, [0, 0], [1, 64]), win, peer=0, "
                         "offsets=[0, 0])",
                         notify("2", "0", 1, "AtomicAdd")}})),
         inside("if me == 2:",
                {wait("0", 1, "Ge"),
                 "y = pl.store(pld.tile.remote_load(win, peer=0, offsets=[0, 0], shape=[1, 64]), "
                 "[0, 0], y)"})}));
  };
  const std::string text = kernel({});
  const std::string first = place(text, "pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], win)");
  const std::string second = place(text, "pld.tile.remote_store(");
  const std::string read = place(text, "pld.tile.remote_load(");
  bool read_was_told = false;
  bool read_was_not_told = false;
  for (int seed = 0; seed < 8; ++seed) {
    const Finished run = run_edge(text, 3, {"--engine", "untimed", "--seed", std::to_string(seed)});
    EXPECT_EQ(run.status, 4);
    EXPECT_TRUE(contains(run.err, first + "error: race: ") ||
                contains(run.err, second + "error: race: "));
    EXPECT_TRUE(contains(run.err, first + "note: ") || contains(run.err, second + "note: "));
    EXPECT_TRUE(contains(run.err, "win[0, 0:64] of rank 0"));
    const bool told = run.err.find(read) != std::string::npos;
    read_was_told = read_was_told || told;
    read_was_not_told = read_was_not_told || !told;
  }
  EXPECT_TRUE(read_was_told && read_was_not_told);
  const Finished right =
      run_edge(kernel({notify("1", "1", 1, "AtomicAdd"), wait("1", 1, "Ge")}), 3);
  EXPECT_EQ(right.status, 0);
  EXPECT_EQ(right.err, "");
}

}  // namespace
}  // namespace a2a3::test::edge_order_test
