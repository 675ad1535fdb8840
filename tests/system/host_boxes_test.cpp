// SPDX-License-Identifier: Apache-2.0
// Slices and assemblies above kernels, and what a chosen program and its errors say.
#include <gtest/gtest.h>

#include "program.hpp"

namespace a2a3::test::host_boxes_test {
namespace {

std::string source(const std::string& file) {
  return read_file(std::filesystem::path(A2A3_SOURCE_DIR) / file);
}

TEST(HostBoxes, PartsGoToDevicesAndResultsIntoParts) {
  for (const int ranks : {1, 2, 3, 4, 5, 7, 8}) {
    for (const char* cols : {"8", "24", "1000"}) {
      for (const char* engine : {"timed", "untimed"}) {
        const std::string set = std::string("COLS=") + cols;
        const Finished run =
            a2a3sim({"run", "tests/system/data/boxes.py", "-d", devices(ranks), "--set", set,
                     "--engine", engine, "--golden", "y: 2 * x[(r + P - 1) % P]", "--quiet"});
        EXPECT_EQ(run.out, "OK\n") << run.err << ranks << " " << cols << " " << engine;
      }
    }
  }
}

TEST(HostBoxes, CollectivesTakePartsOfWindows) {
  const ScratchDir scratch;
  const std::string text = R"(import pypto.language as pl
import pypto.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def gather(x: pl.Tensor[[1, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 64], pl.FP32]],
           data: pld.DistributedTensor[[NR, 64], pl.FP32],
           signal: pld.DistributedTensor[[NR, 1], pl.INT32]):
    data = CALL
    for p in pl.range(NR):
        y = pl.store(pl.load(data, [p, 0], [1, 64]), [p, 0], y)
    return y


@pl.jit
def chip(x: pl.Tensor[[1, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 64], pl.FP32]],
         data: pld.DistributedTensor[[NR, 128], pl.FP32],
         signal: pld.DistributedTensor[[NR, 3], pl.INT32]):
    gather(x, y, data[:, 64:], signal[:, 1:2])


@pl.jit.host
def host(x: pl.Tensor[[NR, 1, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, NR, 64], pl.FP32]]):
    buf = pld.alloc_window_buffer([NR, 128], dtype=pl.FP32)
    sig_buf = pld.alloc_window_buffer([NR, 3], dtype=pl.INT32)
    data = pld.window(buf, [NR, 128], dtype=pl.FP32)
    signal = pld.window(sig_buf, [NR, 3], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        chip(x[r], y[r], data, signal, device=r)
)";
  const auto run = [&](const std::string& call, int ranks) {
    const std::string kernel = scratch.write("kernel.py", replaced(text, "CALL", call));
    return a2a3sim({"run", kernel, "-d", devices(ranks), "--golden", "y: concat(x, 0)", "--quiet"});
  };
  for (const int ranks : {1, 2, 3, 4, 5, 7, 8}) {
    const Finished gathered = run("pld.tensor.allgather(x, data, signal)", ranks);
    EXPECT_EQ(gathered.out, "OK\n") << gathered.err;
  }
  // Allreduce sees its target as one row.
  const Finished reduced =
      run("pld.tensor.allreduce(data, signal, op=pld.ReduceOp.Sum, mode=\"mesh\")", 2);
  EXPECT_EQ(reduced.status, 1);
  EXPECT_TRUE(contains(reduced.err, "target shape reinterpret requires a packed source"));
}

TEST(ChosenProgram, RunsWhateverIsWrongWithTheOthers) {
  const ScratchDir scratch;
  const std::string kernel = scratch.write(
      "kernel.py", replaced(source("tests/system/data/two_programs.py"), "t + t", "t + tt"));
  const Finished run =
      a2a3sim({"run", kernel, "--entry", "copy_all", "-d", "0-2", "--golden", "y: x", "--quiet"});
  EXPECT_EQ(run.out, "OK\n") << run.err;
  for (const char* command : {"run", "lower"}) {
    const Finished wrong = a2a3sim({command, kernel, "--entry", "double_all"});
    EXPECT_EQ(wrong.status, 1);
    EXPECT_TRUE(contains(wrong.err, "undefined name 'tt'"));
  }
  const Finished whole = a2a3sim({"lower", kernel, "--entry", "copy_all"});
  EXPECT_EQ(whole.status, 1);
  EXPECT_TRUE(contains(whole.err, "undefined name 'tt'"));
}

TEST(ChosenProgram, AWrongModeIsOneError) {
  const Finished run = a2a3sim({"run", "examples/13_allgather.py", "--mode", "bogus", "-d", "0,1"});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, "bogus"));
  EXPECT_EQ(run.err.find("error:", run.err.find("error:") + 1), std::string::npos) << run.err;
}

/// A kernel with this body over x, y [1, 64] and a signal window [8, 1].
std::string with_body(const std::string& body) {
  return R"(import pypto.language as pl
import pypto.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def kernel(x: pl.Tensor[[1, 64], pl.FP32], y: pl.Out[pl.Tensor[[1, 64], pl.FP32]],
           signal: pld.DistributedTensor[[8, 1], pl.INT32]):
    me = pld.rank(pld.get_comm_ctx(signal))
)" + body +
         R"(    y = pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], y)
    return y


