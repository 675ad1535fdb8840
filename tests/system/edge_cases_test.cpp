// SPDX-License-Identifier: Apache-2.0
// The scenarios of edge_cases.md, part 2, by their numbers: those that need no race checker.
// Numbers 10, 11, 21 and 22 are in edge_exchange_test.cpp.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "card.hpp"
#include "edge_kernel.hpp"

namespace a2a3::test::edge_cases_test {
namespace {

const std::string kNext = "(me + 1) % n";

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST(EdgeCase04, TagOfZeroIsWarnedOfBeforeTheDeadlock) {
  const std::string text = edge_kernel({notify(kNext, "0", 0, "Set"), wait("0", 1, "Ge")});
  const Finished run = run_edge(text, 3);
  EXPECT_EQ(run.status, 3);
  EXPECT_TRUE(contains(run.err, place(text, "0, op=pld.NotifyOp.Set") +
                                    "warning: pld.system.notify value 0 with NotifyOp.Set: a wait "
                                    "for at least 1 never passes"));
  EXPECT_LT(run.err.find("warning"), run.err.find("deadlock"));
  EXPECT_TRUE(contains(run.err, place(text, wait("0", 1, "Ge")) + "error: deadlock: ranks 0-2"));
  EXPECT_TRUE(contains(run.err,
                       "ranks 0-2 wait for cells[0, 0] of window buffer cells_buf to be "
                       "at least 1; it is 0"));
  EXPECT_TRUE(contains(run.err, place(text, notify(kNext, "0", 0, "Set")) + "note: "));
  EXPECT_TRUE(contains(run.err, "cells[0, 0] was set to 0 by rank 2"));
  EXPECT_EQ(count(run.err, "warning:"), 1);  // once, though the lowered program is checked too

  const std::string add_text = edge_kernel({notify(kNext, "0", 0, "AtomicAdd")});
  const Finished add = run_edge(add_text, 3);
  EXPECT_EQ(add.status, 0);
  EXPECT_TRUE(
      contains(add.err, place(add_text, "0, op=pld.NotifyOp.AtomicAdd") +
                            "warning: pld.system.notify value 0 with NotifyOp.AtomicAdd: the "
                            "cell stays as it is"));
}

TEST(EdgeCase04, WaitThatPassesAtOnceIsWarnedOf) {
  for (const auto& [expected, cmp] :
       {std::pair(0, "Ge"), std::pair(-1, "Ge"), std::pair(0, "Eq")}) {
    const std::string text = edge_kernel({wait("0", expected, cmp)});
    const Finished run = run_edge(text, 3);
    EXPECT_EQ(run.status, 0);
    EXPECT_TRUE(contains(
        run.err,
        place(text, fmt::format("{}, cmp=", expected)) +
            fmt::format("warning: pld.system.wait expected {} with WaitCmp.{} passes at once",
                        expected, cmp)));
  }
}

/// A latch: the owner takes its cell below 0, the others bring it back.
TEST(EdgeCase04, AWaitForZeroOfACellThatIsTakenBelowItIsNoMistake) {
  const Finished run =
      run_edge(edge_kernel({"pld.system.notify(cells, peer=me, offsets=[0, 0], value=1 - n, "
                            "op=pld.NotifyOp.AtomicAdd)",
                            "for p in pl.range(n):", "    if p != me:",
                            "        " + notify("p", "0", 1, "AtomicAdd"), wait("0", 0, "Ge")}),
               3, {"--hints"});
  EXPECT_EQ(run.status, 0);
  EXPECT_FALSE(contains(run.err, "warning:")) << run.err;
  EXPECT_FALSE(contains(run.err, "notify not needed")) << run.err;
}

TEST(EdgeCase04, ResettingTheOwnCellIsNoMistake) {
  const std::string text = edge_kernel(
      {notify(kNext, "0", 1, "AtomicAdd"), wait("0", 1, "Ge"), notify("me", "0", 0, "Set")});
  const Finished run = run_edge(text, 3);
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.err, "");
}

// A flag that goes up and down: the 0 is a value like the other.
TEST(EdgeCase04, AFlagThatOthersTakeBackIsNoMistake) {
  const std::string text =
      edge_kernel({"if me == 0:", "    " + notify("1", "0", 1, "Set"), "    " + wait("1", 1, "Ge"),
                   "    " + notify("1", "0", 0, "Set"), "if me == 1:", "    " + wait("0", 1, "Ge"),
                   "    " + notify("0", "1", 1, "Set")});
  const Finished run = run_edge(text, 2);
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.err, "");
}

