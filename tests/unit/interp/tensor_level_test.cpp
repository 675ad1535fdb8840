// SPDX-License-Identifier: Apache-2.0
// Arithmetic on tensors, the two forms of remote_store, row sums and matrix products.
#include <cmath>

#include <gtest/gtest.h>

#include "kernel_text.hpp"
#include "kernels.hpp"

namespace a2a3::interp::tensor_level_test {
namespace {

TextRun run_on(const std::string& body, std::int64_t ranks, const std::string& rows,
               const std::string& cols, const std::string& dtype = "FP32") {
  TextOptions options;
  options.ranks = ranks;
  options.input = [](const std::string& name, std::int64_t i) {
    return name == "x" ? static_cast<double>(i % 13 - 6) : static_cast<double>(i % 5);
  };
  return run_text(around(body, rows, cols, dtype), options);
}

double input(const std::string& name, std::int64_t i) {
  return name == "x" ? static_cast<double>(i % 13 - 6) : static_cast<double>(i % 5);
}

TEST(TensorLevel, ArithmeticLoadsItsOperands) {
  const TextRun run = run_on(R"(
    z = pl.tensor.add(x, y)
    w = z * 2.0 - x
    row = pl.maximum(x[1:2, :], w[0:1, :])
    y[0:4, :] = w
    pl.assemble(y, row, [2, 0])
)",
                             1, "4", "64");
  ASSERT_TRUE(run.finished()) << run.text();
  const auto& out = run.arrays.at("y");
  for (std::int64_t i = 0; i < 256; ++i) {
    const auto w = [](std::int64_t at) {
      return (input("x", at) + input("y", at)) * 2 - input("x", at);
    };
    const double expected = i / 64 == 2 ? std::max(input("x", i - 64), w(i - 128)) : w(i);
    EXPECT_EQ(out.at(i), expected) << i;
  }
}

TEST(TensorLevel, AComputedTensorIsPushedToAPeer) {
  for (const std::int64_t ranks : {1, 2, 3, 4, 5, 7, 8}) {
    for (const std::string name : {"pld.tensor.remote_store", "pld.remote_store"}) {
      const TextRun run = run_on(R"(
    p = pld.nranks(pld.get_comm_ctx(win))
    chunk = pl.tensor.slice(x, [1, 64], [1, 0])
    win = )" + name + R"((chunk + chunk, target=win, peer=(r + 1) % p, offsets=[2, 0])
    pld.remote_store(pl.load(x, [0, 0], [1, 64]), win, (r + 1) % p, [3, 0])
    pld.system.notify(cell, (r + 1) % p, [0, 0], 1, op=pld.NotifyOp.AtomicAdd)
    pld.system.wait(cell, [0, 0], 1, cmp=pld.WaitCmp.Ge)
    y[0:2, :] = win[2:4, :]
)",
                                 ranks, "4", "64");
      ASSERT_TRUE(run.finished()) << run.text();
      for (std::int64_t rank = 0; rank < ranks; ++rank) {
        const std::int64_t left = (rank + ranks - 1) % ranks;
        for (std::int64_t col = 0; col < 64; ++col) {
          EXPECT_EQ(run.arrays.at("y").at(rank * 256 + col), 2 * input("x", left * 256 + 64 + col));
          EXPECT_EQ(run.arrays.at("y").at(rank * 256 + 64 + col), input("x", left * 256 + col));
        }
      }
    }
  }
}

TEST(TensorLevel, CastAndCarriedValues) {
  const TextRun run = run_on(R"(
    total = pl.tensor.cast(x[0:1, :], pl.FP32)
    for i in pl.range(1, 4):
        total = total + x[i:i + 1, :]
    if r == 0:
        out = pl.yield_(total * 10.0)
    else:
        out = pl.yield_(total)
    y[0, :] = out
    y[1, 0] = out[0, 5]
)",
                             2, "4", "64");
  ASSERT_TRUE(run.finished()) << run.text();
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    for (std::int64_t col = 0; col < 64; ++col) {
      double sum = 0;
      for (std::int64_t row = 0; row < 4; ++row)
        sum += input("x", rank * 256 + row * 64 + col);
      EXPECT_EQ(run.arrays.at("y").at(rank * 256 + col), rank == 0 ? 10 * sum : sum);
      if (col == 5) {
        EXPECT_EQ(run.arrays.at("y").at(rank * 256 + 64), rank == 0 ? 10 * sum : sum);
      }
    }
  }
}

