// SPDX-License-Identifier: Apache-2.0
// Inline kernels, manual scopes and waiters of per-device functions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ir/printer.hpp"
#include "kernel_text.hpp"
#include "kernels.hpp"

namespace a2a3::interp::launch_scope_test {
namespace {

/// A program whose per-device function has this body, over x, y [2, 8] and a window of cells
/// [4, 1]; `s` is the rank.
std::string with_chip(const std::string& body, const std::string& kernels = "") {
  const std::string parameters =
      "x: pl.Tensor[[2, 8], pl.FP32], y: pl.Out[pl.Tensor[[2, 8], pl.FP32]],\n"
      "         cells: pld.DistributedTensor[[4, 1], pl.INT32], s: pl.Scalar[pl.INT32]";
  return kImports + "NR = pl.dynamic(\"NR\")\n" + kernels + "\n@pl.jit\ndef chip(" + parameters +
         "):\n" + body + R"(
@pl.jit.host
def host(x: pl.Tensor[[NR, 2, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 2, 8], pl.FP32]]):
    buf = pld.alloc_window_buffer([4, 1], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        cells = pld.window(buf, [4, 1], dtype=pl.INT32)
        chip(x[r], y[r], cells, r, device=r)
)";
}

TextRun run_ranks(const std::string& text, std::int64_t ranks,
                  std::optional<std::uint64_t> seed = {}) {
  TextOptions options;
  options.ranks = ranks;
  options.seed = seed;
  return run_text(text, options);
}

void expect_elements(const TextRun& run, const std::function<double(int)>& value) {
  ASSERT_TRUE(run.finished()) << run.text();
  const isa::Array& y = run.arrays.at("y");
  for (std::int64_t i = 0; i < y.elements(); ++i)
    ASSERT_EQ(y.at(i), value(static_cast<int>(i))) << i;
}

TEST(LaunchScope, InlineCodeIsAKernelOfTheTensorsAndScalarsItReads) {
  const TextRun run = run_ranks(with_chip(R"(
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="doubled"):
        t = pl.load(x, [0, 0], [2, 8])
        y = pl.store(pl.add(pl.add(t, t), s), [0, 0], y)
)"),
                                3);
  expect_elements(run, [](int i) { return 2.0 * (i + 1) + i / 16; });
  ASSERT_EQ(run.plan.tasks.size(), 3u);
  EXPECT_EQ(run.plan.tasks[0].kernel->name, "doubled");
  EXPECT_EQ(run.plan.tasks[0].kernel->parameters.size(), 3u);
}

TEST(LaunchScope, TemporariesOfTheSameNameStayInTheirScopes) {
  const TextRun run = run_ranks(with_chip(R"(
    m = pl.create_tensor([2, 8], dtype=pl.FP32)
    with pl.at(level=pl.Level.CORE_GROUP):
        t = pl.load(x, [0, 0], [2, 8])
        m = pl.store(pl.mul(t, 3.0), [0, 0], m)
    with pl.at(level=pl.Level.CORE_GROUP, role=pl.Role.Worker):
        t = pl.load(m, [0, 0], [2, 8])
        t = pl.add(t, 1.0)
        y = pl.store(t, [0, 0], y)
    return y
)"),
                                2);
  expect_elements(run, [](int i) { return 3.0 * (i + 1) + 1; });
  EXPECT_EQ(run.plan.launches[1].after, (std::vector<std::uint32_t>{0}));
}

TEST(LaunchScope, ANameBoundInsideIsTheBufferOutside) {
  const TextRun run = run_ranks(with_chip(R"(
    m = pl.create_tensor([2, 8], dtype=pl.FP32)
    with pl.at(level=pl.Level.CORE_GROUP):
        a = pl.store(pl.load(x, [0, 0], [2, 8]), [0, 0], m)
        b = pl.store(pl.load(x, [1, 0], [1, 8]), [0, 0], y)
    with pl.at(level=pl.Level.CORE_GROUP):
        b = pl.store(pl.load(a, [0, 0], [1, 8]), [1, 0], b)
    return b
)"),
                                1);
  expect_elements(run, [](int i) { return i < 8 ? i + 9.0 : i - 7.0; });
}

