// SPDX-License-Identifier: Apache-2.0
// The relaxed machine: kernels that are right stay right on every order that it may take; what it
// shows without fences and with its other hazards. Scenario 6 of edge_cases.md.
#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "all_modes.hpp"
#include "edge_kernel.hpp"
#include "program.hpp"
#include "tools/run.hpp"

namespace a2a3::test::relaxed_test {
namespace {

using tools::ExitStatus;

class RelaxedExamples : public testing::TestWithParam<ExampleMode> {
 protected:
  static tools::ExecutedRun execute(const std::string& engine, int ranks, std::uint64_t seed) {
    tools::RunOptions options = measuring_run(GetParam(), ranks);
    options.check_goldens = true;
    options.memory = tools::kRelaxed;
    options.engine = engine;
    options.seed = seed;
    return tools::execute_run(options);
  }
  static void expect_right(const std::string& engine, int ranks, std::uint64_t seed) {
    SCOPED_TRACE(fmt::format("{} P={} seed {}", engine, ranks, seed));
    const tools::ExecutedRun run = execute(engine, ranks, seed);
    EXPECT_EQ(run.report.status, ExitStatus::ok) << ir::format(run.report.diagnostics);
    EXPECT_EQ(run.report.verdict(), "ok");
  }
};

TEST_P(RelaxedExamples, AreRightOnEveryOrder) {
  for (const int ranks : {1, 2, 3, 5}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed)
      expect_right("untimed", ranks, seed);
  }
}

TEST_P(RelaxedExamples, AreRightWithEveryDelay) {
  for (std::uint64_t seed = 0; seed < 3; ++seed)
    expect_right("timed", 3, seed);
}

INSTANTIATE_TEST_SUITE_P(Examples, RelaxedExamples, testing::ValuesIn(all_modes()), mode_name);

/// Rank 0 puts its [8, 64] in rows of two into rank 1's window and signals; rank 1 copies it out.
const std::string kPut = R"(import pypto.language as pl
import pypto.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def kernel(x: pl.Tensor[[8, 64], pl.FP32], y: pl.Out[pl.Tensor[[8, 64], pl.FP32]],
           win: pl.InOut[pld.DistributedTensor[[8, 64], pl.FP32]],
           cells: pl.InOut[pld.DistributedTensor[[8, 1], pl.INT32]]):
    ctx = pld.get_comm_ctx(win)
    me = pld.rank(ctx)
    y = pl.store(pl.load(x, [0, 0], [8, 64]), [0, 0], y)
    if me == 0:
        pld.tensor.put(win, peer=1, src=x, chunk_rows=2, chunk_cols=64)
        pld.system.notify(cells, peer=1, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
    if me == 1:
        pld.system.wait(cells, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)
        y = pl.store(pl.load(win, [0, 0], [8, 64]), [0, 0], y)


@pl.jit
def chip(x, y, win, cells):
    kernel(x, y, win, cells)


@pl.jit.host
def host(x: pl.Tensor[[NR, 8, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 8, 64], pl.FP32]]):
    win_buf = pld.alloc_window_buffer([8, 64], dtype=pl.FP32)
    cells_buf = pld.alloc_window_buffer([8, 1], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        win = pld.window(win_buf, [8, 64], dtype=pl.FP32)
        cells = pld.window(cells_buf, [8, 1], dtype=pl.INT32)
        chip(x[r], y[r], win, cells, device=r)
)";
const std::string kPutLine = "pld.tensor.put(win";
const std::string kLoadLine = "pl.load(win, [0, 0]";

class Scenario06 : public testing::TestWithParam<const char*> {
 protected:
  /// The machine has the lines `machine` beside a2a3sim.
  tools::ExecutedRun execute(const std::string& machine, std::uint64_t seed) const {
    tools::RunOptions options;
    options.file = scratch_.write("kernel.py", kPut);
    options.platform = scratch_.write("machine.yaml", "extends: a2a3sim\n" + machine);
    options.engine = GetParam();
    options.seed = seed;
    options.inputs = {"x: constant(3)"};
    options.goldens = {"y: x"};
    return tools::execute_run(options);
  }
  /// Which rows of rank 1's result are those that rank 0 put.
  static std::string rows(const tools::ExecutedRun& run) {
    const isa::Array& y = run.report.result.outputs.at("y");
    std::string text;
    for (int row = 0; row < 8; ++row) {
      std::array<float, 64> values{};
      std::memcpy(values.data(), y.bytes.data() + (512 + row * 64) * sizeof(float), sizeof(values));
      const auto right = std::ranges::count(values, 3.0F);
      text += right == 64 ? 'x' : right == 0 ? '.' : '?';
    }
    return text;
  }