TEST(EdgeCase05, SetOnASharedCell) {
  const auto text = [](const std::string& row, const std::string& waits) {
    return edge_kernel({"if me != 0:", "    " + notify("0", row, 1, "Set"), "else:", waits});
  };
  const std::string on_one = text("0", "    " + wait("0", 2, "Ge"));
  for (const std::string engine : {"timed", "untimed"}) {
    const Finished shared = run_edge(on_one, 3, {"--engine", engine});
    EXPECT_EQ(shared.status, 3);
    EXPECT_TRUE(
        contains(shared.err, place(on_one, wait("0", 2, "Ge")) + "error: deadlock: rank 0"));
    EXPECT_TRUE(contains(shared.err,
                         "rank 0 waits for cells[0, 0] of window buffer cells_buf to be at least "
                         "2; it is 1"));
    EXPECT_TRUE(contains(shared.err, place(on_one, notify("0", "0", 1, "Set")) + "note: "));
    EXPECT_TRUE(contains(shared.err, "cells[0, 0] was set to 1 by rank 1"));
    EXPECT_TRUE(contains(shared.err, "cells[0, 0] was set to 1 by rank 2"));
    EXPECT_TRUE(contains(shared.err, "use NotifyOp.AtomicAdd, or a cell for each rank"));
  }
  const std::string own = "    for q in pl.range(1, n):\n            ";
  const Finished right = run_edge(text("me", own + wait("q", 1, "Ge")), 3);
  EXPECT_EQ(right.status, 0);
  EXPECT_EQ(right.err, "");
}

TEST(EdgeCase12, SelfPutUsesNoLink) {
  const std::string put = "pld.tensor.put(win, {}, x, [0, 0], [0, 0], [1, 64])";
  const ScratchDir scratch;
  const std::string card = scratch.file("card.json");
  const auto run = [&](const std::string& peer) {
    const Finished finished =
        run_edge(edge_kernel({fmt::format(fmt::runtime(put), peer)}), 4, {"--json", card});
    EXPECT_EQ(finished.status, 0) << finished.err;
    return read_json(card);
  };
  constexpr Bytes kRow = 256;
  const nlohmann::json self = run("me");
  expect_ranks(self, {0, 0, kRow, 0, 0});
  EXPECT_TRUE(self["links"].empty());
  const nlohmann::json next = run(kNext);
  expect_ranks(next, {kRow, kRow, 0, 0, 0});
  // A hop of machine a2a3sim and the way of the bytes.
  EXPECT_GT(next["total"]["total_ps"], self["total"]["total_ps"]);
}

TEST(EdgeCase12, OverlappingRegionsAreRefused) {
  const std::string text = edge_kernel({"pld.tensor.put(win, me, win, [1, 0], [0, 0], [2, 64])"});
  const Finished run = run_edge(text, 4);
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(
      run.err, place(text, "me, win, [1, 0]") +
                   "error: pld.tensor.put to the own rank copies within one buffer, and its "
                   "dst and src regions overlap"));
}