@pl.jit
def chip(x: pl.Tensor[[1, 64], pl.FP32], y: pl.Out[pl.Tensor[[1, 64], pl.FP32]],
         signal: pld.DistributedTensor[[8, 1], pl.INT32]):
    with pl.spmd(1):
        y = kernel(x, y, signal)
    return y


@pl.jit.host
def host(x: pl.Tensor[[NR, 1, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 64], pl.FP32]]):
    buf = pld.alloc_window_buffer([8, 1], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        signal = pld.window(buf, [8, 1], dtype=pl.INT32)
        chip(x[r], y[r], signal, device=r)
)";
}

TEST(KernelDiagnostics, AnEndlessLoopEndsAtTheLimit) {
  const ScratchDir scratch;
  const std::string kernel =
      scratch.write("kernel.py", with_body("    i = 0\n    while i < 1:\n        i = i * 1\n"));
  const Finished run = a2a3sim({"run", kernel, "-d", "0,1", "--max-steps", "20000000"});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, "more than 20000000 steps; --max-steps sets the limit"));
  // Fifty times as long without the option: some seconds.
  EXPECT_TRUE(contains(a2a3sim({"run", "--help"}).out, "--max-steps UINT=1000000000"));
}

TEST(KernelDiagnostics, ADeadlockNamesWhoSkippedTheCollective) {
  const ScratchDir scratch;
  const std::string kernel = scratch.write(
      "kernel.py", with_body("    if me != 1:\n        pld.tensor.barrier(signal)\n"));
  for (const char* engine : {"timed", "untimed"}) {
    for (const int ranks : {2, 3, 4, 5, 7, 8}) {
      const Finished run = a2a3sim({"run", kernel, "-d", devices(ranks), "--engine", engine});
      EXPECT_EQ(run.status, 3);
      EXPECT_TRUE(contains(run.err,
                           "this barrier waits for all ranks of its windows: rank 1 finished "
                           "without entering it"));
    }
  }
}

TEST(KernelDiagnostics, AFaultNamesItsBlock) {
  const ScratchDir scratch;
  const std::string kernel = scratch.write(
      "kernel.py",
      replaced(with_body("    b = pl.tile.get_block_idx()\n    n = 8 // (3 - b)\n    y = pl.store("
                         "pl.load(x, [0, 0], [1, 64]), [n * 0, 0], y)\n"),
               "pl.spmd(1)", "pl.spmd(4)"));
  for (const char* engine : {"timed", "untimed"}) {
    const Finished run = a2a3sim({"run", kernel, "-d", "0,1,2", "--engine", engine});
    EXPECT_EQ(run.status, 1);
    EXPECT_TRUE(contains(run.err, "division by zero"));
    EXPECT_TRUE(contains(run.err, ", block 3 of 4"));
  }
}

TEST(KernelDiagnostics, HostCollectivesAreHeldToTheRanksOfTheRun) {
  const ScratchDir scratch;
  const std::string text = R"(import pypto.language as pl
import pypto.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def publish(x: pl.Tensor[[1, 64], pl.FP32], y: pl.Out[pl.Tensor[[1, 64], pl.FP32]],
            data: pld.DistributedTensor[[4, 64], pl.FP32]):
    t = pl.load(x, [0, 0], [1, 64])
    data = pl.store(t, [0, 0], data)
    y = pl.store(t, [0, 0], y)
    return y


@pl.jit
def chip(x: pl.Tensor[[1, 64], pl.FP32], y: pl.Out[pl.Tensor[[1, 64], pl.FP32]],
         data: pld.DistributedTensor[[4, 64], pl.FP32]):
    publish(x, y, data)


@pl.jit.host
def host(x: pl.Tensor[[NR, 1, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 64], pl.FP32]]):
    buf = pld.alloc_window_buffer([4, 64], dtype=pl.FP32)
    sig_buf = pld.alloc_window_buffer([8], dtype=pl.INT32)
    data = pld.window(buf, [4, 64], dtype=pl.FP32)
    signal = pld.window(sig_buf, [8], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        chip(x[r], y[r], data, device=r)
    CALL
)";
  const auto run = [&](const std::string& call, int ranks) {
    const std::string kernel = scratch.write("kernel.py", replaced(text, "CALL", call));
    return a2a3sim({"run", kernel, "-d", devices(ranks)});
  };
  for (const int ranks : {1, 2, 3, 4, 5, 7, 8}) {
    const Finished broadcast = run("pld.tensor.broadcast(data, signal, root=4)", ranks);
    EXPECT_EQ(broadcast.status == 0, ranks > 4) << broadcast.err;
    if (ranks <= 4) {
      EXPECT_TRUE(contains(broadcast.err,
                           "pld.tensor.broadcast root (4) must be a valid rank in "
                           "[0, " +
                               std::to_string(ranks) + ")"));
    }
    const Finished scatter = run("pld.tensor.reduce_scatter(data, signal)", ranks);
    EXPECT_EQ(scatter.status == 0, ranks <= 4) << scatter.err;
    if (ranks > 4) {
      EXPECT_TRUE(contains(scatter.err,
                           "pld.tensor.reduce_scatter target must be 2D [NR, SIZE] "
                           "with a row for each rank: it has 4 rows"));
    }
  }
}

}  // namespace
}  // namespace a2a3::test::host_boxes_test
