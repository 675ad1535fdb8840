// SPDX-License-Identifier: Apache-2.0
// What to do, with every place that is to be changed: sentences of advice, second lines, and all
// ranks that a finding is about.
#include <gtest/gtest.h>

#include "edge_kernel.hpp"

namespace a2a3::test::advice_test {
namespace {

using Body = std::vector<std::string>;

void expect_run(const std::string& text, int ranks, int status, const Body& said,
                const Body& unsaid = {}) {
  for (const Body& engine : {Body{}, {"--engine", "untimed"}}) {
    const Finished run = run_edge(text, ranks, engine);
    EXPECT_EQ(run.status, status) << run.err;
    for (const std::string& part : said)
      EXPECT_TRUE(contains(run.err, part)) << part << "\n" << run.err;
    for (const std::string& part : unsaid)
      EXPECT_FALSE(contains(run.err, part)) << part << "\n" << run.err;
  }
}

TEST(Advice, OfAPeerThatIsNoRank) {
  const std::string load =
      "got = pld.tile.remote_load(win, peer=me + 1, offsets=[0, 0], shape=[1, 64])";
  const std::string text = edge_kernel({load});
  expect_run(text, 3, 1,
             {"remote_load addresses peer 3, the domain of \"win_buf\" has ranks 0..2",
              "note: let a loop over peers end at pld.nranks(ctx), and take the neighbours of a "
              "ring as (me + 1) % nranks and (me + nranks - 1) % nranks"});
}

TEST(Advice, OfAnOffsetBehindTheEnd) {
  expect_run(edge_kernel({"t = pl.load(win, [n, 0], [1, 64])"}), 3, 1,
             {"note: offset and extent must stay inside the window: correct them, or give the "
              "window a larger shape in pld.window, and its buffer the bytes for it"});
  expect_run(edge_kernel({"t = pl.load(x, [n, 0], [1, 64])"}), 3, 1,
             {"note: offset and extent must stay inside the tensor\n"});
  expect_run(edge_kernel({notify("0", "n", 1, "AtomicAdd")}), 3, 1,
             {"note: offset and extent must stay inside the window"});
}

TEST(Advice, OfDevicesWithoutADispatch) {
  const std::string text = replaced(edge_kernel(), "pl.range(pld.world_size())", "pl.range(2)");
  const Finished run = run_edge(text, 3, {"--no-goldens"});
  EXPECT_TRUE(contains(run.err, "warning: 1 of 3 devices gets no dispatch: 2"));
  EXPECT_TRUE(contains(run.err,
                       "note: give every device its kernel, `for r in "
                       "pl.range(pld.world_size()):` with device=r, or run on as many devices as "
                       "the program is for"));
}

TEST(Advice, OfAViewLargerThanItsBuffer) {
  const std::string buffer = "pld.alloc_window_buffer([NR, 32], dtype=pl.FP32)";
  const std::string text =
      replaced(edge_kernel(), "pld.alloc_window_buffer([NR, 64], dtype=pl.FP32)", buffer);
  expect_run(text, 3, 1,
             {"error: pld.tensor.window: view needs ",
              place(text, buffer) + "note: it is allocated here: give the buffer the shape of the "
                                    "view"});
}

TEST(Advice, ExcessCreditOfTwoLinesNamesBoth) {
  const std::string first = notify("(me + 1) % n", "0", 1, "AtomicAdd") + "  # first";
  const std::string second = notify("(me + 1) % n", "0", 1, "AtomicAdd") + "  # second";
  const std::string text = edge_kernel({first, second, wait("0", 1, "Ge")});
  expect_run(text, 3, 0,
             {place(text, second) + "warning: excess credit: cells[0, 0] of rank 0 ends at 2",
              place(text, first) + "note: rank 2 sends this one and that above with nothing in "
                                   "between",
              "note: 3 times, ranks 0-2\n"},
             {"this notify twice"});
}

TEST(Advice, LeftoverCreditIsCountedOnAllRanks) {
  const ScratchDir scratch;
  const std::string json = scratch.file("card.json");
  const std::string text =
      edge_kernel({notify("(me + 1) % n", "me", 1, "AtomicAdd"), "pld.tensor.barrier(cells)"});
  const Finished run = run_edge(text, 3, {"--json", json});
  EXPECT_EQ(run.status, 4);
  EXPECT_TRUE(contains(run.err, "error: leftover credit: cells[2, 0] of rank 0 ends at 1"));
  EXPECT_TRUE(contains(run.err, "note: 3 times, ranks 0-2\n"));
  const auto finding = read_json(json)["findings"][0];
  EXPECT_EQ(finding["kind"], "leftover credit");
  EXPECT_EQ(finding["times_count"], 3);
}

// The waiting rank's own Set stands before its wait: only where it lands is open.
TEST(Advice, AnOwnSetThatMayComeLast) {
  const std::string reset = notify("me", "0", 0, "Set");
  const std::string text =
      edge_kernel({reset, notify("(me + 1) % n", "0", 1, "AtomicAdd"), wait("0", 1, "Ge")});
  const Finished run = run_edge(text, 3, {"--engine", "untimed"});
  EXPECT_EQ(run.status, 4) << run.err;
  EXPECT_TRUE(contains(run.err, place(text, wait("0", 1, "Ge")) +
                                    "error: missed value: rank 0 waits for cells[0, 0] of rank 0 "
                                    "to be at least 1, and its own notify, which nothing orders "
                                    "with those of the others, may come after them and makes it 0"))
      << run.err;
  EXPECT_TRUE(contains(run.err, place(text, reset) + "note: its own notify (rank 0)"));
  EXPECT_FALSE(contains(run.err, "let the waiting rank signal that it has gone on"));
}

TEST(Advice, OfANegativeDividend) {
  expect_run(edge_kernel({"a = (me - 5) // n", "b = (me - 5) % n"}), 3, 0,
             {"; keep the dividend at 0 or more", "to step back write (r + n - 1) % n"});
}

}  // namespace
}  // namespace a2a3::test::advice_test
