// SPDX-License-Identifier: Apache-2.0
// Missing or wrong synchronisation is found on every order of the cores, whatever the result.
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "program.hpp"

namespace a2a3::test::race_test {
namespace {

/// Position of the n-th occurrence (from 0).
std::size_t nth(const std::string& text, const std::string& part, int n) {
  std::size_t at = text.find(part);
  for (; n > 0; --n)
    at = text.find(part, at + 1);
  EXPECT_NE(at, std::string::npos) << part;
  return at;
}

/// Without the lines from `lines_before` lines before position `first` to the line of `last`.
std::string without_lines(std::string text, std::size_t first, int lines_before, std::size_t last) {
  std::size_t begin = text.rfind('\n', first);
  for (; lines_before > 0; --lines_before)
    begin = text.rfind('\n', begin - 1);
  const std::size_t end = text.find('\n', last);
  return text.erase(begin, end - begin);
}

/// Without the n-th loop of waits: `for src ...: if src != my_rank: wait`.
std::string without_waits(const std::string& text, int n) {
  const std::size_t wait = nth(text, "pld.system.wait(", n);
  return without_lines(text, wait, 2, wait);
}

/// Without the n-th barrier: notifies and waits.
std::string without_barrier(const std::string& text, int n) {
  return without_lines(text, nth(text, "pld.system.notify(", n), 2,
                       nth(text, "pld.system.wait(", n));
}

/// The n-th loop of waits looks at the next rank's cell only.
std::string waits_for_the_next_only(std::string text, int n) {
  const std::size_t wait = nth(text, "pld.system.wait(", n);
  const std::string guard = "src != my_rank";
  return text.replace(text.rfind(guard, wait), guard.size(), "src == (my_rank + 1) % nranks");
}

struct Mutant {
  std::string name;
  std::string example;
  std::function<std::string(const std::string&)> change;
  std::string kind;  ///< as --json says
};

const std::vector<Mutant> kMutants = {
    {"mesh_no_barrier", "08_allreduce_mesh",
     [](const std::string& text) { return without_barrier(text, 0); }, "read-before-write"},
    {"mesh_no_wait", "08_allreduce_mesh",
     [](const std::string& text) { return without_waits(text, 0); }, "read-before-write"},
    {"mesh_one_wait", "08_allreduce_mesh",
     [](const std::string& text) { return waits_for_the_next_only(text, 0); }, "read-before-write"},
    {"mesh_expects_nothing", "08_allreduce_mesh",
     [](const std::string& text) { return replaced(text, "expected=1", "expected=0"); },
     "read-before-write"},
    {"two_phase_no_first_wait", "09_allreduce_two_phase",
     [](const std::string& text) { return without_waits(text, 0); }, "read-before-write"},
    {"two_phase_no_second_barrier", "09_allreduce_two_phase",
     [](const std::string& text) { return without_barrier(text, 1); }, "write-after-read"},
    {"two_phase_no_second_wait", "09_allreduce_two_phase",
     [](const std::string& text) { return without_waits(text, 1); }, "write-after-read"},
    {"two_phase_expects_the_first_credit_again", "09_allreduce_two_phase",
     [](const std::string& text) { return replaced(text, "expected=2", "expected=1"); },
     "read-before-write"},
    {"ring_no_reduce_wait", "10_allreduce_ring",
     [](const std::string& text) { return without_waits(text, 0); }, "read-before-write"},
    {"ring_no_gather_barrier", "10_allreduce_ring",
     [](const std::string& text) { return without_barrier(text, 1); }, "write-after-read"},
    {"ring_gather_waits_on_the_reduce_row", "10_allreduce_ring",
     [](const std::string& text) {
       return replaced(text, "wait(signal, offsets=[row, src]", "wait(signal, offsets=[step, src]");
     },
     "write-after-read"},
    {"allgather_no_barrier", "13_allgather",
     [](const std::string& text) { return without_barrier(text, 0); }, "read-before-write"},
    {"allgather_one_wait", "13_allgather",
     [](const std::string& text) { return waits_for_the_next_only(text, 0); }, "read-before-write"},
};

class Races : public testing::TestWithParam<Mutant> {
 protected:
  /// The example's own text, and its mutant beside its run file.
  void SetUp() override {
    const std::string base = std::string(A2A3_SOURCE_DIR) + "/examples/" + GetParam().example;
    scratch_.write("kernel.yaml", read_file(base + ".yaml"));
    kernel_ = scratch_.write("kernel.py", GetParam().change(read_file(base + ".py")));
  }
  ScratchDir scratch_;
  std::string kernel_;
};

TEST_P(Races, AreFoundOnEveryOrderOfTheCores) {
  for (const std::string seed : {"", "1", "2", "3", "4"}) {
    std::vector<std::string> arguments{"run", kernel_, "-d", devices(3), "--engine", "untimed"};
    if (!seed.empty()) arguments.insert(arguments.end(), {"--seed", seed});
    const std::string json = scratch_.file("result.json");
    arguments.insert(arguments.end(), {"--json", json});
    const Finished run = a2a3sim(arguments);
    EXPECT_EQ(run.status, 4) << seed << run.err;
    EXPECT_NE(run.last_line(), "OK");
    EXPECT_TRUE(contains(run.err, "error: race: "));
    const auto card = read_json(json);
    EXPECT_EQ(card["verdict"], "race");
    std::set<std::string> kinds;
    for (const auto& race : card["race_check"]["races"])
      kinds.insert(race["kind"]);
    EXPECT_TRUE(kinds.contains(GetParam().kind)) << seed << run.err;
  }
}

INSTANTIATE_TEST_SUITE_P(Mutants, Races, testing::ValuesIn(kMutants),
                         [](const auto& mutant) { return mutant.param.name; });

class RaceReport : public testing::Test {
 protected:
  static std::string original() {
    return read_file(std::string(A2A3_SOURCE_DIR) + "/examples/13_allgather.py");
  }
  Finished run(const std::string& text, const std::vector<std::string>& more) {
    scratch_.write("13_allgather.yaml",
                   read_file(std::string(A2A3_SOURCE_DIR) + "/examples/13_allgather.yaml"));
    std::vector<std::string> arguments{"run", scratch_.write("13_allgather.py", text), "--engine",
                                       "untimed"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return a2a3sim(arguments);
  }
  ScratchDir scratch_;
};

TEST_F(RaceReport, NamesLinesRanksBytesAndCells) {
  // Rank 1 does not wait for rank 2.
  const std::string text = replaced(
      original(), "if src != my_rank:", "if src != my_rank and (my_rank != 1 or src != 2):");
  const std::string json = scratch_.file("result.json");
  const Finished wrong = run(text, {"-d", devices(4), "--json", json});
  EXPECT_EQ(wrong.status, 4);
  EXPECT_TRUE(contains(wrong.err,
                       "race: rank 1 reads data[2, 0:64] of rank 2 while the write by rank 2 is "
                       "not ordered before it"));
  EXPECT_TRUE(contains(wrong.err, "recv = pld.tile.remote_load("));
  EXPECT_TRUE(contains(wrong.err, "note: the write (rank 2)"));
  EXPECT_TRUE(contains(wrong.err, "data = pl.store(local, [my_rank, 0], data)"));
  EXPECT_TRUE(contains(wrong.err,
                       "no notify/wait pair puts the write of rank 2 before the read of rank 1: "
                       "rank 1 had waited on signal[0, 0], signal[3, 0] only"));
  const auto card = read_json(json);
  EXPECT_EQ(card["race_check"]["state"], "complete");
  ASSERT_EQ(card["race_check"]["races"].size(), 1);
  const auto& race = card["race_check"]["races"][0];
  EXPECT_EQ(race["kind"], "read-before-write");
  EXPECT_EQ(race["range"], "data[2, 0:64]");
  EXPECT_EQ(race["window"], "data_buf");
  EXPECT_EQ(race["size_bytes"], 256);
  EXPECT_EQ(race["owner_rank"], 2);
  EXPECT_EQ(race["races_count"], 1);
  EXPECT_EQ(race["earlier"]["rank"], 2);
  EXPECT_EQ(race["earlier"]["access"], "write");
  EXPECT_EQ(race["later"]["access"], "read");
  EXPECT_EQ(race["waited_on"], (std::vector<std::string>{"signal[0, 0]", "signal[3, 0]"}));
}

TEST_F(RaceReport, GroupsRanks) {
  const Finished wrong = run(without_barrier(original(), 0), {"-d", devices(4)});
  EXPECT_EQ(wrong.status, 4);
  EXPECT_TRUE(contains(wrong.err, "race: ranks 0-3 "));
  EXPECT_TRUE(contains(wrong.err, "had waited for nothing"));
  EXPECT_TRUE(contains(wrong.err, "12 such races between the two lines"));
}

TEST_F(RaceReport, IsLeftOutWhenAskedTo) {
  const std::string json = scratch_.file("result.json");
  const Finished wrong =
      run(without_barrier(original(), 0), {"-d", devices(3), "--no-race-check", "--json", json});
  EXPECT_NE(wrong.status, 4);
  EXPECT_EQ(read_json(json)["race_check"]["state"], "off");
}

TEST_F(RaceReport, IsNotDecidedWhenItsBoundIsHit) {
  const std::string json = scratch_.file("result.json");
  const Finished run =
      this->run(original(), {"-d", devices(3), "--max-race-records", "5", "--json", json});
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.last_line(), "OK");
  EXPECT_TRUE(contains(run.err, "not decided whether there is a race"));
  EXPECT_TRUE(contains(run.err, "--max-race-records"));
  EXPECT_EQ(read_json(json)["verdict"], "not decided");
  EXPECT_EQ(read_json(json)["race_check"]["state"], "undecided");
}

/// A kernel file of one device function, for a tensor of 4 rows.
std::string device_kernel(const std::string& kernel, const std::string& calls) {
  return R"(import pypto.language as pl
import pypto.language.distributed as pld

NR = pl.dynamic("NR")


)" + kernel +
         R"(

@pl.jit
def chip(x: pl.Tensor[[4, 64], pl.FP32], y: pl.Out[pl.Tensor[[4, 64], pl.FP32]]):
)" + calls +
         R"(    return y


@pl.jit.host
def host(x: pl.Tensor[[NR, 4, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 4, 64], pl.FP32]]):
    for r in pl.range(pld.world_size()):
        chip(x[r], y[r], device=r)
    return y
)";
}

