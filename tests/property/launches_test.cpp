// SPDX-License-Identifier: Apache-2.0
// Random launches of one device over shared tensors: whatever runs side by side, on however many
// cores, timed or not, the result is that of running the launches one after the other.
#include <algorithm>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "collectives/program.hpp"

namespace a2a3::collectives::launches_test {
namespace {

constexpr int kTensors = 4;
constexpr int kRows = 6;
constexpr int kCols = 8;
using Tensor = std::vector<double>;

/// `to` row (r + shift) % kRows = row r of `from` + addend, for rows of [0, blocks).
struct RowsLaunch {
  int from = 0;
  int to = 1;
  int blocks = 1;
  int shift = 0;
  int addend = 0;
  int form = 0;  ///< loop, with scope, loop around a called kernel
};

class LaunchGenerator {
 public:
  explicit LaunchGenerator(std::uint32_t seed) : random_(seed) {}

  std::vector<RowsLaunch> launches() {
    std::vector<RowsLaunch> all(4 + below(8));
    for (RowsLaunch& one : all) {
      one.from = below(kTensors);
      one.to = (one.from + 1 + below(kTensors - 1)) % kTensors;
      one.blocks = 1 + below(kRows);
      one.shift = below(kRows);
      one.addend = below(9);
      one.form = below(3);
    }
    return all;
  }

 private:
  int below(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }
  std::mt19937 random_;
};

std::string launch_text(const RowsLaunch& one) {
  const std::string copy = fmt::format(
      "m{} = pl.store(pl.add(pl.load(m{}, [b, 0], [1, {}]), {}.0), [(b + {}) % {}, 0], m{})\n",
      one.to, one.from, kCols, one.addend, one.shift, kRows, one.to);
  if (one.form == 0)
    return fmt::format("        for b in pl.spmd({}):\n            {}", one.blocks, copy);
  if (one.form == 1) {
    return fmt::format(
        "        with pl.spmd({}):\n            b = pl.tile.get_block_idx()\n            {}",
        one.blocks, copy);
  }
  return fmt::format("        for b in pl.spmd({}):\n            self.step(m{}, m{}, b, {}, {})\n",
                     one.blocks, one.from, one.to, one.shift, one.addend);
}

std::string launches_program(const std::vector<RowsLaunch>& launches) {
  const std::string box = fmt::format("[[{}, {}], pl.FP32]", kRows, kCols);
  std::string text = fmt::format(
      "import pypto.language as pl\nimport pypto.language.distributed as pld\n\n\n"
      "@pl.program\nclass Program:\n"
      "    @pl.function(type=pl.FunctionType.InCore)\n"
      "    def step(self, a: pl.Tensor{0}, c: pl.InOut[pl.Tensor{0}], b: pl.Scalar[pl.INDEX],\n"
      "             shift: pl.Scalar[pl.INT32], addend: pl.Scalar[pl.INT32]):\n"
      "        t = pl.add(pl.load(a, [b, 0], [1, {1}]), addend)\n"
      "        c = pl.store(t, [(b + shift) % {2}, 0], c)\n\n"
      "    @pl.function(type=pl.FunctionType.Orchestration)\n    def chip(self",
      box, kCols, kRows);
  std::string host =
      "    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)\n    def host(self";
  std::string call = "            self.chip(";
  for (int t = 0; t < kTensors; ++t) {
    text += fmt::format(", m{}: pl.InOut[pl.Tensor{}]", t, box);
    host += fmt::format(", m{}: pl.InOut[pl.Tensor[[2, {}, {}], pl.FP32]]", t, kRows, kCols);
    call += fmt::format("m{}[r], ", t);
  }
  text += "):\n";
  for (const RowsLaunch& one : launches)
    text += launch_text(one);
  return text + "\n" + host + "):\n        for r in pl.range(2):\n" + call + "device=r)\n";
}

std::vector<Tensor> one_after_the_other(const std::vector<RowsLaunch>& launches,
                                        std::vector<Tensor> tensors) {
  for (const RowsLaunch& one : launches) {
    for (int b = 0; b < one.blocks; ++b) {
      for (int c = 0; c < kCols; ++c) {
        tensors[static_cast<std::size_t>(one.to)][static_cast<std::size_t>(
            (b + one.shift) % kRows * kCols + c)] =
            tensors[static_cast<std::size_t>(one.from)][static_cast<std::size_t>(b * kCols + c)] +
            one.addend;
      }
    }
  }
  return tensors;
}

class RandomLaunches : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(RandomLaunches, AreThoseOfOneAfterTheOther) {
  const std::vector<RowsLaunch> launches = LaunchGenerator(GetParam()).launches();
  const std::string text = launches_program(launches);
  const auto element = [](const std::string& name, std::int64_t rank, std::int64_t i) {
    return static_cast<double>((name[1] - '0') * 1000 + rank * 100 + i);
  };
  const auto check = [&](const ProgramRun& run) {
    ASSERT_TRUE(run.finished()) << run.text() << text;
    for (std::int64_t rank = 0; rank < 2; ++rank) {
      std::vector<Tensor> tensors(kTensors, Tensor(kRows * kCols));
      for (int t = 0; t < kTensors; ++t) {
        for (int i = 0; i < kRows * kCols; ++i)
          tensors[static_cast<std::size_t>(t)][static_cast<std::size_t>(i)] =
              element(fmt::format("m{}", t), rank, i);
      }
      const auto expected = one_after_the_other(launches, tensors);
      for (int t = 0; t < kTensors; ++t) {
        for (int i = 0; i < kRows * kCols; ++i)
          ASSERT_EQ(run.at(fmt::format("m{}", t), rank, i),
                    expected[static_cast<std::size_t>(t)][static_cast<std::size_t>(i)])
              << "m" << t << " rank " << rank << " element " << i << "\n"
              << text;
      }
    }
  };
  check(run(text, 2, element, Engine::timed));
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    check(run(text, 2, element, Engine::untimed, seed));
}

/// A ring: every rank pushes its row to the right and signals; a waiter task holds back the task
/// that reads what came from the left. Every lap has a row and a cell of its own.
std::string waiter_program(int laps) {
  std::string text = R"(import pypto.language as pl
import pypto.language.distributed as pld


@pl.program
class Program:
    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, x: pl.Tensor[[1, 17], pl.INT32], y: pl.Out[pl.Tensor[[1, 17], pl.INT32]],
             inbox: pl.InOut[pld.DistributedTensor[[3, 17], pl.INT32]],
             cells: pl.InOut[pld.DistributedTensor[[3, 1], pl.INT32]]):
        m = pl.create_tensor([1, 17], dtype=pl.INT32)
        with pl.at(level=pl.Level.CORE_GROUP):
            m = pl.store(pl.load(x, [0, 0], [1, 24], valid_shape=[1, 17]), [0, 0], m)
)";
  for (int lap = 0; lap < laps; ++lap) {
    text += fmt::format(R"(        with pl.at(level=pl.Level.CORE_GROUP):
            c = pld.get_comm_ctx(inbox)
            right = (pld.rank(c) + 1) % pld.nranks(c)
            t = pl.load(m, [0, 0], [1, 24], valid_shape=[1, 17])
            inbox = pld.tile.remote_store(t, target=inbox, peer=right, offsets=[{0}, 0])
            pld.system.notify(cells, peer=right, offsets=[{0}, 0], value=1, op=pld.NotifyOp.AtomicAdd)
        with pl.at(level=pl.Level.CORE_GROUP) as arrived:
            pld.system.defer_wait(cells, offsets=[{0}, 0], expected=1, cmp=pld.WaitCmp.Ge)
        with pl.at(level=pl.Level.CORE_GROUP, deps=[arrived]):
            t = pl.load(inbox, [{0}, 0], [1, 24], valid_shape=[1, 17])
            m = pl.store(pl.add(t, 1), [0, 0], m)
)",
                        lap);
  }
  return text + R"(        with pl.at(level=pl.Level.CORE_GROUP):
            y = pl.store(pl.load(m, [0, 0], [1, 24], valid_shape=[1, 17]), [0, 0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[NR, 1, 17], pl.INT32], y: pl.Out[pl.Tensor[[NR, 1, 17], pl.INT32]]):
        inbox_buf = pld.alloc_window_buffer([3, 17], dtype=pl.INT32)
        cell_buf = pld.alloc_window_buffer([3, 1], dtype=pl.INT32)
        for r in pl.range(pld.world_size()):
            inbox = pld.window(inbox_buf, [3, 17], dtype=pl.INT32)
            cells = pld.window(cell_buf, [3, 1], dtype=pl.INT32)
            self.chip(x[r], y[r], inbox, cells, device=r)
)";
}