TEST(TensorLevel, RowSums) {
  const TextRun run = run_on(R"(
    t = pl.load(x, [0, 0], [8, 24], valid_shape=[8, 17])
    tmp = pl.tile.create([8, 24], pl.FP32)
    s = pl.tile.row_sum(t, tmp)
    y = pl.store(pl.reshape(s, [1, 8]), [0, 0], y)
    y = pl.store(pl.row_sum(pl.load(x, [0, 0], [8, 24]), tmp), [0, 20], y)
)",
                             1, "8", "24");
  ASSERT_TRUE(run.finished()) << run.text();
  for (std::int64_t row = 0; row < 8; ++row) {
    double narrow = 0;
    double whole = 0;
    for (std::int64_t col = 0; col < 24; ++col) {
      if (col < 17) narrow += input("x", row * 24 + col);
      whole += input("x", row * 24 + col);
    }
    EXPECT_EQ(run.arrays.at("y").at(row), narrow);
    EXPECT_EQ(run.arrays.at("y").at(row * 24 + 20), whole);
  }
}

TEST(TensorLevel, MatrixProductOnEveryRank) {
  for (const std::int64_t ranks : {1, 2, 3, 4, 5, 7, 8}) {
    const TextRun run = run_on(R"(
    for i in pl.range(0, 32, 16):
        a = pl.load(x, [i, 0], [16, 32], target_memory=pl.MemorySpace.Mat)
        b = pl.load(y, [0, 0], [32, 32], target_memory=pl.MemorySpace.Mat)
        left = pl.move(a, target_memory=pl.MemorySpace.Left)
        right = pl.move(b, target_memory=pl.MemorySpace.Right)
        c = pl.matmul(left, right)
        win = pl.store(c, [i, 0], win)
    y[0:32, :] = win[0:32, :]
)",
                               ranks, "32", "32");
    ASSERT_TRUE(run.finished()) << run.text();
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      for (std::int64_t m = 0; m < 32; ++m) {
        for (std::int64_t n = 0; n < 32; ++n) {
          double sum = 0;
          for (std::int64_t k = 0; k < 32; ++k)
            sum += input("x", rank * 1024 + m * 32 + k) * input("y", rank * 1024 + k * 32 + n);
          ASSERT_EQ(run.arrays.at("y").at(rank * 1024 + m * 32 + n), sum) << m << " " << n;
        }
      }
    }
  }
}

TEST(TensorLevel, MatrixProductsOfInt8AccumulateInInt32) {
  const std::string text = kImports + R"(
@pl.jit.incore
def kern(a: pl.Tensor[[17, 40], pl.INT8], b: pl.Tensor[[40, 32], pl.INT8],
         c: pl.Out[pl.Tensor[[17, 32], pl.INT32]]):
    left = pl.load(a, [0, 0], [32, 64], valid_shape=[17, 40], target_memory=pl.MemorySpace.Mat)
    right = pl.load(b, [0, 0], [64, 32], valid_shape=[40, 32], target_memory=pl.MemorySpace.Mat)
    c = pl.store(pl.matmul(pl.move(left, pl.MemorySpace.Left), pl.move(right, pl.MemorySpace.Right)),
                 [0, 0], c)
    return c

@pl.jit
def chip(a, b, c):
    return kern(a, b, c)

@pl.jit.host
def host(a: pl.Tensor[[17, 40], pl.INT8], b: pl.Tensor[[40, 32], pl.INT8],
         c: pl.Out[pl.Tensor[[17, 32], pl.INT32]]):
    chip(a, b, c, device=0)
)";
  TextOptions options;
  options.ranks = 1;
  const auto value = [](const std::string& name, std::int64_t i) {
    return static_cast<double>(name == "a" ? i % 255 - 127 : i * 7 % 255 - 127);
  };
  options.input = value;
  const TextRun run = run_text(text, options);
  ASSERT_TRUE(run.finished()) << run.text();
  for (std::int64_t m = 0; m < 17; ++m) {
    for (std::int64_t n = 0; n < 32; ++n) {
      double sum = 0;
      for (std::int64_t k = 0; k < 40; ++k)
        sum += value("a", m * 40 + k) * value("b", k * 32 + n);
      ASSERT_EQ(run.arrays.at("c").at(m * 32 + n), sum) << m << " " << n;
    }
  }
}

TEST(TensorLevel, TheCubesMemoriesHaveSizes) {
  TextOptions options;
  options.ranks = 1;
  options.limits.l0a_bytes = 2048;
  const TextRun run = run_text(around(R"(
    a = pl.load(x, [0, 0], [32, 32], target_memory=pl.MemorySpace.Mat)
    l = pl.move(a, pl.MemorySpace.Left)
)",
                                      "32", "32"),
                               options);
  EXPECT_FALSE(run.finished());
  EXPECT_NE(run.text().find("L0A (MemorySpace.Left) overflow: tile \"l\" [32, 32] FP32 needs 4096 "
                            "bytes, 2048 of 2048 bytes are available"),
            std::string::npos)
      << run.text();
}

}  // namespace
}  // namespace a2a3::interp::tensor_level_test