 private:
  ScratchDir scratch_;
};

TEST_P(Scenario06, IsCleanWhenOrderedOrFenced) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (const char* machine : {"memory: ordered\n", "memory: relaxed\n",
                                "memory: relaxed\nhazards: {fences: automatic}\n"}) {
      const tools::ExecutedRun run = execute(machine, seed);
      EXPECT_EQ(run.report.status, ExitStatus::ok) << ir::format(run.report.diagnostics);
      EXPECT_EQ(rows(run), "xxxxxxxx");
    }
  }
}

TEST_P(Scenario06, WithoutFencesTheTopRowsAreThereAndTheBottomIsStale) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const tools::ExecutedRun run = execute("memory: relaxed\nhazards: {fences: none}\n", seed);
    seen.insert(rows(run));
    // Whatever this order came to, the race is found.
    EXPECT_EQ(run.report.status, ExitStatus::finding);
    const auto& races = run.report.result.race_check.races;
    ASSERT_EQ(races.size(), 1U);
    EXPECT_EQ(races[0].kind, isa::RaceKind::read_before_write);
    const auto line = [](const RaceSite& site) {
      return site.location.file->line(site.location.line);
    };
    EXPECT_TRUE(contains(std::string(line(races[0].earlier)), kPutLine));
    EXPECT_TRUE(contains(std::string(line(races[0].later)), kLoadLine));
    EXPECT_EQ(races[0].earlier.rank, 0U);
    EXPECT_EQ(races[0].later.rank, 1U);
  }
  EXPECT_TRUE(seen.contains("xxxxxxxx"));
  EXPECT_TRUE(seen.contains("xxxx....") || seen.contains("xx......") || seen.contains("xxxxxx.."))
      << fmt::format("{}", fmt::join(seen, " "));
  for (const std::string& rows : seen) {
    EXPECT_TRUE(std::ranges::is_sorted(rows, std::greater())) << rows;
    EXPECT_EQ(rows.find('?'), std::string::npos) << rows;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Scenario06, testing::Values("timed", "untimed"),
                         [](const auto& at) { return std::string(at.param); });

struct Machine {
  explicit Machine(const std::string& lines)
      : file(scratch.write("machine.yaml", "extends: a2a3sim\n" + lines)) {}
  ScratchDir scratch;
  std::string file;
};

TEST(Relaxed, AFindingWithoutFencesNamesBothLinesAndTheSwitch) {
  const ScratchDir scratch;
  const Machine machine("memory: relaxed\nhazards: {fences: none}\n");
  const Finished run =
      a2a3sim({"run", scratch.write("kernel.py", kPut), "-p", machine.file, "--seed", "1",
               "--quiet", "--golden", "y: x[0]", "--input", "x: constant(3)"});
  EXPECT_EQ(run.status, 4);
  EXPECT_TRUE(contains(run.err, place(kPut, kLoadLine) + "error: race: rank 1 reads win[0:8, 0:64] "
                                                         "of rank 1 while the write by rank 0 is "
                                                         "not ordered before it"));
  EXPECT_TRUE(contains(run.err, place(kPut, kPutLine) + "note: the write (rank 0)"));
  EXPECT_TRUE(contains(run.err, "no fence follows the write (hazards.fences: none)"));
}

/// Ranks 1 and 2 signal cells of rank 0 that lie side by side.
std::string two_signals(const std::string& first_op) {
  return edge_kernel({"if me == 1:", "    " + notify("0", "1", 1, first_op),
                      "if me == 2:", "    " + notify("0", "2", 1, "AtomicAdd"),
                      "if me == 0:", "    " + wait("1", 1, "Ge"), "    " + wait("2", 1, "Ge")});
}

