// SPDX-License-Identifier: Apache-2.0
// HOST collectives together and in odd places: on some of the devices, many calls on one signal, in
// branches and loops, with sizes and signals that only the launch knows.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "collectives/host_schedules.hpp"
#include "ir/printer.hpp"

namespace a2a3::collectives::host_collectives_composed_test {
namespace {

using Kind = Parameter::Kind;

double input(const std::string& /*name*/, std::int64_t rank, std::int64_t i) {
  return element(rank, i);
}

std::vector<Parameter> on_one_window(std::vector<std::int64_t> signal) {
  return {{Kind::in, "x", {1, 300}},
          {Kind::out, "y", {1, 300}},
          {Kind::window, "win", {1, 300}},
          {Kind::window, "sig", std::move(signal), isa::DType::int32}};
}

std::string on_one_window_program(std::vector<std::int64_t> signal, const std::string& calls,
                                  const std::string& devices = "pld.world_size()") {
  return host_program(on_one_window(std::move(signal)), copy_row("x", "0", "win", "0", 300), calls,
                      copy_row("win", "0", "y", "0", 300), devices);
}

/// Runs on the timed engine and in several orders of the cores.
template <class Check>
void run_all(const std::string& text, std::int64_t ranks, Check check) {
  const ProgramRun timed = run(text, ranks, input, Engine::timed);
  ASSERT_TRUE(timed.finished()) << timed.text() << text;
  check(timed);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const ProgramRun untimed = run(text, ranks, input, Engine::untimed, seed);
    ASSERT_TRUE(untimed.finished()) << untimed.text() << text;
    check(untimed);
  }
}

class HostComposed : public testing::TestWithParam<int> {};

TEST_P(HostComposed, ManyCallsShareOneSignal) {
  const std::int64_t ranks = GetParam();
  const std::string text =
      on_one_window_program({ranks},
                            "again = pld.tensor.allreduce(win, sig, op=pld.ReduceOp.Max)\n"
                            "pld.tensor.barrier(sig)\n"
                            "if pld.world_size() > 2:\n"
                            "    pld.tensor.allreduce(win, sig)\n"
                            "for i in pl.range(3):\n"
                            "    pld.tensor.broadcast(win, sig, root=0)\n"
                            "    pld.tensor.barrier(sig)\n"
                            "pld.tensor.allreduce(win)\n");
  run_all(text, ranks, [&](const ProgramRun& run) {
    for (std::int64_t i = 0; i < 300; ++i) {
      double most = element(0, i);
      for (std::int64_t rank = 1; rank < ranks; ++rank)
        most = std::max(most, element(rank, i));
      const double times =
          static_cast<double>(ranks) * (ranks > 2 ? static_cast<double>(ranks) : 1);
      for (std::int64_t rank = 0; rank < ranks; ++rank)
        ASSERT_EQ(run.at("y", rank, i), most * times) << "rank " << rank << " element " << i;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, HostComposed, testing::Values(1, 2, 3, 5, 8));

/// Devices that do not take part keep the zeros of their output.
TEST(HostDomains, ACollectiveRunsOnTheDevicesOfItsWindows) {
  for (const std::string call :
       {"pld.tensor.allreduce(win, sig)\n", "pld.tensor.allreduce(win)\n"}) {
    for (const auto& [devices, first, last] :
         {std::tuple{"1, 4", 1, 3}, {"2", 0, 1}, {"1, pld.world_size()", 1, 4}}) {
      const std::string text = on_one_window_program({5}, call, devices);
      run_all(text, 5, [&, first = first, last = last](const ProgramRun& run) {
        for (std::int64_t i = 0; i < 300; ++i) {
          double sum = 0;
          for (std::int64_t rank = first; rank <= last; ++rank)
            sum += element(rank, i);
          for (std::int64_t rank = first; rank <= last; ++rank)
            ASSERT_EQ(run.at("y", rank, i), sum) << devices << " rank " << rank;
        }
        if (run.result.cost.ranks.empty()) return;  // the untimed engine counts nothing
        ASSERT_EQ(traffic(run, first == 0 ? 4 : 0), Traffic{}) << devices;
      });
    }
  }
}

TEST(HostSignals, TooFewCellsAreFoundWhenTheLaunchKnowsTheRanks) {
  const std::string text = on_one_window_program({3}, "pld.tensor.allreduce(win, sig)\n");
  EXPECT_TRUE(run(text, 3, input, Engine::timed).finished());
  const ProgramRun wrong = run(text, 4, input, Engine::timed);
  EXPECT_FALSE(wrong.finished());
  EXPECT_NE(wrong.text().find("LowerHostTensorCollectives: collective signal shape[0] (3) must be "
                              "at least the participating device count (4)"),
            std::string::npos)
      << wrong.text();
}

TEST(HostSignals, TheRingIsHeldToItsShapeAndSizeWhenTheLaunchKnowsTheRanks) {
  const std::string text =
      on_one_window_program({5, 3}, "pld.tensor.allreduce(win, sig, mode=\"ring\")\n");
  EXPECT_TRUE(run(text, 3, input, Engine::timed).finished());
  const ProgramRun wrong = run(text, 4, input, Engine::timed);
  EXPECT_NE(wrong.text().find("must be [2*(NR-1) + 1, NR] = [7, 4] for NR = 4, got [5, 3]"),
            std::string::npos)
      << wrong.text();
}

/// A host function whose sizes are dynamic.
std::string dynamic_host(const std::string& call) {
  return fmt::format(R"(import pypto.language as pl
import pypto.language.distributed as pld

RANKS = 1
NR = pl.dynamic("NR")
LEN = pl.dynamic("LEN")

@pl.jit.incore
def publish_kernel(x: pl.Tensor[[1, LEN], pl.FP32], win: pld.DistributedTensor[[1, LEN], pl.FP32]):
    for col in pl.range(0, LEN, 8):
        part = pl.load(x, [0, col], [1, 8], valid_shape=[1, pl.min(8, LEN - col)])
        win = pl.store(part, [0, col], win)

@pl.jit
def publish(x: pl.Tensor[[1, LEN], pl.FP32], win: pld.DistributedTensor[[1, LEN], pl.FP32]):
    publish_kernel(x, win)

@pl.jit.incore
def consume_kernel(win: pld.DistributedTensor[[1, LEN], pl.FP32],
                   y: pl.Out[pl.Tensor[[1, LEN], pl.FP32]]):
    for col in pl.range(0, LEN, 8):
        part = pl.load(win, [0, col], [1, 8], valid_shape=[1, pl.min(8, LEN - col)])
        y = pl.store(part, [0, col], y)

@pl.jit
def consume(win: pld.DistributedTensor[[1, LEN], pl.FP32],
            y: pl.Out[pl.Tensor[[1, LEN], pl.FP32]]):
    consume_kernel(win, y)

@pl.jit.host
def host(x: pl.Tensor[[NR, 1, LEN], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, LEN], pl.FP32]]):
    n = pld.world_size()
    win_buf = pld.alloc_window_buffer([1, LEN], dtype=pl.FP32)
    win = pld.window(win_buf, [1, LEN], dtype=pl.FP32)
    sig_buf = pld.alloc_window_buffer([n], dtype=pl.INT32)
    sig = pld.window(sig_buf, [n], dtype=pl.INT32)
    for r in pl.range(n):
        publish(x[r], win, device=r)
    {}
    for r in pl.range(n):
        consume(win, y[r], device=r)
)",
                     call);
}

TEST(HostDynamic, LengthsMayBeKnownAtLaunchOnly) {
  for (const std::int64_t ranks : {1, 3, 4}) {
    for (const std::int64_t length : {1, 17, 256, 700}) {
      const ProgramRun run = collectives::run(dynamic_host("pld.tensor.allreduce(win, sig)"), ranks,
                                              input, Engine::timed, {}, {{"LEN", length}});
      ASSERT_TRUE(run.finished()) << run.text();
      const Size at{ranks, length};
      const std::uint64_t moved = at.peers() * static_cast<std::uint64_t>(length * 4);
      for (std::int64_t rank = 0; rank < ranks; ++rank) {
        for (std::int64_t i = 0; i < length; ++i) {
          double sum = 0;
          for (std::int64_t peer = 0; peer < ranks; ++peer)
            sum += element(peer, i);
          ASSERT_EQ(run.at("y", rank, i), sum) << i;
        }
        EXPECT_EQ(traffic(run, rank),
                  (Traffic{moved, moved, 0,
                           at.peers() * static_cast<std::uint64_t>(1 + (length + 255) / 256),
                           at.peers()}));
      }
    }
  }
}

TEST(HostDynamic, EveryStatementOfTheLoweredProgramStandsAtTheCall) {
  const ProgramRun run = collectives::run(dynamic_host("pld.tensor.allreduce(win, sig)"), 2, input,
                                          Engine::timed, {}, {{"LEN", 64}});
  ASSERT_TRUE(run.finished()) << run.text();
  const ir::Function* kernel = run.module->find("_allreduce0_kernel");
  ASSERT_NE(kernel, nullptr) << ir::print(*run.module);
  const std::uint32_t line = kernel->location.line;
  EXPECT_EQ(kernel->location.file->line(line), "    pld.tensor.allreduce(win, sig)");
  for (const ir::Stmt& stmt : kernel->body)
    EXPECT_EQ(stmt.location.line, line);
}

}  // namespace
}  // namespace a2a3::collectives::host_collectives_composed_test
