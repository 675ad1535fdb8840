// SPDX-License-Identifier: Apache-2.0
// Kernel files that cannot be read or are wrong: exit status 1, every mistake with its place.
#include <gtest/gtest.h>

#include "program.hpp"

namespace a2a3::test::bad_kernel_test {
namespace {

Finished run_text(const std::string& text) {
  const ScratchDir scratch;
  return a2a3sim({"run", scratch.write("kernel.py", text)});
}

TEST(BadKernel, Empty) {
  const Finished run = run_text("");
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, "kernel.py"));
}

TEST(BadKernel, NoProgramInIt) {
  const Finished run = run_text("import torch\nprint('hello')\n");
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, "kernel.py"));
}

TEST(BadKernel, Binary) {
  std::string bytes;
  for (int i = 0; i < 4096; ++i)
    bytes += static_cast<char>(i * 31 + i / 7);
  const Finished run = run_text(bytes);
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, "kernel.py"));
}

TEST(BadKernel, UnterminatedString) {
  const Finished run = run_text("import pypto.language as pl\nX = \"no end\n");
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, "kernel.py:2:5"));
}

TEST(BadKernel, TabsAndSpacesMixed) {
  const Finished run = run_text(
      "import pypto.language as pl\n@pl.jit.host\ndef f(x: pl.Tensor[[1, 8], pl.FP32]):\n"
      "        a = 1\n\tb = 2\n");
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, "kernel.py:5"));
}

TEST(BadKernel, WhatABrokenLineTookWithItIsNoFurtherError) {
  const auto data = std::filesystem::path(A2A3_SOURCE_DIR) / "tests/system/data";
  const std::string kernel = read_file(data / "two_programs.py");
  const std::string factory = read_file(data / "pasted_class.py");
  const ScratchDir scratch;
  for (const std::string& broken :
       {"X = " + std::string(300, '[') + std::string(300, ']') + "\n" + kernel,
        std::string("# a\0b\n", 6) + factory,
        replaced(factory, "def build_sum(n_ranks: int,", "def build_sum(n_ranks: int,,"),
        replaced(factory, "    return SumProgram", "    return SumProgram)"),
        replaced(factory, "class SumProgram:", "class SumProgram"),
        replaced(factory, "x: pl.Tensor[[n_ranks, 1, COLS], dtype],",
                 "x pl.Tensor[[n_ranks, 1, COLS], dtype],"),
        replaced(factory, "ctx = pld.get_comm_ctx(data)", "ctx = pld.get_comm_ctx(data")}) {
    const Finished run = a2a3sim(
        {"run", scratch.write("kernel.py", broken), "--entry", "build_sum", "--set", "scale=1"});
    EXPECT_EQ(run.status, 1);
    EXPECT_EQ(run.err.find("error:"), run.err.rfind("error:")) << run.err;
  }
}

TEST(BadKernel, DeepNesting) {
  const std::string deep(10000, '(');
  const Finished brackets = run_text("X = " + deep + "1" + std::string(10000, ')') + "\n");
  EXPECT_EQ(brackets.status, 1);
  EXPECT_TRUE(contains(brackets.err, "kernel.py:1"));
  std::string blocks = "import pypto.language as pl\n@pl.jit.host\ndef f():\n";
  for (int i = 1; i < 10000; ++i)
    blocks += std::string(i, ' ') + "if True:\n";
  const Finished nested = run_text(blocks + std::string(10000, ' ') + "pass\n");
  EXPECT_EQ(nested.status, 1);
  EXPECT_TRUE(contains(nested.err, "--max-"));
}

TEST(BadKernel, TenMistakesAreTenErrors) {
  const std::string kernel = R"(import pypto.language as pl
import pypto.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[1, 64], pl.FP32], y: pl.Out[pl.Tensor[[1, 64], pl.FP32]],
           data: pld.DistributedTensor[[2, 64], pl.FP32], signal: pld.DistributedTensor[[2, 1], pl.INT32]):
    ctx = pld.get_comm_ctx(x)
    t = pl.load(x, [0, 0], [1, 64])
    u = pl.load(x, [0], [1, 64])
    v = pl.addd(t, t)
    w = pl.add(t, missing)
    pld.system.notify(signal, peer=0, offsets=[0], value=1, op=pld.NotifyOp.AtomicAdd)
    pld.system.wait(signal, offsets=[0, 0], expected=1)
    z = pld.tile.remote_load(x, peer=0, offsets=[0, 0], shape=[1, 64])
    pl.store(t, [0, 0], y, colour=1)
    q = pl.load(x, [0, 0], [1, 72])
    y = pl.store(y, [0, 0], y)
    return y