Finished run_untimed(const std::string& text) {
  const ScratchDir scratch;
  return a2a3sim({"run", scratch.write("kernel.py", text), "-d", devices(2), "--quiet", "--golden",
                  "y: x", "--engine", "untimed"});
}

TEST(RaceInsideADevice, NamesTheBlocks) {
  const Finished run = run_untimed(device_kernel(
      R"(@pl.jit.incore
def k(x: pl.Tensor[[4, 64], pl.FP32], y: pl.Out[pl.Tensor[[4, 64], pl.FP32]],
      b: pl.Scalar[pl.INDEX]):
    y = pl.store(pl.load(x, [b, 0], [1, 64]), [b // 2, 0], y)
    return y

)",
      "    for b in pl.spmd(4):\n        k(x, y, b)\n"));
  EXPECT_EQ(run.status, 4) << run.err;
  EXPECT_TRUE(contains(run.err, " by block 1 of rank 0 and the write by block 0 of rank 0"))
      << run.err;
  EXPECT_TRUE(contains(run.err, "note: the write (block 0 of rank 0)"));
  EXPECT_TRUE(contains(run.err, "give each block bytes of its own"));
  EXPECT_FALSE(contains(run.err, "notify/wait"));
}

TEST(RaceInsideADevice, OfTasksAsksForDeps) {
  const auto kernel = [](const std::string& deps) {
    return device_kernel("", R"(    t = pl.create_tensor([4, 64], dtype=pl.FP32)
    with pl.manual_scope():
        with pl.at(level=pl.Level.CORE_GROUP) as a:
            t = pl.store(pl.load(x, [0, 0], [4, 64]), [0, 0], t)
        with pl.at(level=pl.Level.CORE_GROUP)" +
                                 deps + R"():
            y = pl.store(pl.load(t, [0, 0], [4, 64]), [0, 0], y)
)");
  };
  const Finished run = run_untimed(kernel(""));
  EXPECT_EQ(run.status, 4) << run.err;
  EXPECT_TRUE(contains(run.err,
                       "nothing puts the write of the earlier task of rank 0 before the "
                       "read of the later task of rank 0"))
      << run.err;
  EXPECT_TRUE(contains(run.err, "give the later one deps=[tid]"));
  EXPECT_FALSE(contains(run.err, "let the writer notify"));
  EXPECT_FALSE(contains(run.err, "of the host function"));
  EXPECT_EQ(run_untimed(kernel(", deps=[a]")).status, 0);
}

}  // namespace
}  // namespace a2a3::test::race_test
