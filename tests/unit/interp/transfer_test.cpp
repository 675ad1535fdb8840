// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernel_text.hpp"
#include "kernels.hpp"

namespace a2a3::interp::transfer_test {
namespace {

const std::string kContext =
    "    c = pld.get_comm_ctx(win)\n    me = pld.rank(c)\n    n = pld.nranks(c)\n";

/// Push to the right neighbour, then read what arrived; `put` is the put call.
std::string ring(const std::string& put) {
  return around(kContext + "    right = (me + 1) % n\n    " + put + R"(
    pld.system.notify(cell, peer=right, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
    pld.system.wait(cell, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)
    t = pl.load(win, [0, 0], [10, 96])
    y = pl.store(t, [0, 0], y)
)",
                "10", "96");
}

/// Pull from the right neighbour after both sides staged.
std::string pull(const std::string& get) {
  return around(kContext + R"(    right = (me + 1) % n
    left = (me + n - 1) % n
    t = pl.load(x, [0, 0], [10, 96])
    win = pl.store(t, [0, 0], win)
    pld.system.notify(cell, peer=left, offsets=[1, 0], value=1, op=pld.NotifyOp.AtomicAdd)
    pld.system.wait(cell, offsets=[1, 0], expected=1, cmp=pld.WaitCmp.Ge)
    )" + get + "\n",
                "10", "96");
}

double input(const std::string& name, std::int64_t i) {
  return name == "x" ? static_cast<double>(i) : -1.0;
}

void expect_shifted(const TextRun& run, std::int64_t ranks, std::int64_t by) {
  ASSERT_TRUE(run.finished()) << run.text();
  const isa::Array& y = run.arrays.at("y");
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    for (std::int64_t i = 0; i < 960; ++i) {
      ASSERT_EQ(y.at(rank * 960 + i), static_cast<double>((rank + by + ranks) % ranks * 960 + i))
          << "rank " << rank << " element " << i;
    }
  }
}

class Transfer : public ::testing::TestWithParam<int> {
 protected:
  TextRun run(const std::string& text) {
    TextOptions options;
    options.ranks = GetParam();
    options.input = input;
    options.seed = 11;
    return run_text(text, options);
  }
};

TEST_P(Transfer, PutMovesTheWholeSliceHoweverItIsCut) {
  for (const char* put : {"pld.tensor.put(win, right, x)",
                          "pld.tensor.put(win, right, x, chunk_rows=4, chunk_cols=64)",
                          "pld.tensor.put(win, right, x, chunk_rows=2, chunk_cols=32)",
                          "pld.tensor.put(win, right, x, chunk_rows=1, chunk_cols=8)",
                          "pld.tensor.put(win, right, x, chunk_rows=4, chunk_cols=64, "
                          "pipeline=True)"}) {
    expect_shifted(run(ring(put)), GetParam(), -1);
  }
}

TEST_P(Transfer, GetMovesTheWholeSliceHoweverItIsCut) {
  for (const char* get : {"pld.tensor.get(y, right, win)",
                          "pld.tensor.get(y, right, win, chunk_rows=3, chunk_cols=40)",
                          "pld.tensor.get(y, right, win, chunk_rows=2)",
                          "pld.tensor.get(y, right, win, chunk_rows=2, chunk_cols=8, "
                          "pipeline=True)"}) {
    expect_shifted(run(pull(get)), GetParam(), 1);
  }
}

TEST_P(Transfer, ASubregionTouchesNothingElse) {
  const TextRun result = run(
      pull("pld.tensor.get(y, right, win, [2, 8], [1, 16], [3, 40], chunk_rows=2, chunk_cols=16)"));
  ASSERT_TRUE(result.finished()) << result.text();
  const isa::Array& y = result.arrays.at("y");
  for (std::int64_t rank = 0; rank < GetParam(); ++rank) {
    const std::int64_t from = (rank + 1) % GetParam() * 960;
    for (std::int64_t row = 0; row < 10; ++row) {
      for (std::int64_t col = 0; col < 96; ++col) {
        const bool inside = row >= 2 && row < 5 && col >= 8 && col < 48;
        const auto value = static_cast<double>(from + (row - 1) * 96 + col + 8);
        ASSERT_EQ(y.at(rank * 960 + row * 96 + col), inside ? value : -1.0);
      }
    }
  }
}

