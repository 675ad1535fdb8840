// SPDX-License-Identifier: Apache-2.0
// Integers of a kernel that Python would compute otherwise: negative operands of // and %, and
// results that wrap around.
#include <gtest/gtest.h>

#include "edge_kernel.hpp"

namespace a2a3::test::arithmetic_test {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

struct Division {
  std::string text;
  std::string operand;
  std::string note;
};

TEST(Arithmetic, ConstantNegativeOperandsAreWarnedOf) {
  const Division divisions[] = {
      {"(0 - 7) // 2", "0 - 7", "-7 // 2 is -3 here, in Python -4; keep the dividend at 0 or more"},
      {"-7 % 3", "-7", "-7 % 3 is -1 here, in Python 2; to step back write (r + n - 1) % n"},
      {"A // 2", "A // 2", "-5 // 2 is -2 here, in Python -3; keep the dividend at 0 or more"},
      {"7 % (1 - 4)", "1 - 4",
       "7 % -3 is 1 here, in Python -2; to step back write (r + n - 1) % n"}};
  for (const Division& division : divisions) {
    const std::string text =
        replaced(edge_kernel({"k = " + division.text}), "NR = pl", "A = -5\nNR = pl");
    const Finished run = run_edge(text, 2);
    EXPECT_EQ(run.status, 0) << run.err;
    const std::string op = division.text.find('%') == std::string::npos ? "//" : "%";
    std::string at = place(text, division.operand);
    if (!contains(run.err, at)) at = place(text, "(" + division.operand);
    EXPECT_TRUE(contains(run.err, at + "warning: " + op + " has a negative operand in a kernel"));
    EXPECT_TRUE(contains(run.err, "kernels truncate toward zero: " + division.note + "\n"));
    EXPECT_EQ(count(run.err, "negative operand"), 1u) << run.err;
  }
  EXPECT_EQ(run_edge(edge_kernel({"k = 7 // 2", "l = 7 % 3", "m = (3 - 1) % 3"}), 2).err, "");
}

TEST(Arithmetic, APeerOfMinusOneComesWithItsReason) {
  const std::string text = edge_kernel({"prev = (0 - 1) % 3", notify("prev", "0", 1, "AtomicAdd")});
  const Finished run = run_edge(text, 3);
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, "peer -1"));
  EXPECT_TRUE(contains(run.err, "-1 % 3 is -1 here, in Python 2; to step back write"));
}

/// The kernel writes the scalar that the per-device function computed.
std::string chip_kernel(const std::string& scalar) {
  return R"(import pypto.language as pl
import pypto.language.distributed as pld

NR = pl.dynamic("NR")


@pl.program
class Program:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, y: pl.Out[pl.Tensor[[1, 8], pl.INT32]], q: pl.Scalar[pl.INT32]):
        for i in pl.range(8):
            pl.write(y, [0, i], q)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, y: pl.Out[pl.Tensor[[1, 8], pl.INT32]], r: pl.Scalar[pl.INT32]):
        q = )" +
         scalar + R"(
        y = self.kernel(y, q)
        return y

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, y: pl.Out[pl.Tensor[[NR, 1, 8], pl.INT32]]):
        for r in pl.range(pld.world_size()):
            self.chip(y[r], r, device=r)
        return y
)";
}

TEST(Arithmetic, APerDeviceFunctionTruncatesAsKernelsDoAndSaysSo) {
  for (const std::string dividend : {"(0 - 5)", "(r * 0 - 5)"}) {
    const std::string text = chip_kernel(dividend + " // 2");
    const Finished run = run_edge(text, 2, {"--set", "NR=2"}, "y: full(-2, 1, 8)");
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(contains(run.err, "warning: // has a negative operand in a per-device function"));
    EXPECT_TRUE(contains(run.err,
                         "per-device functions truncate, as kernels do, toward zero: -5 // 2 is -2 "
                         "here, in Python -3; keep the dividend at 0 or more\n"));
    EXPECT_EQ(count(run.err, "negative operand"), 1u) << run.err;
  }
}

