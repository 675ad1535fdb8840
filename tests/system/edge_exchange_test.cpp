// SPDX-License-Identifier: Apache-2.0
// Mistakes and scenarios of edge_cases.md around exchanges, by their numbers: what a builtin
// barrier leaves, rows that do not match, counts that change too early, and how many signals
// barriers take.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "card.hpp"
#include "edge_kernel.hpp"

namespace a2a3::test::edge_exchange_test {
namespace {

const std::vector<Body> kEngines{
    {}, {"--engine", "untimed"}, {"--engine", "untimed", "--seed", "3"}};

/// edge_kernel() with one more output, the cells as each rank counts them: `tally` [1, NR].
std::string tally_kernel(const Body& barrier) {
  Body body = barrier;
  body.insert(body.end(),
              {"for q in pl.range(n):", "    pl.write(tally, [0, q], pl.read(cells, [q, 0]))"});
  std::string text = edge_kernel(body);
  text =
      replaced(text, "def kernel(x:", "def kernel(tally: pl.Out[pl.Tensor[[1, NR], pl.INT32]], x:");
  text = replaced(text, "def chip(x", "def chip(tally, x");
  text = replaced(text, "    kernel(x, y", "    kernel(tally, x, y");
  text =
      replaced(text, "def host(x:", "def host(tally: pl.Out[pl.Tensor[[NR, 1, NR], pl.INT32]], x:");
  return replaced(text, "chip(x[r]", "chip(tally[r], x[r]");
}

TEST(EdgeRow25, ABuiltinBarrierLeavesNoCreditsToCount) {
  const std::string builtin = tally_kernel({"pld.tensor.barrier(cells)"});
  const std::string by_hand = tally_kernel(
      {"for p in pl.range(n):", "    if p != me:", "        " + notify("p", "me", 1, "AtomicAdd"),
       "for q in pl.range(n):", "    if q != me:", "        " + wait("q", 1, "Ge")});
  const std::string none = "tally: zeros(P)";
  const std::string all_but_one = "tally: where(arange(P) == r, 0, 1)";
  for (const Body& engine : kEngines) {
    const auto run = [&](const std::string& text, const std::string& golden) {
      Body arguments = engine;
      arguments.insert(arguments.end(), {"--golden", golden});
      return run_edge(text, 3, arguments);
    };
    for (const auto& [text, golden] : {std::pair(builtin, none), std::pair(by_hand, all_but_one)}) {
      const Finished right = run(text, golden);
      EXPECT_EQ(right.status, 0) << right.err;
      EXPECT_EQ(right.err, "");
    }
    const Finished wrong = run(builtin, all_but_one);
    EXPECT_EQ(wrong.status, 2);
    EXPECT_TRUE(contains(wrong.err,
                         "tally: rank 0: 2 of 3 elements wrong; at [0, 1] got 0, "
                         "expected 1"));
    const std::string read =
        place(builtin, "pl.read(cells") + "warning: cleared read: ranks 0-2: cells[";
    EXPECT_TRUE(contains(wrong.err, read));
    // Which of the reads is told of depends on the order.
    if (engine.size() <= 2) {
      EXPECT_TRUE(contains(wrong.err, read + "0, 0] of rank 1 "));
    }
    EXPECT_TRUE(contains(wrong.err, "note: 6 times"));
    EXPECT_TRUE(contains(wrong.err, place(builtin, "pld.tensor.barrier(cells)") +
                                        "note: the collective that takes its credits out again"));
  }
}

const std::string kStage = "win = pl.store(pl.load(x, [0, 0], [1, 64]), [me, 0], win)";

/// Every rank gathers row `row` of every peer; the last one counts.
std::string gather(const std::string& row) {
  return edge_kernel(
      {kStage, "pld.tensor.barrier(cells)", "for p in pl.range(n):",
       "    got = pld.tile.remote_load(win, peer=p, offsets=[" + row + ", 0], shape=[1, 64])",
       "    y = pl.store(got, [0, 0], y)"});
}

TEST(EdgeRow48, TheRowThatIsReadIsNotTheOneThatWasStaged) {
  const std::string text = gather("(p + 1) % n");
  for (const Body& engine : kEngines) {
    const Finished run = run_edge(text, 3, engine);
    EXPECT_EQ(run.status, 0) << "windows begin with zeros";
    EXPECT_TRUE(contains(run.err, place(text, "pld.tile.remote_load(") +
                                      "warning: unwritten read: ranks 0-2 read bytes that nothing "
                                      "has written: win[1, 0:64] of rank 0, for one"))
        << run.err;
    EXPECT_TRUE(contains(run.err, "note: 9 times"));
    EXPECT_TRUE(contains(run.err, "compare the rank, offsets and shape of the read with what was"));
    EXPECT_EQ(run_edge(gather("p"), 3, engine).err, "");
  }
}

// Row 54 where every rank stages in its own window and the root is the one that counts: the
// broadcast overwrites the rest, on every timing, and there is nothing to find. Staging in the
// root's window is in edge_race_test.cpp, EdgeRace Row54.
TEST(EdgeRow54, StagingOfAllInTheirOwnWindowsIsOverwrittenByTheBroadcast) {
  const std::string stage = "win = pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], win)";
  const auto kernel = [&](const Body& staging) {
    const std::string text =
        edge_kernel(joined({staging, {"whole = pld.tensor.broadcast(win, cells, root=1)"}}));
    return with_rows(replaced(text, "pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], y)",
                              "pl.store(pl.load(win, [0, 0], [1, 64]), [0, 0], y)"),
                     "1");
  };
  for (const std::string& text : {kernel({stage}), kernel(inside("if me == 1:", {stage}))}) {
    for (const int ranks : {2, 3, 4, 5, 7, 8}) {
      for (const Body& engine : kEngines) {
        const Finished run = run_edge(text, ranks, engine, "y: x[1]");
        EXPECT_EQ(run.status, 0);
        EXPECT_EQ(run.err, "");
        EXPECT_EQ(run.out, "OK\n");
      }
    }
  }
  // The wrong root stages.
  const Finished wrong = run_edge(kernel(inside("if me == 0:", {stage})), 3, {}, "y: x[1]");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_TRUE(contains(wrong.err, "warning: unwritten read: ranks 0-2 "));
  EXPECT_TRUE(contains(wrong.err, "win[0, 0:64] of rank 1"));
}

/// edge_kernel() with the window `counts` [1, 8] INT32 in place of `win`.
std::string counts_kernel(const Body& body) {
  std::string text = edge_kernel(body);
  for (const auto& [from, to] :
       {std::pair("win: pl.InOut[pld.DistributedTensor[[NR, 64], pl.FP32]]",
                  "counts: pl.InOut[pld.DistributedTensor[[1, 8], pl.INT32]]"),
        std::pair("get_comm_ctx(win)", "get_comm_ctx(counts)"),
        std::pair("def chip(x, y, win", "def chip(x, y, counts"),
        std::pair("kernel(x, y, win", "kernel(x, y, counts"),
        std::pair("win_buf = pld.alloc_window_buffer([NR, 64], dtype=pl.FP32)",
                  "counts_buf = pld.alloc_window_buffer([1, 8], dtype=pl.INT32)"),
        std::pair("win = pld.window(win_buf, [NR, 64], dtype=pl.FP32)",
                  "counts = pld.window(counts_buf, [1, 8], dtype=pl.INT32)"),
        std::pair("chip(x[r], y[r], win", "chip(x[r], y[r], counts")})
    text = replaced(text, from, to);
  return text;
}

TEST(EdgeCase10, CountsOfTheNextRoundComeBeforeThoseOfThisOneAreRead) {
  const std::string read =
      "pld.tile.remote_load(counts, peer=1, offsets=[0, 0], shape=[1, 8], valid_shape=[1, 1])";
  const std::string write = "pl.write(counts, [0, 0], 7)";
  const auto text = [&](const Body& between) {
    Body body{"pl.write(counts, [0, 0], me + 1)", "pld.tensor.barrier(cells)",
              "if me == 0:", "    theirs = " + read,
              "    counts = pl.store(theirs, [0, 4], counts)"};
    body.insert(body.end(), between.begin(), between.end());
    body.insert(body.end(), {"if me == 1:", "    " + write});
    return counts_kernel(body);
  };
  const std::string wrong = text({});
  for (const Body& engine : kEngines) {
    for (const std::string late : {"", "rank=0:100us", "rank=1:100us"}) {
      Body arguments = engine;
      if (!late.empty() && engine.empty()) arguments.insert(arguments.end(), {"--skew", late});
      const Finished run = run_edge(wrong, 3, arguments);
      EXPECT_EQ(run.status, 4) << run.err;
      EXPECT_TRUE(contains(run.err, "error: race: rank ")) << run.err;
      EXPECT_TRUE(contains(run.err, "counts[0, 0] of rank 1")) << run.err;
      EXPECT_TRUE(contains(run.err, place(wrong, read))) << run.err;
      EXPECT_TRUE(contains(run.err, place(wrong, write))) << run.err;
    }
    const Finished right = run_edge(text({"pld.tensor.barrier(cells)"}), 3, engine);
    EXPECT_EQ(right.status, 0) << right.err;
    EXPECT_EQ(right.err, "");
  }
}

const std::string kAllToAllV = R"(import pypto.language as pl
import pypto.language.distributed as pld

NR = 4
CAP = 3


@pl.jit.incore
def kernel(x: pl.Tensor[[NR * CAP, 16], pl.FP32], y: pl.Out[pl.Tensor[[NR * CAP, 16], pl.FP32]],
           counts: pl.Tensor[[NR, 1], pl.INT32], got: pl.Out[pl.Tensor[[NR, 1], pl.INT32]],
           win: pl.InOut[pld.DistributedTensor[[NR * CAP, 16], pl.FP32]],
           cells: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
           recv: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]]):
    win = pld.tensor.all_to_all_v(x, win, cells, counts, recv)
    for q in pl.range(NR):
        count = pl.read(recv, [q, 0])
        pl.write(got, [q, 0], count)
        for k in pl.range(CAP):
            row = pl.tile.full([1, 16], dtype=pl.FP32, value=-1.0)
            if k < count:
                row = pl.load(win, [q * CAP + k, 0], [1, 16])
            y = pl.store(row, [q * CAP + k, 0], y)