/// A put of 1 MiB with more operands.
std::string put_of_a_mebibyte(const std::string& more) {
  std::string text = edge_kernel({"pld.tensor.put(win, (me + 1) % n, big" + more + ")"});
  text = replaced(text, "def kernel(x:", "def kernel(big: pl.Tensor[[64, 4096], pl.FP32], x:");
  text = replaced(text, "win: pl.InOut[pld.DistributedTensor[[NR, 64]",
                  "win: pl.InOut[pld.DistributedTensor[[64, 4096]");
  text = replaced(text, "def chip(x", "def chip(big, x");
  text = replaced(text, "kernel(x, y, win", "kernel(big, x, y, win");
  text = replaced(text, "def host(x:", "def host(big: pl.Tensor[[NR, 64, 4096], pl.FP32], x:");
  text = replaced(text, "alloc_window_buffer([NR, 64]", "alloc_window_buffer([64, 4096]");
  text = replaced(text, "win_buf, [NR, 64]", "win_buf, [64, 4096]");
  return replaced(text, "chip(x[r]", "chip(big[r], x[r]");
}

TEST(EdgeCase13, PutLargerThanTheUnifiedBuffer) {
  const std::string text = put_of_a_mebibyte("");
  const Finished whole = run_edge(text, 2);
  EXPECT_EQ(whole.status, 1);
  EXPECT_TRUE(contains(whole.err, place(text, "pld.tensor.put(") + "error: "));
  EXPECT_TRUE(contains(whole.err,
                       "of put [64, 4096] FP32 needs 1048576 bytes, 188416 of 188416 "
                       "bytes are available"));
  EXPECT_TRUE(contains(whole.err, "chunk_rows"));

  const ScratchDir scratch;
  const std::string card = scratch.file("card.json");
  for (const std::string chunks :
       {", chunk_rows=1, chunk_cols=4096", ", chunk_rows=4, chunk_cols=1024",
        ", chunk_rows=1, chunk_cols=4096, pipeline=True"}) {
    const Finished run = run_edge(put_of_a_mebibyte(chunks), 2, {"--json", card});
    EXPECT_EQ(run.status, 0) << run.err;
    expect_ranks(read_json(card), {1 << 20, 1 << 20, 0, 0, 0});
  }
}

TEST(EdgeCase13, PipelineAndDynamicExtentsNeedChunks) {
  for (const std::string chunks : {", pipeline=True", ", chunk_rows=1, pipeline=True"}) {
    const std::string text = put_of_a_mebibyte(chunks);
    const Finished run = run_edge(text, 2);
    EXPECT_EQ(run.status, 1);
    EXPECT_TRUE(contains(run.err, place(text, "True)") + "error: "));
    EXPECT_TRUE(contains(run.err, "pipeline=True requires both chunk_rows>0 and chunk_cols>0"));
  }
  const std::string text = edge_kernel({"pld.tensor.put(win, me, win)"});
  const Finished run = run_edge(text, 2);
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, place(text, "pld.tensor.put(") + "error: "));
  EXPECT_TRUE(contains(run.err, "a dynamic leading transfer dim needs a static chunk_rows"));
}

/// Elements that each rank receives in an allreduce by hand, of `size` elements over 4 ranks.
std::vector<Bytes> received(const std::string& example, int size) {
  const nlohmann::json card = run_card(example, "", 4, {"SIZE=" + std::to_string(size)});
  std::vector<Bytes> elements;
  for (const nlohmann::json& rank : card["ranks"])
    elements.push_back(rank["payload_received_bytes"].get<Bytes>() / 4);
  return elements;
}

TEST(EdgeCase14, RaggedCutsAndFewerElementsThanRanks) {
  using Elements = std::vector<Bytes>;
  EXPECT_EQ(received("10_allreduce_ring", 5), (Elements{7, 8, 8, 7}));
  EXPECT_EQ(received("09_allreduce_two_phase", 5), (Elements{7, 7, 7, 9}));
  EXPECT_EQ(received("08_allreduce_mesh", 5), (Elements{15, 15, 15, 15}));
  EXPECT_EQ(received("10_allreduce_ring", 2), (Elements{3, 3, 3, 3}));
  EXPECT_EQ(received("09_allreduce_two_phase", 2), (Elements{2, 4, 2, 4}));
  EXPECT_EQ(received("08_allreduce_mesh", 2), (Elements{6, 6, 6, 6}));
}

