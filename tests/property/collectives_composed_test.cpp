// SPDX-License-Identifier: Apache-2.0
// Collectives together: many calls on one signal window, in loops and branches, on targets of any
// shape, and with dimensions that only the launch knows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "collectives/schedules.hpp"

namespace a2a3::collectives::collectives_composed_test {
namespace {

using Kind = Parameter::Kind;

double input(const std::string& /*name*/, std::int64_t rank, std::int64_t i) {
  return element(rank, i);
}

double sum_over_ranks(std::int64_t ranks, std::int64_t i) {
  double sum = 0;
  for (std::int64_t rank = 0; rank < ranks; ++rank)
    sum += element(rank, i);
  return sum;
}

class Composed : public testing::TestWithParam<int> {
 protected:
  [[nodiscard]] static std::int64_t ranks() { return GetParam(); }
  /// Runs on both engines; the untimed one in several orders of the cores.
  template <class Check>
  static void run_all(const std::string& text, Check check) {
    const ProgramRun timed = run(text, ranks(), input, Engine::timed);
    ASSERT_TRUE(timed.finished()) << timed.text() << text;
    check(timed);
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const ProgramRun untimed = run(text, ranks(), input, Engine::untimed, seed);
      ASSERT_TRUE(untimed.finished()) << untimed.text() << text;
      check(untimed);
    }
  }
  /// What is left in the signal cells when a kernel ends: a copy of `sig` in `cells`.
  static void expect_cleared(const ProgramRun& run) {
    for (std::int64_t rank = 0; rank < ranks(); ++rank) {
      for (std::int64_t q = 0; q < ranks(); ++q)
        ASSERT_EQ(run.at("cells", rank, q), 0) << "rank " << rank << " cell " << q;
    }
  }
};

TEST_P(Composed, CallsInLoopsAndBranchesShareOneSignalWindow) {
  const std::string body = fmt::format(
      R"(one = pl.load(x, [0, 0], [1, 64])
n = 0
for i in pl.range(5):
    win = pl.store(one, [0, 0], win)
    win = pld.tensor.allreduce(win, sig)
    if i % 2 == 1:
        pld.tensor.barrier(sig)
    else:
        grid = pld.tensor.allgather(x, grid, sig)
    while n < 2:
        win = pld.tensor.broadcast(win, sig, root=0)
        n = n + 1
    pld.tensor.barrier(sig)
    total = pl.load(win, [0, 0], [1, 64])
    y = pl.store(total, [i, 0], y)
    pld.tensor.barrier(sig)
for q in pl.range({0}):
    z = pl.store(pl.load(grid, [q, 0], [1, 64]), [q, 0], z)
pld.tensor.barrier(sig)
for q in pl.range({0}):
    pl.write(cells, [q, 0], pl.read(sig, [q, 0]))
)",
      ranks());
  const std::string text = program({{Kind::in, "x", {1, 64}},
                                    {Kind::out, "y", {5, 64}},
                                    {Kind::out, "z", {ranks(), 64}},
                                    {Kind::out, "cells", {ranks(), 1}, isa::DType::int32},
                                    {Kind::window, "win", {1, 64}},
                                    {Kind::window, "grid", {ranks(), 64}},
                                    {Kind::window, "sig", {ranks(), 1}, isa::DType::int32}},
                                   body);
  run_all(text, [](const ProgramRun& run) {
    for (std::int64_t rank = 0; rank < ranks(); ++rank) {
      for (std::int64_t i = 0; i < 5 * 64; ++i)
        ASSERT_EQ(run.at("y", rank, i), sum_over_ranks(ranks(), i % 64)) << i;
      for (std::int64_t i = 0; i < ranks() * 64; ++i)
        ASSERT_EQ(run.at("z", rank, i), element(i / 64, i % 64)) << i;
    }
    expect_cleared(run);
  });
}

TEST_P(Composed, TheTargetOfAnAllreduceHasAnyShape) {
  using Extents = std::vector<std::int64_t>;
  for (const Extents& extents : {Extents{3, 40}, {120}, {3, 1, 40}}) {
    const bool is_flat = extents.size() == 1;
    const bool is_deep = extents.size() == 3;
    const std::string box = is_flat ? "[40]" : is_deep ? "[1, 1, 40]" : "[1, 40]";
    std::string stores;
    std::string loads;
    for (int row = 0; row < 3; ++row) {
      const std::string at = is_flat   ? fmt::format("[{}]", row * 40)
                             : is_deep ? fmt::format("[{}, 0, 0]", row)
                                       : fmt::format("[{}, 0]", row);
      stores += fmt::format("win = pl.store(pl.load(x, {0}, {1}), {0}, win)\n", at, box);
      loads += fmt::format("y = pl.store(pl.load(win, {0}, {1}), {0}, y)\n", at, box);
    }
    for (const bool ring : {false, true}) {
      const Extents cells = ring ? Extents{std::max<std::int64_t>(1, 2 * (ranks() - 1)), ranks()}
                                 : Extents{ranks(), 1};
      const std::string text =
          program({{Kind::in, "x", extents},
                   {Kind::out, "y", extents},
                   {Kind::window, "win", extents},
                   {Kind::window, "sig", cells, isa::DType::int32}},
                  stores +
                      fmt::format("win = pld.tensor.allreduce(win, sig, mode=\"{}\")\n",
                                  ring ? "ring" : "mesh") +
                      loads);
      run_all(text, [](const ProgramRun& run) {
        for (std::int64_t rank = 0; rank < ranks(); ++rank) {
          for (std::int64_t i = 0; i < 120; ++i)
            ASSERT_EQ(run.at("y", rank, i), sum_over_ranks(ranks(), i)) << i;
        }
      });
    }
  }
}