@pl.jit
def chip(x, y, counts, got, win, cells, recv):
    kernel(x, y, counts, got, win, cells, recv)


@pl.jit.host
def host(x: pl.Tensor[[NR, NR * CAP, 16], pl.FP32],
         y: pl.Out[pl.Tensor[[NR, NR * CAP, 16], pl.FP32]],
         counts: pl.Tensor[[NR, NR, 1], pl.INT32], got: pl.Out[pl.Tensor[[NR, NR, 1], pl.INT32]]):
    win_buf = pld.alloc_window_buffer([NR * CAP, 16], dtype=pl.FP32)
    cells_buf = pld.alloc_window_buffer([NR, 1], dtype=pl.INT32)
    recv_buf = pld.alloc_window_buffer([NR, 1], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        win = pld.window(win_buf, [NR * CAP, 16], dtype=pl.FP32)
        cells = pld.window(cells_buf, [NR, 1], dtype=pl.INT32)
        recv = pld.window(recv_buf, [NR, 1], dtype=pl.INT32)
        chip(x[r], y[r], counts[r], got[r], win, cells, recv, device=r)
)";

/// Rank k sends 4k - 1 + r rows to rank r: from -1 to far above the 3 that there is room for.
TEST(EdgeCase11, CountsAreClampedAndWholeBlocksMove) {
  const ScratchDir scratch;
  const std::string card = scratch.file("card.json");
  const Finished run =
      run_edge(kAllToAllV, 4,
               {"--input", "x: arange_by_rank()", "--input", "counts: arange(-1, 1)", "--golden",
                "got: max(0, min(3, reshape(4 * arange(P) - 1 + r, 4, 1)))", "--json", card},
               "y: concat(where(reshape(arange(3), 3, 1) < 4 * k - 1 + r, "
               "x[k][3 * r : 3 * r + 3, :], full(-1, 3, 16)), 0)");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.last_line(), "OK");
  EXPECT_TRUE(contains(run.err, place(kAllToAllV, "pld.tensor.all_to_all_v(") +
                                    "warning: a send count is negative: -1 rows for rank 0, "
                                    "counted as 0"))
      << run.err;
  const nlohmann::json json = read_json(card);
  constexpr Bytes kRow = 64;
  constexpr Bytes kBlock = 3 * kRow;
  // Counts and credits; the own count, and the clears.
  expect_ranks(json, {3 * kBlock, 3 * kBlock, kBlock, 6, 4});
  Bytes useful = 0;
  for (const nlohmann::json& rank : json["closed_forms"]["parts"][0]["ranks"])
    useful += rank["useful_bytes"].get<Bytes>();
  // Of the counts -1 0 1 2, 3 4 5 6, ... those of rank r for itself move no bytes over links.
  constexpr Bytes kRows = (0 + 1 + 2) + 3 * (3 + 3 + 3);
  EXPECT_EQ(useful, kRows * kRow);
}