TEST(EdgeCase14, EmptySegmentsSendNothingAndBarriersRun) {
  constexpr Bytes kPeers = 3;
  const nlohmann::json card = run_card("10_allreduce_ring", "", 4, {"SIZE=1"});
  Bytes total = 0;
  for (const nlohmann::json& rank : card["ranks"]) {
    total += rank["payload_received_bytes"].get<Bytes>();
    EXPECT_EQ(rank["signals_sent_count"], 2 * kPeers * kPeers);
  }
  EXPECT_EQ(total, 2 * kPeers * 4);  // 2(P-1)N elements of 4 bytes
}

// Built-in collectives of one rank: property/collectives_test.cpp, *_p1.
TEST(EdgeCase15, OneRankMovesNothingOverLinks) {
  const std::vector<std::pair<std::string, std::string>> programs = {
      {"04_barrier", "hand"},        {"08_allreduce_mesh", ""},     {"09_allreduce_two_phase", ""},
      {"10_allreduce_ring", ""},     {"12_broadcast", "hand"},      {"13_allgather", "hand"},
      {"13_allgather", "builtin"},   {"14_reduce_scatter", "hand"}, {"15_all_to_all", "hand"},
      {"16_putting_it_together", ""}};
  for (const auto& [example, mode] : programs) {
    SCOPED_TRACE(example + " " + mode);
    const nlohmann::json card = run_card(example, mode, 1, {});
    EXPECT_TRUE(card["links"].empty());
    const nlohmann::json& rank = card["ranks"][0];
    for (const char* counted :
         {"payload_received_bytes", "payload_sent_bytes", "signals_sent_count",
          "signals_received_count", "self_signals_count", "waiting_ps"}) {
      EXPECT_EQ(rank[counted], 0) << counted;
    }
  }
}

TEST(EdgeCase15, NoRankIsRefused) {
  const ScratchDir scratch;
  const std::string kernel = scratch.write("kernel.py", edge_kernel());
  EXPECT_EQ(a2a3sim({"run", kernel, "-d", ""}).status, 1);
  const Finished run =
      a2a3sim({"run", "examples/14_reduce_scatter.py", "-d", "0", "--set", "n_ranks=0"});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, "dimension 0 is out of range: it must be positive"));
}

/// A kernel that calls collectives on the signal `cells` of any dimensions, which are given as A
/// and B at launch.
std::string signal_kernel(const std::vector<std::string>& calls, const std::string& shape) {
  std::string text = edge_kernel(calls);
  text = replaced(text, "NR = pl.dynamic(\"NR\")",
                  "NR = pl.dynamic(\"NR\")\nA = pl.dynamic(\"A\")\nB = pl.dynamic(\"B\")");
  text = replaced(text, "cells: pl.InOut[pld.DistributedTensor[[NR, 1]",
                  "cells: pl.InOut[pld.DistributedTensor[" + shape);
  text = replaced(text, "alloc_window_buffer([NR, 1]", "alloc_window_buffer(" + shape);
  text = replaced(text, "cells_buf, [NR, 1]", "cells_buf, " + shape);
  return replaced(text, "pl.FP32]]):\n    win_buf",
                  "pl.FP32]],\n         extents: pl.Tensor[[A, B], pl.FP32]):\n    win_buf");
}

const std::string kMesh = "pld.tensor.allreduce(win, cells)";
const std::string kRing = "pld.tensor.allreduce(win, cells, mode=\"ring\")";

