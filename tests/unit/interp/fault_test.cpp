// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernel_text.hpp"
#include "kernels.hpp"

namespace a2a3::interp::fault_test {
namespace {

/// A kernel body that faults, with where and how.
struct Case {
  std::string name;
  std::string body;
  std::string at;       ///< text that the diagnostic points at
  std::string message;  ///< part of it
  int occurrence = 1;
};

void PrintTo(const Case& fault, std::ostream* out) {
  *out << fault.name;
}

std::string name_of(const ::testing::TestParamInfo<Case>& test) {
  return test.param.name;
}

class Fault : public ::testing::TestWithParam<Case> {};

TEST_P(Fault, IsReportedAtItsPlace) {
  const Case& fault = GetParam();
  const std::string text = around(fault.body);
  const TextRun run = run_text(text);
  ASSERT_NE(run.run, nullptr) << run.text();
  EXPECT_EQ(run.result.outcome, UntimedResult::Outcome::fault);
  EXPECT_NE(run.text().find(fault.message), std::string::npos) << run.text();
  EXPECT_EQ(place_of(run.diagnostics, fault.message), position(text, fault.at, fault.occurrence))
      << run.text();
}

const std::string kRank =
    "    c = pld.get_comm_ctx(win)\n    me = pld.rank(c)\n    n = pld.nranks(c)\n";

INSTANTIATE_TEST_SUITE_P(
    Bounds, Fault,
    ::testing::Values(
        Case{"load",
             kRank + "    t = pl.load(x, [me + 4, 0], [1, 64])\n    pl.store(t, [0, 0], y)\n",
             "pl.load(x", "load reads row 4 of \"x[0]\", which has 4 rows (offset 4, extent 1)"},
        Case{"load_columns",
             kRank + "    t = pl.load(x, [0, me + 60], [2, 8])\n    pl.store(t, [0, 0], y)\n",
             "pl.load(x", "load reads columns 60..67 of \"x[0]\", which has 64 columns"},
        Case{"negative_offset",
             kRank + "    t = pl.load(x, [me - 1, 0], [1, 64])\n    pl.store(t, [0, 0], y)\n",
             "pl.load(x", "load reads row -1 of \"x[0]\""},
        Case{"store",
             kRank + "    t = pl.load(x, [0, 0], [2, 64])\n    pl.store(t, [me + 3, 0], y)\n",
             "pl.store(t", "store writes rows 3..4 of \"y[0]\", which has 4 rows"},
        Case{"remote_load",
             kRank + "    t = pld.tile.remote_load(win, peer=(me + 1) % n, offsets=[me + 4, 0], "
                     "shape=[2, 64])\n    pl.store(t, [0, 0], y)\n",
             "pld.tile.remote_load",
             "remote_load reads rows 4..5 of \"win_buf\" on rank 1, which has 4 rows"},
        Case{"remote_store",
             kRank + "    t = pl.load(x, [0, 0], [2, 64])\n"
                     "    pld.tile.remote_store(t, win, peer=(me + 1) % n, offsets=[me + 3, 0])\n",
             "pld.tile.remote_store", "remote_store writes rows 3..4 of \"win_buf\" on rank 1"},
        Case{"notify_cell",
             kRank + "    pld.system.notify(cell, peer=me, offsets=[me + 4, 0], value=1, "
                     "op=pld.NotifyOp.Set)\n",
             "pld.system.notify", "notify addresses row 4 of \"cell_buf\" on rank 0"},
        Case{"wait_cell",
             kRank + "    pld.system.wait(cell, offsets=[me + 4, 0], expected=1, "
                     "cmp=pld.WaitCmp.Ge)\n",
             "pld.system.wait", "wait reads row 4 of \"cell_buf\""},
        Case{"read", kRank + "    v = pl.read(x, [0, me + 64])\n    pl.write(y, [0, 0], v)\n",
             "pl.read", "read reads column 64 of \"x[0]\""},
        Case{"write", kRank + "    pl.write(cell, [me + 4, 0], 7)\n", "pl.write",
             "write writes row 4 of \"cell_buf\""},
        Case{"valid_shape",
             kRank + "    t = pl.load(x, [0, 0], [2, 64], valid_shape=[me + 3, 64])\n"
                     "    pl.store(t, [0, 0], y)\n",
             "pl.load", "valid_shape[0] is 3, it must be in 0..2"},
        Case{"put_region",
             kRank + "    pld.tensor.put(win, (me + 1) % n, x, [me + 3, 0], [0, 0], [2, 64])\n",
             "pld.tensor.put", "put writes rows 3..4 of \"win_buf\" on rank 1"},
        Case{"get_region",
             kRank + "    pld.tensor.get(y, (me + 1) % n, win, [0, 0], [me + 3, 0], [2, 64])\n",
             "pld.tensor.get", "get reads rows 3..4 of \"win_buf\" on rank 1"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Peers, Fault,
    ::testing::Values(
        Case{"remote_load",
             kRank + "    t = pld.tile.remote_load(win, peer=me + 2, offsets=[0, 0], "
                     "shape=[1, 64])\n    pl.store(t, [0, 0], y)\n",
             "pld.tile.remote_load",
             "remote_load addresses peer 2, the domain of \"win_buf\" has ranks 0..1"},
        Case{"left_neighbour", kRank + "    pld.tensor.put(win, (me - 1) % n, x)\n",
             "pld.tensor.put", "put addresses peer -1"},
        Case{"notify",
             kRank + "    pld.system.notify(cell, peer=n, offsets=[0, 0], value=1, "
                     "op=pld.NotifyOp.Set)\n",
             "pld.system.notify", "notify addresses peer 2"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Others, Fault,
    ::testing::Values(
        Case{"division_by_zero", kRank + "    pl.write(y, [n // me, 0], 1.0)\n", "n // me",
             "division by zero: 2 // 0"},
        Case{"modulo_by_zero", kRank + "    pl.write(y, [n % me, 0], 1.0)\n", "n % me",
             "remainder of a division by zero: 2 % 0"},
        Case{"zero_step",
             kRank + "    for i in pl.range(0, 4, me):\n        pl.write(y, [i, 0], 1.0)\n",
             "for i in", "the loop's step is 0"},
        Case{"self_put_overlap",
             kRank + "    pld.tensor.put(win, (me + n) % n, win, [me + 1, 0], [0, 0], [2, 64])\n",
             "pld.tensor.put", "source and destination regions overlap"}),
    name_of);

TEST(FaultNotes, NameKernelDeviceAndRank) {
  const TextRun run = run_text(around(kRank + "    pl.write(y, [me + 3, 0], 1.0)\n"));
  // Rank 0 is right, rank 1 writes row 4.
  EXPECT_NE(run.text().find("in kernel \"kern\" on device 1 (rank 1 of 2)"), std::string::npos)
      << run.text();
}

TEST(FaultSteps, AnEndlessLoopEndsAtTheLimit) {
  TextOptions options;
  options.limits.max_steps = 10'000;
  const TextRun run =
      run_text(around(kRank + "    for i in pl.range(1000000000):\n        n = n + 1\n"), options);
  EXPECT_NE(run.text().find("more than 10000 steps; --max-steps"), std::string::npos) << run.text();
}

TEST(NegativeOperand, IsAWarningOncePerPlace) {
  const std::string text = around(
      kRank + "    for i in pl.range(5):\n        left = (me - 1) % n\n        z = left // 2\n");
  const TextRun run = run_text(text);
  ASSERT_TRUE(run.finished()) << run.text();
  int warnings = 0;
  for (const ir::Diagnostic& diagnostic : run.diagnostics.all()) {
    warnings += diagnostic.message.find("negative operand") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(warnings, 2) << run.text();
  EXPECT_EQ(place_of(run.diagnostics, "% has a negative operand"), position(text, "(me - 1) % n"));
  EXPECT_NE(run.text().find("-1 % 2 is -1 here, in Python 1"), std::string::npos) << run.text();
}

}  // namespace
}  // namespace a2a3::interp::fault_test
