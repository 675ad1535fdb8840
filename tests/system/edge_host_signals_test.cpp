// SPDX-License-Identifier: Apache-2.0
// Rows 50 and 51 and scenario 16 of edge_cases.md for collectives in host functions: signal windows
// of the other layout, of a shape that only the launch knows, and reused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "edge_kernel.hpp"

namespace a2a3::test::edge_host_signals_test {
namespace {

/// A host function with these calls on the window `data` between a kernel that publishes x and one
/// that copies to y. The signal `cells` has this shape; A and B are given at launch.
std::string host_calls(const std::vector<std::string>& calls, const std::string& shape) {
  std::string lines;
  for (const std::string& call : calls)
    lines += "    " + call + "\n";
  return fmt::format(R"(import pypto.language as pl
import pypto.language.distributed as pld

NR = pl.dynamic("NR")
A = pl.dynamic("A")
B = pl.dynamic("B")


@pl.jit.incore
def publish_kernel(x: pl.Tensor[[1, 60], pl.FP32], data: pld.DistributedTensor[[1, 60], pl.FP32]):
    data = pl.store(pl.load(x, [0, 0], [1, 64], valid_shape=[1, 60]), [0, 0], data)


@pl.jit
def publish(x, data):
    publish_kernel(x, data)


@pl.jit.incore
def consume_kernel(data: pld.DistributedTensor[[1, 60], pl.FP32],
                   y: pl.Out[pl.Tensor[[1, 60], pl.FP32]]):
    y = pl.store(pl.load(data, [0, 0], [1, 64], valid_shape=[1, 60]), [0, 0], y)


@pl.jit
def consume(data, y):
    consume_kernel(data, y)


@pl.jit.host
def host(x: pl.Tensor[[NR, 1, 60], pl.FP32], extents: pl.Tensor[[A, B], pl.FP32],
         y: pl.Out[pl.Tensor[[NR, 1, 60], pl.FP32]]):
    data_buf = pld.alloc_window_buffer([1, 60], dtype=pl.FP32)
    data = pld.window(data_buf, [1, 60], dtype=pl.FP32)
    cells_buf = pld.alloc_window_buffer({0}, dtype=pl.INT32)
    cells = pld.window(cells_buf, {0}, dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        publish(x[r], data, device=r)
{1}    for r in pl.range(pld.world_size()):
        consume(data, y[r], device=r)
)",
                     shape, lines);
}

const std::string kMesh = "pld.tensor.allreduce(data, cells)";
const std::string kRing = "pld.tensor.allreduce(data, cells, mode=\"ring\")";

/// Runs on three ranks with a signal of these extents.
Finished run_with(const std::string& text, int rows, int cols, const std::string& golden,
                  std::vector<std::string> more = {}) {
  more.insert(more.end(), {"--set", fmt::format("A={}", rows), "--set", fmt::format("B={}", cols)});
  return run_edge(text, 3, more, golden);
}

TEST(EdgeRow51, AHostSignalIsNotReusedInALoop) {
  for (const std::string& call :
       {kMesh, std::string("pld.tensor.allreduce(data, mode=\"mesh\")")}) {
    const std::string text = host_calls({"for i in pl.range(2):", "    " + call}, "[NR]");
    const Finished refused = run_with(text, 1, 1, "y: sum(x) * 3");
    EXPECT_EQ(refused.status, 1);
    EXPECT_TRUE(contains(refused.err, place(text, call) + "error: pld.tensor.allreduce "));
    EXPECT_TRUE(contains(refused.err, "inside a for/while loop"));
  }
  const std::string text = host_calls({"for i in pl.range(2):", "    " + kMesh}, "[NR]");
  const Finished newer = run_with(text, 1, 1, "y: sum(x) * 3", {"--host-allreduce=self-clearing"});
  EXPECT_EQ(newer.status, 0) << newer.err;
}

TEST(EdgeRow51, TheOthersServeManyCallsWithOneHostSignal) {
  const std::string text =
      host_calls({"for i in pl.range(3):", "    pld.tensor.broadcast(data, cells, root=1)",
                  "    pld.tensor.barrier(cells)", kMesh, kMesh + "  # again"},
                 "[NR]");
  for (const std::string engine : {"timed", "untimed"}) {
    const Finished run = run_with(text, 1, 1, "y: x[1] * 9", {"--engine", engine});
    EXPECT_EQ(run.status, 0) << run.err;
  }
}

TEST(EdgeCase16, AHostRingNeedsARowMoreThanARingInAKernel) {
  const std::string message =
      "LowerHostTensorCollectives: ring allreduce signal must be [2*(NR-1) + 1, NR] = [5, 3] for "
      "NR = 3, got ";
  const std::string constant = host_calls({kRing}, "[4, 3]");
  const Finished before = run_with(constant, 1, 1, "y: sum(x)");
  EXPECT_EQ(before.status, 1);
  EXPECT_TRUE(contains(before.err, "error: " + message + "[4, 3]: one row more than in a kernel"));

  const std::string text = host_calls({kRing}, "[A, B]");
  for (const std::string engine : {"timed", "untimed"}) {
    for (const auto& [rows, cols] : {std::pair{4, 3}, {5, 4}, {3, 1}, {6, 3}}) {
      const Finished run = run_with(text, rows, cols, "y: sum(x)", {"--engine", engine});
      EXPECT_EQ(run.status, 1);
      EXPECT_TRUE(contains(
          run.err, place(text, kRing) + "error: " + message + fmt::format("[{}, {}]", rows, cols)));
    }
    EXPECT_EQ(run_with(text, 5, 3, "y: sum(x)", {"--engine", engine}).status, 0);
  }
}

TEST(EdgeCase16, ASymbolicHostSignalIsComparedAtTheCall) {
  const std::string mesh = host_calls({kMesh}, "[A, B]");
  EXPECT_EQ(run_with(mesh, 3, 1, "y: sum(x)").status, 0);
  EXPECT_EQ(run_with(mesh, 4, 2, "y: sum(x)").status, 0);
  const Finished few = run_with(mesh, 2, 1, "y: sum(x)");
  EXPECT_EQ(few.status, 1);
  EXPECT_TRUE(contains(few.err, place(mesh, kMesh) +
                                    "error: LowerHostTensorCollectives: collective signal shape[0] "
                                    "(2) must be at least the participating device count (3)"));

  const std::string on_cores = "pld.tensor.allreduce(data, cells, core_num=2)";
  const std::string lanes = host_calls({on_cores}, "[A, B]");
  EXPECT_EQ(run_with(lanes, 3, 2, "y: sum(x)").status, 0);
  const Finished narrow = run_with(lanes, 3, 1, "y: sum(x)");
  EXPECT_EQ(narrow.status, 1);
  EXPECT_TRUE(contains(
      narrow.err, place(lanes, on_cores) + "error: notify addresses column 1 of \"cells_buf\""));
}

TEST(EdgeCase16, OneHostWindowServesOneLayout) {
  for (const std::string shape : {"[A, B]", "[5, 3]"}) {
    for (const auto& [first, second] : {std::pair(kMesh, kRing), std::pair(kRing, kMesh)}) {
      SCOPED_TRACE(shape + " " + second);
      const std::string text = host_calls({first, second}, shape);
      for (const std::string engine : {"timed", "untimed"}) {
        const Finished run = run_with(text, 5, 3, "y: sum(x) * 3", {"--engine", engine});
        EXPECT_EQ(run.status, 1);
        const auto words = [](const std::string& call) {
          return call == kMesh ? "mesh [NR] or [NR, core_num]" : "ring [2*(NR-1) + 1, NR]";
        };
        EXPECT_TRUE(contains(
            run.err, place(text, second) +
                         fmt::format("error: pld.tensor.allreduce uses signal \"cells_buf\" in the "
                                     "{} layout, pld.tensor.allreduce used it in the {} layout "
                                     "before",
                                     words(second), words(first))));
        EXPECT_TRUE(contains(run.err, place(text, first) + "note: the first use"));
      }
      const std::string own =
          replaced(replaced(text, "    for r in pl.range(pld.world_size()):\n        publish",
                            "    own_buf = pld.alloc_window_buffer([NR], dtype=pl.INT32)\n"
                            "    own = pld.window(own_buf, [NR], dtype=pl.INT32)\n"
                            "    for r in pl.range(pld.world_size()):\n        publish"),
                   kMesh, "pld.tensor.allreduce(data, own)");
      EXPECT_EQ(run_with(own, 5, 3, "y: sum(x) * 3").status, 0);
    }
  }
}

}  // namespace
}  // namespace a2a3::test::edge_host_signals_test