/// A program whose rank count, length and signal columns are dynamic.
std::string dynamic_program(const std::string& rows, const std::string& call) {
  return fmt::format(R"(import pypto.language as pl
import pypto.language.distributed as pld

RANKS = 1
NR = pl.dynamic("NR")
LEN = pl.dynamic("LEN")
COLS = pl.dynamic("COLS")

@pl.jit.incore
def kernel(x: pl.Tensor[[1, LEN], pl.FP32], y: pl.Out[pl.Tensor[[1, LEN], pl.FP32]],
           shape: pl.Tensor[[1, COLS], pl.FP32], win: pld.DistributedTensor[[1, LEN], pl.FP32],
           sig: pld.DistributedTensor[[{0}, COLS], pl.INT32]):
    for col in pl.range(0, LEN, 8):
        part = pl.load(x, [0, col], [1, 8], valid_shape=[1, pl.min(8, LEN - col)])
        win = pl.store(part, [0, col], win)
    {1}
    for col in pl.range(0, LEN, 8):
        part = pl.load(win, [0, col], [1, 8], valid_shape=[1, pl.min(8, LEN - col)])
        y = pl.store(part, [0, col], y)

@pl.jit
def chip(x, y, shape, win, sig):
    kernel(x, y, shape, win, sig)

@pl.jit.host
def host(x: pl.Tensor[[NR, 1, LEN], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, LEN], pl.FP32]],
         shape: pl.Tensor[[NR, 1, COLS], pl.FP32]):
    win_buf = pld.alloc_window_buffer([1, LEN], dtype=pl.FP32)
    sig_buf = pld.alloc_window_buffer([{0}, COLS], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        win = pld.window(win_buf, [1, LEN], dtype=pl.FP32)
        sig = pld.window(sig_buf, [{0}, COLS], dtype=pl.INT32)
        chip(x[r], y[r], shape[r], win, sig, device=r)
)",
                     rows, call);
}

TEST_P(Composed, DimensionsMayBeKnownAtLaunchOnly) {
  for (const std::int64_t length : {1, 17, 64, 5000}) {
    const std::string text =
        dynamic_program("NR", "win = pld.tensor.allreduce(win, sig, op=pld.ReduceOp.Sum)");
    const ProgramRun right =
        run(text, ranks(), input, Engine::timed, {}, {{"LEN", length}, {"COLS", 1}});
    ASSERT_TRUE(right.finished()) << right.text();
    for (std::int64_t rank = 0; rank < ranks(); ++rank) {
      for (std::int64_t i = 0; i < length; ++i)
        ASSERT_EQ(right.at("y", rank, i), sum_over_ranks(ranks(), i)) << i;
    }
  }
}

TEST_P(Composed, ASymbolicSignalColumnIsCheckedWhenTheLaunchBindsIt) {
  for (const char* call : {"win = pld.tensor.allreduce(win, sig)", "pld.tensor.barrier(sig)",
                           "pld.tensor.reduce_scatter(win, sig)"}) {
    const ProgramRun wrong = run(dynamic_program("NR", call), ranks(), input, Engine::timed, {},
                                 {{"LEN", 64}, {"COLS", 3}});
    EXPECT_EQ(wrong.result.outcome, Outcome::fault);
    EXPECT_NE(wrong.text().find("signal shape[1] must be 1 (one cell per rank), got 3"),
              std::string::npos)
        << wrong.text();
  }
  const ProgramRun ring =
      run(dynamic_program("5", "win = pld.tensor.allreduce(win, sig, mode=\"ring\")"), ranks(),
          input, Engine::timed, {}, {{"LEN", 64}, {"COLS", 3}});
  EXPECT_EQ(ring.result.outcome, Outcome::fault);
  EXPECT_NE(ring.text().find("mode=ring signal shape[0] (5) must equal 2*(NR-1) = 4 for NR = 3"),
            std::string::npos)
      << ring.text();
}

INSTANTIATE_TEST_SUITE_P(Ranks, Composed, testing::Values(1, 2, 3, 5, 8));

}  // namespace
}  // namespace a2a3::collectives::collectives_composed_test