class Waiters : public ::testing::TestWithParam<int> {};

TEST_P(Waiters, HoldBackWhatNeedsTheSignal) {
  const int ranks = GetParam();
  constexpr int kLaps = 3;
  const std::string text =
      "import pypto.language as pl\nNR = pl.dynamic(\"NR\")\n" + waiter_program(kLaps);
  const auto element = [](const std::string&, std::int64_t rank, std::int64_t i) {
    return static_cast<double>(rank * 100 + i);
  };
  const auto check = [&](const ProgramRun& run) {
    ASSERT_TRUE(run.finished()) << run.text();
    for (int rank = 0; rank < ranks; ++rank) {
      for (int i = 0; i < 17; ++i) {
        const int from = ((rank - kLaps) % ranks + ranks) % ranks;
        ASSERT_EQ(run.at("y", rank, i), from * 100 + i + kLaps) << rank << " " << i;
      }
    }
  };
  check(run(text, ranks, element, Engine::timed));
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    check(run(text, ranks, element, Engine::untimed, seed));
}

INSTANTIATE_TEST_SUITE_P(Ranks, Waiters, ::testing::Values(1, 2, 3, 4, 5, 7, 8));

INSTANTIATE_TEST_SUITE_P(Seeds, RandomLaunches, ::testing::Range(0u, 25u));

}  // namespace
}  // namespace a2a3::collectives::launches_test