TEST(Relaxed, ASetThatWritesItsLineIsFoundAndAtomicAddIsTheRemedy) {
  const Machine hazard("memory: relaxed\nhazards: {set_line: 64 B}\n");
  const Machine without("memory: relaxed\n");
  const std::string wrong = two_signals("Set");
  int deadlocks = 0;
  for (int seed = 0; seed < 12; ++seed) {
    const std::vector<std::string> more = {"--seed", std::to_string(seed), "--engine", "untimed",
                                           "-p"};
    const auto with = [&](const Machine& machine) {
      std::vector<std::string> all = more;
      all.push_back(machine.file);
      return all;
    };
    EXPECT_EQ(run_edge(wrong, 3, with(without)).status, 0);
    EXPECT_EQ(run_edge(two_signals("AtomicAdd"), 3, with(hazard)).status, 0);
    const Finished run = run_edge(wrong, 3, with(hazard));
    EXPECT_TRUE(run.status == 4 || run.status == 3) << run.err;
    deadlocks += run.status == 3 ? 1 : 0;
    EXPECT_TRUE(contains(run.err, "a Set writes its whole line of 64 bytes"));
    EXPECT_TRUE(contains(run.err, place(wrong, notify("0", "1", 1, "Set"))));
    EXPECT_TRUE(contains(run.err, place(wrong, notify("0", "2", 1, "AtomicAdd"))));
  }
  EXPECT_GT(deadlocks, 0);
  EXPECT_LT(deadlocks, 12);
}

TEST(Relaxed, AllHazardsTogetherEndWithAVerdict) {
  const Machine hazards(
      "memory: relaxed\nhazards: {fences: none, zeroing: late, set_line: 64 B}\n");
  const std::string text =
      edge_kernel({"pld.tensor.put(win, (me + 1) % n, x, dst_offsets=[0, 0], src_offsets=[0, 0], "
                   "shape=[1, 64])",
                   notify("(me + 1) % n", "0", 1, "Set"), notify("(me + 2) % n", "1", 1, "Set"),
                   wait("0", 1, "Ge"), "y = pl.store(pl.load(win, [0, 0], [1, 64]), [0, 0], y)"});
  for (int seed = 0; seed < 10; ++seed) {
    for (const char* engine : {"timed", "untimed"}) {
      const Finished run = run_edge(
          text, 3, {"--seed", std::to_string(seed), "--engine", engine, "-p", hazards.file});
      EXPECT_TRUE(run.status == 3 || run.status == 4) << run.err;
      EXPECT_TRUE(contains(run.err, "hazards.fences: none"));
      EXPECT_TRUE(contains(run.err, "hazards.zeroing: late"));
    }
  }
}

TEST(Relaxed, LateZeroingIsFoundAndNamesTheWindow) {
  const Machine hazard("memory: relaxed\nhazards: {zeroing: late}\n");
  const std::string text = two_signals("AtomicAdd");
  std::set<int> statuses;
  for (int seed = 0; seed < 12; ++seed) {
    for (const char* engine : {"timed", "untimed"}) {
      const Finished run = run_edge(
          text, 3, {"--seed", std::to_string(seed), "--engine", engine, "-p", hazard.file});
      statuses.insert(run.status);
      EXPECT_TRUE(contains(run.err, "hazards.zeroing: late"));
      EXPECT_TRUE(contains(run.err, "the zeroing (rank 0)") || contains(run.err, "zeroes"));
      EXPECT_TRUE(contains(run.err, place(text, "pld.alloc_window_buffer([NR, 1]")));
      EXPECT_TRUE(contains(run.err, place(text, notify("0", "1", 1, "AtomicAdd"))));
    }
  }
  EXPECT_EQ(statuses, (std::set<int>{3, 4}));
}