TEST_P(Transfer, RemoteStoreWithAtomicAddSumsUp) {
  const TextRun result = run(around(kContext + R"(    t = pl.load(x, [0, 0], [10, 96])
    for p in pl.range(n):
        pld.tile.remote_store(t, win, peer=p, offsets=[0, 0], atomic=pld.AtomicType.Add)
        pld.system.notify(cell, peer=p, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
    pld.system.wait(cell, offsets=[0, 0], expected=n, cmp=pld.WaitCmp.Eq)
    s = pl.load(win, [0, 0], [10, 96])
    y = pl.store(s, [0, 0], y)
)",
                                    "10", "96"));
  ASSERT_TRUE(result.finished()) << result.text();
  const int ranks = GetParam();
  for (std::int64_t i = 0; i < 960; ++i) {
    const double sum = static_cast<double>(ranks * i + 960 * (ranks * (ranks - 1) / 2));
    ASSERT_EQ(result.arrays.at("y").at(i), sum);
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Transfer, ::testing::Values(1, 2, 3, 4, 5, 7, 8));

TEST(TransferStage, APutBiggerThanTheBufferSaysWhatToDo) {
  TextOptions options;
  const std::string text = around(kContext + "    pld.tensor.put(win, (me + 1) % n, x)\n", "4096");
  const TextRun run = run_text(text, options);
  EXPECT_EQ(run.result.outcome, UntimedResult::Outcome::fault);
  EXPECT_NE(run.text().find("needs 1048576 bytes, 188416 of 188416 bytes are available"),
            std::string::npos)
      << run.text();
  EXPECT_NE(run.text().find("chunk_rows= and chunk_cols= bound the staging tile"),
            std::string::npos);
  EXPECT_EQ(place_of(run.diagnostics, "overflow"), position(text, "pld.tensor.put"));
}

TEST(TransferStage, IsFreedBehindTheTransfer) {
  TextOptions options;
  options.limits.ub_bytes = 10 * 96 * 4 * 2;
  const TextRun run = run_text(
      ring("pld.tensor.put(win, right, x, chunk_rows=10, chunk_cols=96, pipeline=True)"), options);
  EXPECT_TRUE(run.finished()) << run.text();
}

TEST(Deadlock, ListsEveryBlockedWait) {
  TextOptions options;
  options.ranks = 3;
  const std::string text = around(kContext + R"(    if me > 0:
        pld.system.notify(cell, peer=me, offsets=[2, 0], value=me, op=pld.NotifyOp.Set)
        pld.system.wait(cell, offsets=[2, 0], expected=5, cmp=pld.WaitCmp.Ge)
)");
  const TextRun run = run_text(text, options);
  EXPECT_EQ(run.result.outcome, UntimedResult::Outcome::deadlock);
  ASSERT_EQ(run.result.blocked.size(), 2u);
  for (std::uint32_t i = 0; i < 2; ++i) {
    const BlockedWait& blocked = run.result.blocked[i];
    EXPECT_EQ(blocked.device, i + 1);
    EXPECT_EQ(blocked.value, static_cast<std::int32_t>(i + 1));
    EXPECT_EQ(blocked.wait.expected, 5);
    const ir::SourceLocation at = run.run->location(blocked.source);
    EXPECT_EQ(std::to_string(at.line) + ":" + std::to_string(at.column),
              position(text, "pld.system.wait"));
  }
}

TEST(Deadlock, AWaitForASignalWithoutOneIsFound) {
  TextOptions options;
  options.ranks = 4;
  const TextRun run = run_text(around(kContext + R"(    if me != 0:
        for p in pl.range(n):
            pld.system.notify(cell, peer=p, offsets=[me, 0], value=1, op=pld.NotifyOp.AtomicAdd)
        for p in pl.range(n):
            pld.system.wait(cell, offsets=[p, 0], expected=1, cmp=pld.WaitCmp.Ge)
)"),
                               options);
  EXPECT_EQ(run.result.outcome, UntimedResult::Outcome::deadlock);
  ASSERT_EQ(run.result.blocked.size(), 3u);
  EXPECT_EQ(run.result.blocked[0].value, 0);
}

}  // namespace
}  // namespace a2a3::interp::transfer_test