TEST(Arithmetic, AResultThatWrapsAroundIsWarnedOfOnceForEachLine) {
  const std::string peer = "peer = (r + 1) * 1073741824 * 4";
  const std::string text =
      edge_kernel({"for i in pl.range(3):", "    " + peer, notify("peer", "me", 1, "AtomicAdd")});
  for (const std::string engine : {"timed", "untimed"}) {
    const Finished run = run_edge(text, 3, {"--engine", engine});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(count(run.err, "wraps around: "), 1u) << run.err;
    EXPECT_TRUE(contains(run.err, "does not fit into INT32\n"));
    EXPECT_TRUE(contains(run.err, "the device keeps the low 32 bits: the value is "));
  }
  const std::string rows = "row = (r * 0 + 4) * 4611686018427387904";
  const std::string wide =
      edge_kernel({rows, "win = pl.store(pl.load(x, [0, 0], [1, 64]), [row, 0], win)"});
  EXPECT_TRUE(contains(run_edge(wide, 1).err,
                       place(wide, rows.substr(6)) +
                           "warning: wraps around: 18446744073709551616 does not fit into INDEX"));
  const std::string sum = edge_kernel({"a = r + 2147483647", "b = a + 1", "c = b - 1"});
  EXPECT_TRUE(contains(run_edge(sum, 1).err, place(sum, "a + 1") +
                                                 "warning: wraps around: 2147483648 does not fit "
                                                 "into INT32"));
  EXPECT_TRUE(contains(run_edge(sum, 1).err, "the value is -2147483648 here"));
}

TEST(Arithmetic, ConstantsThatWrapAroundAreWarnedOf) {
  const std::string text = edge_kernel({"a = pl.const(2147483647, pl.INT32) + 1"});
  EXPECT_TRUE(
      contains(run_edge(text, 1).err, "warning: wraps around: 2147483648 does not fit into INT32"));
}

TEST(Arithmetic, AValueThatANotifyCannotHoldIsWarnedOf) {
  const std::string text =
      edge_kernel({"v = pl.const(4294967296, pl.INDEX) + r + 1",
                   "pld.system.notify(cells, peer=me, offsets=[0, 0], value=v, "
                   "op=pld.NotifyOp.AtomicAdd)"});
  const Finished run = run_edge(text, 1);
  EXPECT_TRUE(contains(run.err, "warning: wraps around: 4294967297 does not fit into INT32"));
}

TEST(Arithmetic, ThePlanIsComputedAsPythonDoes) {
  const std::string text =
      replaced(replaced(edge_kernel(), "    for r in pl.range(pld.world_size()):",
                        "    big = pld.world_size() * 4611686018427387904\n"
                        "    for r in pl.range(pld.world_size()):"),
               "chip(x[r]", "chip(x[r + big * 0]");
  const Finished run = run_edge(text, 3);
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, "error: the result 13835058055282163712 does not fit into INT64"));
  EXPECT_EQ(run_edge(text, 1).err, "");
}

TEST(Arithmetic, MessagesDoNotOverflow) {
  const std::string text = edge_kernel(
      {"q = 9223372036854775800 + r", "win = pl.store(pl.load(x, [0, 0], [1, 64]), [0, q], win)"});
  EXPECT_TRUE(contains(run_edge(text, 1).err, "columns 9223372036854775800..9223372036854775863"));
  const std::string least = edge_kernel({"v = me * 0", "w = (v - 2147483647 - 1) // (v - 1)"});
  const Finished run = run_edge(least, 1);
  EXPECT_TRUE(contains(run.err, "-2147483648 // -1 is -2147483648 here, in Python 2147483648"));
}

}  // namespace
}  // namespace a2a3::test::arithmetic_test