TEST(LaunchScope, LoopsOfThePerDeviceFunctionLaunchAgainAndAgain) {
  const TextRun run = run_ranks(with_chip(R"(
    with pl.at(level=pl.Level.CORE_GROUP):
        y = pl.store(pl.load(x, [0, 0], [2, 8]), [0, 0], y)
    for i in pl.range(4):
        with pl.at(level=pl.Level.CORE_GROUP):
            t = pl.load(y, [0, 0], [2, 8])
            y = pl.store(pl.add(t, pl.cast(i, pl.INT32)), [0, 0], y)
)"),
                                2);
  expect_elements(run, [](int i) { return i + 1.0 + 6; });
  EXPECT_EQ(run.plan.tasks.size(), 10u);
}

TEST(LaunchScope, SpmdTakesInlineCode) {
  for (const char* head : {"for b in pl.spmd(2):\n", "with pl.spmd(2):\n"}) {
    const std::string index =
        std::string(head).starts_with("with") ? "        b = pl.tile.get_block_idx()\n" : "";
    const TextRun run = run_ranks(with_chip(std::string("    ") + head + index + R"(
        t = pl.load(x, [b, 0], [1, 8])
        y = pl.store(pl.add(t, pl.cast(b * 10, pl.INT32)), [b, 0], y)
)"),
                                  3);
    expect_elements(run, [](int i) { return i + 1.0 + i / 8 % 2 * 10; });
    EXPECT_EQ(run.plan.launches[0].blocks, 2u);
  }
}

TEST(LaunchScope, TheHostFunctionCanHoldThePerDeviceOneInline) {
  const TextRun run = run_ranks(kImports + R"(
@pl.jit.host
def host(x: pl.Tensor[[1, 2, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 2, 8], pl.FP32]]):
    a = x[0]
    b = y[0]
    with pl.at(level=pl.Level.CHIP, role=pl.Role.Orchestrator):
        with pl.at(level=pl.Level.CORE_GROUP):
            b = pl.store(pl.add(pl.load(a, [0, 0], [2, 8]), 5.0), [0, 0], b)
)",
                                1);
  expect_elements(run, [](int i) { return i + 6.0; });
}

TEST(LaunchScope, AScopeOfTheHostFunctionTakesKernelCallsAndBlocks) {
  for (const std::string body : {"            b[0:2, 0:8] = k(a, b, 5.0)\n",
                                 "            for i in pl.spmd(1):\n"
                                 "                b = k(a, b, 5.0)\n",
                                 "            b = k(a, b, 2.0)\n"
                                 "            with pl.at(level=pl.Level.CORE_GROUP):\n"
                                 "                b = pl.store(pl.add(pl.load(b, [0, 0], [2, 8]), "
                                 "3.0), [0, 0], b)\n"}) {
    const TextRun run = run_ranks(kImports + R"(
@pl.jit.incore
def k(x: pl.Tensor[[2, 8], pl.FP32], y: pl.Out[pl.Tensor[[2, 8], pl.FP32]],
      s: pl.Scalar[pl.FP32]):
    y = pl.store(pl.add(pl.load(x, [0, 0], [2, 8]), s), [0, 0], y)
    return y

@pl.jit.host
def host(x: pl.Tensor[[1, 2, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 2, 8], pl.FP32]]):
    for r in pl.range(pld.world_size()):
        a = x[r]
        b = y[r]
        with pl.at(level=pl.Level.CHIP):
)" + body,
                                  1);
    ASSERT_TRUE(run.finished()) << body << run.text();
    expect_elements(run, [](int i) { return i + 6.0; });
  }
}

TEST(LaunchScope, DepsOrderTasksThatShareNothing) {
  const TextRun run = run_ranks(with_chip(R"(
    a = pl.create_tensor([1, 8], dtype=pl.FP32)
    b = pl.create_tensor([1, 8], dtype=pl.FP32)
    with pl.at(level=pl.Level.CORE_GROUP) as first:
        a = pl.store(pl.load(x, [0, 0], [1, 8]), [0, 0], a)
    with pl.at(level=pl.Level.CORE_GROUP) as second:
        b = pl.store(pl.load(x, [1, 0], [1, 8]), [0, 0], b)
    with pl.at(level=pl.Level.CORE_GROUP, deps=[second, first]):
        y = pl.store(pl.tile.full([2, 8], dtype=pl.FP32, value=1.0), [0, 0], y)
)"),
                                1);
  ASSERT_TRUE(run.finished()) << run.text();
  EXPECT_TRUE(run.plan.launches[1].after.empty());
  EXPECT_EQ(run.plan.launches[2].after, (std::vector<std::uint32_t>{0, 1}));
}