@pl.jit
def chip(x: pl.Tensor[[1, 64], pl.FP32], y: pl.Out[pl.Tensor[[1, 64], pl.FP32]],
         data: pld.DistributedTensor[[2, 64], pl.FP32], signal: pld.DistributedTensor[[2, 1], pl.INT32]):
    y = kernel(x, y, data, signal)
    return y


@pl.jit.host
def host(x: pl.Tensor[[2, 1, 64], pl.FP32], y: pl.Out[pl.Tensor[[2, 1, 64], pl.FP32]]):
    data_buf = pld.alloc_window_buffer(512)
    signal_buf = pld.alloc_window_buffer(8)
    for r in pl.range(pld.world_size()):
        data = pld.window(data_buf, [2, 64], dtype=pl.FP32)
        signal = pld.window(signal_buf, [2, 1], dtype=pl.INT32)
        chip(x[r], y[r], data, signal, device=r)
    return y
)";
  const Finished run = run_text(kernel);
  EXPECT_EQ(run.status, 1);
  std::size_t errors = 0;
  for (std::size_t at = run.err.find(": error: "); at != std::string::npos;
       at = run.err.find(": error: ", at + 1)) {
    ++errors;
  }
  EXPECT_EQ(errors, 10) << run.err;
  for (const int line : {8, 10, 11, 12, 13, 14, 15, 16, 17, 18}) {
    EXPECT_TRUE(contains(run.err, "kernel.py:" + std::to_string(line) + ":"));
  }
}

TEST(BadKernel, YamlGivenAsKernel) {
  const Finished run = a2a3sim({"run", "examples/13_allgather.yaml"});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, "13_allgather.yaml"));
}

TEST(BadRunFile, MistakesHaveTheirPlaces) {
  const ScratchDir scratch;
  const std::filesystem::path data = std::filesystem::path(A2A3_SOURCE_DIR) / "tests/system/data";
  const std::string kernel = scratch.write("k.py", read_file(data / "unannotated.py"));
  const auto run = [&](const std::string& yaml) {
    scratch.write("k.yaml", yaml);
    return a2a3sim({"run", kernel});
  };
  EXPECT_TRUE(contains(run("golden: {y: x}\n").err, "k.yaml:1:1"));
  EXPECT_TRUE(contains(run("goldens: {z: x}\n").err, "k.yaml:1:"));
  EXPECT_TRUE(contains(run("inputs: {z: constant(1)}\n").err, "k.yaml:1:"));
  EXPECT_TRUE(contains(run("\nset: {SIEZ: 3}\n").err, "k.yaml:2:"));
  EXPECT_TRUE(contains(run("goldens:\n  y: concat(w)\n").err, "k.yaml:2:13: error"));
  EXPECT_TRUE(contains(run("goldens:\n  y: \"concat(w)\"\n").err, "k.yaml:2:14: error"));
  EXPECT_TRUE(contains(run("goldens:\n  y: concat(x\n").err, "k.yaml:2:"));
  EXPECT_TRUE(contains(run("goldens:\n  y: >\n    concat(w)\n").err, "k.yaml:2:"));
  EXPECT_TRUE(contains(run("inputs:\n  x: norml(seed=1)\n").err, "k.yaml:2:6: error"));
  EXPECT_TRUE(contains(run("inputs: {x: 'constant(w)'}\n").err, "k.yaml:1:23: error"));
  EXPECT_TRUE(contains(run("inputs:\n  x: nothing.npy\n").err, "k.yaml:2:6: error"));
  EXPECT_TRUE(contains(run("ranks: {min: 3}\n").err, "k.yaml:1:"));
  EXPECT_TRUE(contains(run("").err, "k.yaml:1:1: error: the file is empty"));
  for (const std::string yaml :
       {"- a\n- b\n", "x: [1, 2\n", "goldens: {y: {deep: {er: 1}}}\n", "modes: 3\n"}) {
    const Finished finished = run(yaml);
    EXPECT_EQ(finished.status, 1) << yaml;
    EXPECT_TRUE(contains(finished.err, "k.yaml:"));
  }
}

}  // namespace
}  // namespace a2a3::test::bad_kernel_test