TEST(EdgeCase16, SignalOfTheOtherLayoutIsRefusedBeforeTheRun) {
  const std::string mesh = signal_kernel({kRing}, "[4, 1]");
  const Finished mesh_for_ring = run_edge(mesh, 4, {"--set", "A=1", "--set", "B=1"});
  EXPECT_EQ(mesh_for_ring.status, 1);
  EXPECT_TRUE(contains(mesh_for_ring.err,
                       place(mesh, "cells, mode") +
                           "error: pld.tensor.allreduce mode=ring signal shape[0] (4) must equal "
                           "2*(NR-1) = 0 for NR = 1"));
  EXPECT_TRUE(contains(mesh_for_ring.err, "give it its own [2*(NR-1), NR] signal window"));

  for (const std::string& call : {kMesh, std::string("pld.tensor.barrier(cells)"),
                                  std::string("pld.tensor.broadcast(win, cells, root=0)"),
                                  std::string("pld.tensor.reduce_scatter(win, cells)")}) {
    const std::string ring = signal_kernel({call}, "[6, 4]");
    const Finished ring_for_mesh = run_edge(ring, 4);
    EXPECT_EQ(ring_for_mesh.status, 1);
    EXPECT_TRUE(
        contains(ring_for_mesh.err, " signal shape[1] must be 1 (one cell per rank), got 4"));
  }
  const Finished strict = run_edge(
      signal_kernel({"pld.tensor.allgather(x, win, cells)"}, "[NR, B]"), 4, {"--set", "B=1"});
  EXPECT_EQ(strict.status, 1);
  EXPECT_TRUE(contains(strict.err, "signal second dimension must be 1, got <dynamic>"));
}

TEST(EdgeCase16, SignalOfAnotherTypeIsRefused) {
  std::string text = edge_kernel({"pld.tensor.barrier(cells)"});
  text =
      replaced(text, "DistributedTensor[[NR, 1], pl.INT32]", "DistributedTensor[[NR, 1], pl.FP32]");
  text = replaced(text, "alloc_window_buffer([NR, 1], dtype=pl.INT32)",
                  "alloc_window_buffer([NR, 1], dtype=pl.FP32)");
  text = replaced(text, "cells_buf, [NR, 1], dtype=pl.INT32", "cells_buf, [NR, 1], dtype=pl.FP32");
  const Finished run = run_edge(text, 3);
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, "pld.tensor.barrier signal must have INT32 element type"));
}

struct Bound {
  std::string call;
  int rows;
  int cols;
  std::string message;  ///< empty: right
};

TEST(EdgeCase16, SymbolicDimensionsAreComparedWithTheLayoutAtTheCall) {
  const std::string barrier = "pld.tensor.barrier(cells)";
  const Bound cases[] = {
      {barrier, 3, 1, ""},
      {kMesh, 4, 1, ""},
      {barrier, 4, 3, "pld.tensor.barrier signal shape[1] must be 1 (one cell per rank), got 3"},
      {barrier, 2, 1,
       "pld.tensor.barrier signal shape[0] (2) must be at least the number of ranks, "
       "NR = 3"},
      {"pld.tensor.reduce_scatter(win, cells)", 4, 3,
       "pld.tensor.reduce_scatter signal shape[1] must be 1"},
      {kRing, 4, 3, ""},
      {kRing, 3, 1, "mode=ring signal shape[0] (3) must equal 2*(NR-1) = 0 for NR = 1"},
      {kRing, 5, 3, "mode=ring signal shape[0] (5) must equal 2*(NR-1) = 4 for NR = 3"},
      {kRing, 6, 4, "mode=ring signal must be 2D [2*(NR-1), NR] with NR = 3, got [6, 4]"},
      {kRing, 2, 2, "mode=ring signal must be 2D [2*(NR-1), NR] with NR = 3, got [2, 2]"},
  };
  for (const Bound& bound : cases) {
    SCOPED_TRACE(fmt::format("{} with [{}, {}]", bound.call, bound.rows, bound.cols));
    const std::string text = signal_kernel({bound.call}, "[A, B]");
    for (const std::string engine : {"timed", "untimed"}) {
      const Finished run = run_edge(text, 3,
                                    {"--set", fmt::format("A={}", bound.rows), "--set",
                                     fmt::format("B={}", bound.cols), "--engine", engine});
      EXPECT_EQ(run.status, bound.message.empty() ? 0 : 1) << run.err;
      if (bound.message.empty()) continue;
      EXPECT_TRUE(contains(run.err, place(text, bound.call) + "error: "));
      EXPECT_TRUE(contains(run.err, bound.message));
    }
  }
}