TEST(LaunchScope, AManualScopeLeavesTheOrderToDeps) {
  const auto program = [](const std::string& deps) {
    return with_chip(R"(
    with pl.at(level=pl.Level.CORE_GROUP):
        y = pl.store(pl.load(x, [0, 0], [2, 8]), [0, 0], y)
    with pl.manual_scope():
        with pl.at(level=pl.Level.CORE_GROUP) as one:
            y = pl.store(pl.add(pl.load(y, [0, 0], [1, 8]), 1.0), [0, 0], y)
        with pl.at(level=pl.Level.CORE_GROUP)" +
                     deps + R"():
            y = pl.store(pl.mul(pl.load(y, [0, 0], [2, 8]), 2.0), [0, 0], y)
    with pl.at(level=pl.Level.CORE_GROUP):
        y = pl.store(pl.add(pl.load(y, [0, 0], [2, 8]), 0.5), [0, 0], y)
)");
  };
  using After = std::vector<std::uint32_t>;
  const TextRun free = run_ranks(program(""), 1);
  ASSERT_TRUE(free.finished()) << free.text();
  EXPECT_EQ(free.plan.launches[1].after, (After{0}));
  EXPECT_EQ(free.plan.launches[2].after, (After{0}));
  EXPECT_EQ(free.plan.launches[3].after, (After{0, 1, 2}));
  const TextRun ordered = run_ranks(program(", deps=[one]"), 1);
  EXPECT_EQ(ordered.plan.launches[2].after, (After{0, 1}));
  expect_elements(ordered, [](int i) { return 2.0 * (i + 1 + (i < 8 ? 1 : 0)) + 0.5; });
}

/// Ranks push their number round the ring; a waiter task lets the reading one start.
const std::string kWaiter = R"(
    with pl.at(level=pl.Level.CORE_GROUP):
        c = pld.get_comm_ctx(cells)
        right = (pld.rank(c) + 1) % pld.nranks(c)
        pld.system.notify(cells, peer=right, offsets=[1, 0], value=s + 1, op=pld.NotifyOp.Set)
        pld.system.notify(cells, peer=right, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="waiter") as arrived:
        pld.system.defer_wait(cells, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)
    with pl.at(level=pl.Level.CORE_GROUP, deps=[arrived]):
        v = pl.read(cells, [1, 0])
        y = pl.store(pl.add(pl.load(x, [0, 0], [2, 8]), v), [0, 0], y)
)";

TEST(DeferWait, LetsLaterTasksStartWhenTheConditionHolds) {
  for (const int ranks : {1, 2, 3, 5, 8}) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const TextRun run = run_ranks(with_chip(kWaiter), ranks, seed);
      expect_elements(run, [&](int i) { return i + 1.0 + (i / 16 + ranks - 1) % ranks + 1; });
    }
  }
}