/// Signals of all ranks on the wire, and those that ranks send to themselves.
std::pair<Bytes, Bytes> signals_of(const Body& body, int ranks) {
  const ScratchDir scratch;
  const std::string card = scratch.file("card.json");
  const Finished run = run_edge(edge_kernel(body), ranks, {"--json", card});
  EXPECT_EQ(run.status, 0) << run.err;
  std::pair<Bytes, Bytes> all;
  const nlohmann::json json = read_json(card);
  for (const nlohmann::json& rank : json["ranks"]) {
    all.first += rank["signals_sent_count"].get<Bytes>();
    all.second += rank["self_signals_count"].get<Bytes>();
  }
  return all;
}

TEST(EdgeCase21, SignalsOfManyBarriers) {
  const Body barrier_per_round{
      "for k in pl.range(2 * (n - 1)):",
      "    for p in pl.range(n):",
      "        if p != me:",
      "            " + notify("p", "me", 1, "AtomicAdd"),
      "    for q in pl.range(n):",
      "        if q != me:",
      "            pld.system.wait(cells, offsets=[q, 0], expected=k + 1, cmp=pld.WaitCmp.Ge)"};
  const Body neighbours{
      "for k in pl.range(2 * (n - 1)):", "    " + notify("(me + 1) % n", "0", 1, "AtomicAdd"),
      "    pld.system.wait(cells, offsets=[0, 0], expected=k + 1, cmp=pld.WaitCmp.Ge)"};
  using Signals = std::pair<Bytes, Bytes>;
  for (const int ranks : {2, 3, 4, 5, 7, 8}) {
    SCOPED_TRACE(ranks);
    const auto p = static_cast<Bytes>(ranks);
    const Bytes barrier = p * (p - 1);
    EXPECT_EQ(signals_of({"pld.tensor.barrier(cells)"}, ranks), Signals(barrier, barrier));
    EXPECT_EQ(signals_of(barrier_per_round, ranks), Signals(2 * (p - 1) * barrier, 0));
    EXPECT_EQ(signals_of(neighbours, ranks), Signals(2 * (p - 1) * p, 0));
  }
}