/// A kernel with two views of one signal buffer, `cells` for mesh and `wide` for ring.
std::string shared_signal_kernel(const std::string& mesh, const std::string& ring) {
  std::string text = signal_kernel({kMesh, "pld.tensor.allreduce(win, wide, mode=\"ring\")"}, mesh);
  text = replaced(
      text, "r: pl.Scalar[pl.INT32]):",
      "wide: pl.InOut[pld.DistributedTensor[" + ring + ", pl.INT32]], r: pl.Scalar[pl.INT32]):");
  text = replaced(text, "chip(x, y, win, cells, r)", "chip(x, y, win, cells, wide, r)");
  text = replaced(text, "kernel(x, y, win, cells, r)", "kernel(x, y, win, cells, wide, r)");
  text = replaced(text, "alloc_window_buffer(" + mesh, "alloc_window_buffer(" + ring);
  return replaced(text, "        chip(x[r], y[r], win, cells, r",
                  "        wide = pld.window(cells_buf, " + ring +
                      ", dtype=pl.INT32)\n"
                      "        chip(x[r], y[r], win, cells, wide, r");
}

TEST(EdgeCase16, OneWindowFirstUsedAsMeshThenAsRing) {
  // Each view has the right shape for its collective.
  for (const auto& [mesh, ring] : {std::pair<std::string, std::string>("[NR, B]", "[A, NR]"),
                                   std::pair<std::string, std::string>("[3, 1]", "[4, 3]")}) {
    SCOPED_TRACE(mesh + " and " + ring);
    const std::string text = shared_signal_kernel(mesh, ring);
    const std::vector<std::string> bound{"--set", "A=4", "--set", "B=1"};
    const Finished run = run_edge(text, 3, bound);
    EXPECT_EQ(run.status, 1);
    EXPECT_TRUE(contains(run.err, place(text, "pld.tensor.allreduce(win, wide") +
                                      "error: pld.tensor.allreduce uses signal \"cells_buf\" in "
                                      "the ring [2*(NR-1), NR] layout, pld.tensor.allreduce used "
                                      "it in the mesh [NR, 1] layout before"));
    EXPECT_TRUE(contains(run.err, place(text, kMesh) + "note: the first use"));

    const std::string own =
        replaced(replaced(text, "pld.window(cells_buf, " + ring, "pld.window(wide_buf, " + ring),
                 "    for r in pl.range(pld.world_size())",
                 "    wide_buf = pld.alloc_window_buffer(" + ring +
                     ", dtype=pl.INT32)\n    for r in pl.range(pld.world_size())");
    EXPECT_EQ(run_edge(own, 3, bound).status, 0);
  }
}

TEST(EdgeCase17, NotifyBehindTheSignalWindow) {
  const std::string text = edge_kernel({notify(kNext, "n", 1, "Set")});
  const ScratchDir scratch;
  const std::string card = scratch.file("card.json");
  const Finished run = run_edge(text, 3, {"--json", card});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, place(text, "pld.system.notify") +
                                    "error: notify addresses row 3 of \"cells_buf\" on rank 0, "
                                    "which has 3 rows (offset 3, extent 1)"));
  for (const nlohmann::json& rank : read_json(card)["ranks"])
    EXPECT_EQ(rank["signals_received_count"], 0);
  const std::string negative = edge_kernel({notify(kNext, "-1", 1, "Set")});
  const Finished constant = run_edge(negative, 3);
  EXPECT_EQ(constant.status, 1);
  EXPECT_TRUE(contains(constant.err, place(negative, "-1, 0]") + "error: pld.system.notify "));
}