TEST(DeferWait, OccupiesNoCore) {
  // One core: a kernel that waits would keep the one that signals from running.
  TextOptions options;
  options.ranks = 1;
  options.limits.vector_cores = 1;
  const std::string text = kImports + R"(
@pl.jit
def chip(y: pl.Out[pl.Tensor[[1, 8], pl.FP32]], a: pld.DistributedTensor[[1, 1], pl.INT32],
         b: pld.DistributedTensor[[1, 1], pl.INT32]):
    with pl.at(level=pl.Level.CORE_GROUP) as waiter:
        pld.system.defer_wait(a, offsets=[0, 0], expected=2, cmp=pld.WaitCmp.Ge)
    with pl.at(level=pl.Level.CORE_GROUP, deps=[waiter]):
        y = pl.store(pl.tile.full([1, 8], dtype=pl.FP32, value=3.0), [0, 0], y)
    with pl.manual_scope():
        with pl.at(level=pl.Level.CORE_GROUP):
            pld.system.notify(a, peer=0, offsets=[0, 0], value=2, op=pld.NotifyOp.AtomicAdd)

@pl.jit.host
def host(y: pl.Out[pl.Tensor[[1, 1, 8], pl.FP32]]):
    a_buf = pld.alloc_window_buffer([1, 1], dtype=pl.INT32)
    b_buf = pld.alloc_window_buffer([1, 1], dtype=pl.INT32)
    a = pld.window(a_buf, [1, 1], dtype=pl.INT32)
    b = pld.window(b_buf, [1, 1], dtype=pl.INT32)
    chip(y[0], a, b, device=0)
)";
  // The signal's window orders the two, so the signal must come from elsewhere: this hangs.
  const TextRun run = run_text(text, options);
  ASSERT_NE(run.run, nullptr) << run.text();
  EXPECT_EQ(run.result.outcome, UntimedResult::Outcome::deadlock);
  ASSERT_EQ(run.result.blocked.size(), 1u);
  EXPECT_TRUE(run.result.blocked[0].deferred);
  EXPECT_EQ(run.result.blocked[0].value, 0);

  // Both in one manual scope: the signal comes, on the only core.
  std::string manual = text;
  const auto move = [&](const std::string& from, const std::string& to) {
    const std::size_t at = manual.find(from);
    ASSERT_NE(at, std::string::npos);
    manual.replace(at, from.size(), to);
  };
  move("    with pl.manual_scope():\n", "");
  move("    with pl.at(level=pl.Level.CORE_GROUP) as waiter:\n        pld",
       "    with pl.manual_scope():\n        with pl.at(level=pl.Level.CORE_GROUP) as waiter:\n"
       "            pld");
  move("    with pl.at(level=pl.Level.CORE_GROUP, deps=[waiter]):\n        y",
       "        with pl.at(level=pl.Level.CORE_GROUP, deps=[waiter]):\n            y");
  const TextRun free = run_text(manual, options);
  expect_elements(free, [](int) { return 3.0; });
}

TEST(DeferWait, ComparesUnsigned) {
  // -1 is the largest value there is.
  const TextRun run = run_ranks(with_chip(R"(
    with pl.at(level=pl.Level.CORE_GROUP):
        r = pld.rank(pld.get_comm_ctx(cells))
        pld.system.notify(cells, peer=r, offsets=[0, 0], value=-1, op=pld.NotifyOp.Set)
    with pl.at(level=pl.Level.CORE_GROUP) as w:
        pld.system.defer_wait(cells, offsets=[0, 0], expected=1000, cmp=pld.WaitCmp.Ge)
    with pl.at(level=pl.Level.CORE_GROUP, deps=[w]):
        y = pl.store(pl.load(x, [0, 0], [2, 8]), [0, 0], y)
)"),
                                2);
  expect_elements(run, [](int i) { return i + 1.0; });
}

TEST(DeferWait, HasSixtyFourConditionsAtMost) {
  const auto run = [](int scopes, int conditions) {
    std::string body;
    for (int i = 0; i < scopes; ++i) {
      body += fmt::format(
          "    with pl.at(level=pl.Level.CORE_GROUP):\n        for i in pl.range({}):\n"
          "            pld.system.defer_wait(cells, offsets=[i % 4, 0], expected=0, "
          "cmp=pld.WaitCmp.Ge)\n",
          conditions);
    }
    return run_ranks(with_chip(body), 1);
  };
  EXPECT_TRUE(run(3, 64).finished());
  const TextRun many = run(1, 65);
  EXPECT_NE(many.text().find("more than 64 pld.system.defer_wait conditions in one task"),
            std::string::npos)
      << many.text();
}

TEST(LaunchScope, TheOutlinedProgramIsAProgram) {
  const TextRun first = plan_text(with_chip(kWaiter));
  ASSERT_FALSE(first.diagnostics.has_errors()) << first.text();
  const std::string printed = ir::print(*first.module);
  const TextRun again = run_ranks(printed, 3);
  expect_elements(again, [](int i) { return i + 1.0 + (i / 16 + 2) % 3 + 1; });
}

TEST(LaunchScope, AHintThatIsNoNameNamesNothing) {
  for (const std::string hint : {"class", "two words", "1st", ""}) {
    std::string text = with_chip(kWaiter);
    text.replace(text.find("\"waiter\""), 8, '"' + hint + '"');
    const TextRun first = plan_text(text);
    ASSERT_FALSE(first.diagnostics.has_errors()) << first.text();
    const TextRun again = run_ranks(ir::print(*first.module), 3);
    EXPECT_TRUE(again.finished()) << hint << "\n" << again.text();
  }
}

}  // namespace
}  // namespace a2a3::interp::launch_scope_test