TEST(Relaxed, AKernelThatTouchesOnlyItsOwnWindowsDoesNotMindLateZeroing) {
  const Machine hazard("memory: relaxed\nhazards: {zeroing: late}\n");
  const std::string text = edge_kernel({"win = pl.store(pl.load(x, [0, 0], [1, 64]), [me, 0], win)",
                                        "y = pl.store(pl.load(win, [me, 0], [1, 64]), [0, 0], y)"});
  for (const char* engine : {"timed", "untimed"})
    EXPECT_EQ(run_edge(text, 3, {"--engine", engine, "-p", hazard.file}).status, 0);
}

TEST(Relaxed, TheCardAndTheJsonSayHowTheMemoryWas) {
  const ScratchDir scratch;
  const std::string json = scratch.file("run.json");
  const Finished run = a2a3sim({"run", "examples/06_put_get.py", "--mode", "put", "-d", "0-2",
                                "--memory", "relaxed", "--seed", "7", "--json", json});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "\nmemory: relaxed, seed 7\n"));
  const nlohmann::json memory = read_json(json).at("machine").at("memory");
  EXPECT_EQ(memory.at("order"), "relaxed");
  EXPECT_EQ(memory.at("seed"), 7);
  EXPECT_EQ(memory.at("fences"), "automatic");
  EXPECT_EQ(memory.at("zeroing"), "early");
  EXPECT_EQ(memory.at("set_line_bytes"), 0);
}

TEST(Relaxed, TheMachinesSeedHoldsUntilTheCommandLineGivesOne) {
  const Machine machine("memory: {order: relaxed, seed: 12}\n");
  const auto first_lines = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {
        "run", "examples/06_put_get.py", "--mode", "put", "-d", "0-2", "-p", machine.file};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return a2a3sim(arguments).out;
  };
  EXPECT_TRUE(contains(first_lines({}), "memory: relaxed, seed 12\n"));
  EXPECT_TRUE(contains(first_lines({"--seed", "5"}), "memory: relaxed, seed 5\n"));
  EXPECT_FALSE(contains(first_lines({"--memory", "ordered"}), "memory:"));
}

TEST(Relaxed, IsAFunctionOfItsSeed) {
  const ScratchDir scratch;
  const auto json = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"run",    "examples/13_allgather.py", "-d",     "0-3",
                                          "--json", scratch.file("j"),          "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(a2a3sim(arguments).status, 0);
    return read_file(scratch.file("j"));
  };
  for (const char* engine : {"timed", "untimed"}) {
    const auto seeded = [&](const char* seed) {
      return json({"--memory", "relaxed", "--engine", engine, "--seed", seed});
    };
    EXPECT_EQ(seeded("1"), seeded("1"));
  }
  const auto time = [&](const char* seed) {
    return nlohmann::json::parse(json({"--memory", "relaxed", "--seed", seed}))
        .at("start_ps_by_rank");
  };
  EXPECT_NE(time("1"), time("2"));
  EXPECT_EQ(json({}), json({"--memory", "ordered"}));
}

TEST(Relaxed, ASeedIsRefusedNowhereItCounts) {
  const auto errors = [](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"run", "examples/13_allgather.py", "--seed", "3"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return a2a3sim(arguments).err;
  };
  EXPECT_TRUE(contains(errors({}), "--seed changes nothing"));
  EXPECT_EQ(errors({"--memory", "relaxed"}), "");
}

TEST(Relaxed, CheckReplaysTheMemoryToo) {
  const ScratchDir scratch;
  const Machine machine("memory: relaxed\nhazards: {fences: none}\n");
  const std::string file = scratch.write("kernel.py", kPut);
  const Finished check = a2a3sim({"check", file, "-p", machine.file, "--ranks", "2", "--seeds", "3",
                                  "--golden", "y: x[0]", "--input", "x: constant(3)", "-j", "1"});
  EXPECT_EQ(check.status, 4);
  EXPECT_TRUE(contains(check.out + check.err, "-p " + machine.file));
  const Finished ordered =
      a2a3sim({"check", file, "-p", machine.file, "--memory", "ordered", "--ranks", "2", "--seeds",
               "3", "--golden", "y: x[0]", "--input", "x: constant(3)", "-j", "1"});
  EXPECT_EQ(ordered.status, 0) << ordered.out << ordered.err;
}

}  // namespace
}  // namespace a2a3::test::relaxed_test
