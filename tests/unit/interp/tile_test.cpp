// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernel_text.hpp"
#include "kernels.hpp"

namespace a2a3::interp::tile_test {
namespace {

TextRun run_one(const std::string& body, const TextOptions& base = {},
                const std::string& rows = "4", const std::string& cols = "64",
                const std::string& dtype = "FP32") {
  TextOptions options = base;
  options.ranks = 1;
  if (!options.input) {
    options.input = [](const std::string& name, std::int64_t i) {
      return name == "x" ? static_cast<double>(i % 100) : 0.0;
    };
  }
  return run_text(around(body, rows, cols, dtype), options);
}

/// The tile addresses of a run, in the order of the instructions that write them.
std::vector<std::uint32_t> written_offsets(const std::string& body) {
  TextOptions options;
  options.ranks = 1;
  const TextRun run = plan_text(around(body), options);
  EXPECT_FALSE(run.diagnostics.has_errors()) << run.text();
  KernelRun cores(run.plan, {});
  std::vector<std::uint32_t> offsets;
  for (;;) {
    const isa::Fetch fetch = cores.cores()[0].source->next();
    if (fetch.status != isa::FetchStatus::instruction) return offsets;
    const isa::Operation& operation = fetch.instruction->operation;
    if (const auto* load = std::get_if<isa::TLoad>(&operation)) {
      offsets.push_back(load->dst.offset_bytes);
    } else if (const auto* binary = std::get_if<isa::TBinary>(&operation)) {
      offsets.push_back(binary->dst.offset_bytes);
    } else if (const auto* scalar = std::get_if<isa::TBinaryScalar>(&operation)) {
      offsets.push_back(scalar->dst.offset_bytes);
    } else if (const auto* cast = std::get_if<isa::TCast>(&operation)) {
      offsets.push_back(cast->dst.offset_bytes);
    }
  }
}

TEST(Tiles, ResultsTakeThePlaceOfDyingOperands) {
  EXPECT_EQ(written_offsets("    a = pl.load(x, [0, 0], [4, 64])\n"
                            "    b = pl.load(x, [0, 0], [4, 64])\n"
                            "    c = pl.add(a, b)\n"  // b lives on: a's place
                            "    d = pl.mul(b, c)\n"  // both die: the left one's place
                            "    e = pl.add(d, 1.0)\n"
                            "    pl.store(e, [0, 0], y)\n"),
            (std::vector<std::uint32_t>{0, 1024, 0, 1024, 1024}));
}

TEST(Tiles, ALivingOperandKeepsItsPlace) {
  EXPECT_EQ(written_offsets("    a = pl.load(x, [0, 0], [4, 64])\n"
                            "    b = pl.add(a, 1.0)\n"
                            "    c = pl.add(a, b)\n"
                            "    pl.store(c, [0, 0], y)\n"
                            "    d = pl.load(x, [0, 0], [4, 64])\n"
                            "    pl.store(d, [0, 0], y)\n"),
            (std::vector<std::uint32_t>{0, 1024, 0, 0}));
}

TEST(Tiles, AnAliasKeepsTheTileAlive) {
  EXPECT_EQ(written_offsets("    a = pl.load(x, [0, 0], [4, 64])\n"
                            "    b = a\n"
                            "    c = pl.add(a, 1.0)\n"
                            "    pl.store(b, [0, 0], y)\n"
                            "    pl.store(c, [0, 0], y)\n"),
            (std::vector<std::uint32_t>{0, 1024}));
}

TEST(Tiles, AWiderCastNeedsANewPlace) {
  EXPECT_EQ(written_offsets("    a = pl.load(x, [0, 0], [4, 64])\n"
                            "    b = pl.cast(a, pl.FP16)\n"
                            "    c = pl.cast(b, pl.FP32)\n"
                            "    pl.store(c, [0, 0], y)\n"),
            (std::vector<std::uint32_t>{0, 1024, 0}));
}

TEST(Tiles, ALoopOfLoadsUsesOnePlace) {
  EXPECT_EQ(written_offsets("    for i in pl.range(3):\n"
                            "        t = pl.load(x, [i, 0], [1, 64])\n"
                            "        pl.store(t, [i, 0], y)\n"),
            (std::vector<std::uint32_t>{0, 0, 0}));
}

TEST(Tiles, ArithmeticGivesTheRightNumbers) {
  const TextRun run = run_one(
      "    a = pl.load(x, [0, 0], [4, 64])\n"
      "    row = pl.load(x, [1, 0], [1, 64])\n"
      "    b = 100.0 - (a * 2.0 + row) / 4.0\n"
      "    b = pl.maximum(b, 20.0)\n"
      "    pl.store(b, [0, 0], y)\n");
  ASSERT_TRUE(run.finished()) << run.text();
  for (std::int64_t i = 0; i < 256; ++i) {
    const auto a = static_cast<double>(i % 100);
    const auto row = static_cast<double>((64 + i % 64) % 100);
    EXPECT_EQ(run.arrays.at("y").at(i), std::max(20.0, 100.0 - (a * 2.0 + row) / 4.0)) << i;
  }
}

TEST(Tiles, ValidShapeMovesOnlyItsBox) {
  const TextRun run = run_one(
      "    c = pld.get_comm_ctx(win)\n    n = pld.nranks(c)\n"
      "    t = pl.load(x, [1, 8], [2, 64], valid_shape=[n + 1, n + 4])\n"
      "    pl.store(t, [2, 3], y)\n"
      "    e = pl.load(x, [0, 0], [1, 64], valid_shape=[n - 1, 8])\n"
      "    pl.store(e, [0, 0], y)\n");
  ASSERT_TRUE(run.finished()) << run.text();
  const isa::Array& y = run.arrays.at("y");
  for (std::int64_t row = 0; row < 4; ++row) {
    for (std::int64_t col = 0; col < 64; ++col) {
      const bool inside = row >= 2 && col >= 3 && col < 8;
      const auto from = static_cast<double>(((row - 1) * 64 + col + 5) % 100);
      EXPECT_EQ(y.at(row * 64 + col), inside ? from : 0.0) << row << ", " << col;
    }
  }
}

TEST(Tiles, OverflowNamesTheLiveTiles) {
  const std::string body =
      "    a = pl.load(x, [0, 0], [512, 64])\n"
      "    b = pl.tile.full([128, 64], dtype=pl.FP32, value=1.0)\n"
      "    c = pl.tile.create([128, 64], pl.FP32)\n"
      "    pl.store(a, [0, 0], y)\n    pl.store(b, [0, 0], y)\n    pl.store(c, [0, 0], y)\n";
  const TextRun run = run_one(body, {}, "512");
  EXPECT_EQ(run.result.outcome, UntimedResult::Outcome::fault);
  const std::string text = run.text();
  EXPECT_NE(text.find("unified buffer overflow: tile \"c\" [128, 64] FP32 needs 32768 bytes, 24576 "
                      "of 188416 bytes are available"),
            std::string::npos)
      << text;
}

TEST(Tiles, OverflowListsSizesAndLines) {
  TextOptions options;
  options.limits.ub_bytes = 3000;
  const std::string body =
      "    a = pl.load(x, [0, 0], [4, 64])\n"
      "    b = pl.load(x, [0, 0], [4, 64])\n"
      "    c = pl.load(x, [0, 0], [4, 64])\n"
      "    pl.store(a, [0, 0], y)\n    pl.store(b, [0, 0], y)\n    pl.store(c, [0, 0], y)\n";
  const TextRun run = run_one(body, options);
  const std::string text = run.text();
  EXPECT_NE(text.find("tile \"c\" [4, 64] FP32 needs 1024 bytes, 952 of 3000 bytes are available"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("1024 bytes of it hold tile \"a\" [4, 64] FP32"), std::string::npos) << text;
  EXPECT_NE(text.find("1024 bytes of it hold tile \"b\" [4, 64] FP32"), std::string::npos) << text;
  EXPECT_EQ(place_of(run.diagnostics, "overflow"), position(around(body), "pl.load(x", 3));
}

TEST(Tiles, ElementsAreReadAndWritten) {
  const TextRun run = run_one(
      "    t = pl.load(x, [0, 0], [4, 64])\n"
      "    v = pl.read(t, [2, 5])\n"
      "    pl.write(t, [3, 63], v)\n"
      "    pl.store(t, [0, 0], y)\n");
  ASSERT_TRUE(run.finished()) << run.text();
  EXPECT_EQ(run.arrays.at("y").at(255), static_cast<double>((2 * 64 + 5) % 100));
  EXPECT_EQ(run.arrays.at("y").at(254), static_cast<double>(254 % 100));
}

TEST(Tiles, ColumnTilesAreColumnMajor) {
  const TextRun run = run_one(
      "    t = pl.load(x, [0, 2], [8, 1])\n"
      "    u = pl.add(t, t)\n"
      "    pl.store(u, [0, 0], y)\n",
      {}, "8");
  ASSERT_TRUE(run.finished()) << run.text();
  for (std::int64_t row = 0; row < 8; ++row) {
    EXPECT_EQ(run.arrays.at("y").at(row * 64), 2.0 * static_cast<double>((row * 64 + 2) % 100));
    EXPECT_EQ(run.arrays.at("y").at(row * 64 + 1), 0.0);
  }
}

}  // namespace
}  // namespace a2a3::interp::tile_test