TEST(EdgeCase18, BytesAreNotElements) {
  const std::string text = replaced(edge_kernel(), "alloc_window_buffer([NR, 1], dtype=pl.INT32)",
                                    "alloc_window_buffer(NR)");
  const Finished symbolic = run_edge(text, 3);
  EXPECT_EQ(symbolic.status, 1);
  EXPECT_TRUE(contains(symbolic.err,
                       place(text, "[NR, 1], dtype=pl.INT32)") +
                           "error: pld.tensor.window: view needs 4 * NR bytes, buffer 'cells_buf' "
                           "has NR"));
  EXPECT_TRUE(contains(symbolic.err, place(text, "pld.alloc_window_buffer(NR)") + "note: "));
  EXPECT_TRUE(contains(symbolic.err, "counts bytes, not elements"));

  const std::string at_launch =
      replaced(edge_kernel(), "alloc_window_buffer([NR, 1], dtype=pl.INT32)",
               "alloc_window_buffer(pld.world_size())");
  const Finished bound = run_edge(at_launch, 3);
  EXPECT_EQ(bound.status, 1);
  EXPECT_TRUE(contains(bound.err,
                       place(at_launch, "pld.window(cells_buf") +
                           "error: pld.tensor.window: view needs 12 bytes, buffer 'cells_buf' has "
                           "3"));
  EXPECT_TRUE(contains(bound.err,
                       place(at_launch, "pld.alloc_window_buffer(pld.world_size())") + "note: "));
  EXPECT_TRUE(contains(bound.err, "counts bytes, not elements"));
}

TEST(EdgeCase19, ShapeFixedAtTwoWithThreeRanks) {
  std::string text = edge_kernel();
  for (const std::string name : {"def host(x: pl.Tensor[[NR", "y: pl.Out[pl.Tensor[[NR"})
    text = replaced(text, name, name.substr(0, name.size() - 2) + "2");
  EXPECT_EQ(run_edge(text, 2).status, 0);
  const Finished run = run_edge(text, 3);
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, place(text, "x[r]") +
                                    "error: index 2 of \"x\" is outside dimension 0, which has "
                                    "size 2"));
  EXPECT_TRUE(contains(run.err, "the run has 3 ranks"));
  const Finished fewer = run_edge(text, 1);
  EXPECT_EQ(fewer.status, 4);
  EXPECT_TRUE(contains(fewer.err, place(text, "y: pl.Out[pl.Tensor[[2, 1, 64]")));
  EXPECT_TRUE(contains(fewer.err, "no dispatch gets y[1, 0, 0:64]"));
}

TEST(EdgeCase19, DispatchLoopOverTwoOfFourDevices) {
  // The kernels wait for all ranks: the two that run are stuck, and the others are named.
  const std::string barrier = "for q in pl.range(NR):";
  const std::string text = replaced(
      edge_kernel({barrier, "    if q != me:", "        " + notify("q % n", "me", 1, "AtomicAdd"),
                   barrier + "  # all", "    if q != me:", "        " + wait("q", 1, "Ge")}),
      "pl.range(pld.world_size())", "pl.range(2)");
  const Finished run = run_edge(text, 4);
  EXPECT_EQ(run.status, 3);
  EXPECT_TRUE(
      contains(run.err, place(text, "host(x:") + "warning: 2 of 4 devices get no dispatch: 2, 3"));
  EXPECT_TRUE(contains(run.err, place(text, wait("q", 1, "Ge")) + "error: deadlock: ranks 0,1"));
  EXPECT_TRUE(contains(run.err,
                       "ranks 0,1 wait for cells[2, 0] of window buffer cells_buf to be "
                       "at least 1; it is 0"));
  EXPECT_TRUE(contains(run.err,
                       "ranks 2,3 got no kernel from the host function, and so no notify "
                       "comes to cells[2, 0]"));
}

}  // namespace
}  // namespace a2a3::test::edge_cases_test