/// No rank count is a power of two, and nothing divides the sizes. Every collective and every
/// reduction besides, at these rank counts: property/collectives_test.cpp.
TEST(EdgeCase22, NeitherRanksNorSizesNeedBePowersOfTwo) {
  struct Example {
    const char* file;
    Body modes;
    Body dtypes;
  };
  for (const Example& example :
       {Example{
            "11_allreduce_reveal", {"mesh", "ring", "hand_mesh", "hand_ring"}, {"FP32", "FP16"}},
        Example{"12_broadcast", {"builtin", "hand"}, {"FP32", "FP16", "BF16", "INT32"}},
        Example{"14_reduce_scatter", {"builtin", "hand"}, {"FP32", "FP16"}},
        Example{"15_all_to_all", {"builtin", "hand"}, {"FP32", "FP16"}}}) {
    for (const std::string& mode : example.modes) {
      int size = 17;
      for (const std::string& dtype : example.dtypes) {
        for (const int ranks : {3, 5, 6, 7}) {
          const Finished run =
              a2a3sim({"run", std::string(A2A3_SOURCE_DIR) + "/examples/" + example.file + ".py",
                       "-d", devices(ranks), "--quiet", "--mode", mode, "--set", "DTYPE=" + dtype,
                       "--set", fmt::format("SIZE={}", size)});
          EXPECT_EQ(run.status, 0) << example.file << ' ' << mode << ' ' << ranks << run.err;
          EXPECT_EQ(run.last_line(), "OK");
          EXPECT_EQ(run.err, "");
          size = size == 17 ? 101 : 17;
        }
      }
    }
  }
}

}  // namespace
}  // namespace a2a3::test::edge_exchange_test
