// SPDX-License-Identifier: Apache-2.0
// What the program itself decides about collectives in host functions: the rule for loops, and the
// warning about the real system's rank limit.
#include <gtest/gtest.h>

#include "program.hpp"

namespace a2a3::test::host_collectives_test {
namespace {

const std::string kExample = "examples/host_collectives.py";

/// The example with its allreduce in a loop.
std::string in_loop(const ScratchDir& scratch) {
  const std::string text =
      read_file(std::filesystem::path(A2A3_SOURCE_DIR) / "examples" / "host_collectives.py");
  scratch.write("host_collectives.yaml",
                "inputs: {x: constant(1)}\ngoldens: {y: sum(x) * 9}\nmodes:\n"
                "  allreduce: {entry: allreduce_host}\n");
  return scratch.write("host_collectives.py",
                       replaced(text, "    pld.tensor.allreduce(data, signal, op=pld.ReduceOp.Sum)",
                                "    for i in pl.range(3):\n"
                                "        pld.tensor.allreduce(data, signal)"));
}

TEST(HostCollectives, AllreduceInALoopIsRefusedAsInTheTutorial) {
  const ScratchDir scratch;
  const Finished run = a2a3sim({"run", in_loop(scratch), "-d", "0-2", "--mode", "allreduce"});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, "the HOST form is not yet self-clearing"));
  EXPECT_TRUE(contains(run.err, "--host-allreduce=self-clearing"));
}

TEST(HostCollectives, AllreduceInALoopRunsAsInNewerCompilers) {
  const ScratchDir scratch;
  for (const char* engine : {"timed", "untimed"}) {
    const Finished run = a2a3sim({"run", in_loop(scratch), "-d", "0-2", "--mode", "allreduce",
                                  "--engine", engine, "--host-allreduce=self-clearing"});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.last_line(), "OK");
  }
  const Finished wrong = a2a3sim({"run", kExample, "--host-allreduce=maybe"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_TRUE(contains(wrong.err, "single-use"));
}

TEST(HostCollectives, ABarrierSeparatesTheDispatchesThatHaveItsSignal) {
  const std::string file = std::string(A2A3_SOURCE_DIR) + "/tests/system/data/dispatch_order.py";
  for (const char* ranks : {"0", "0,1", "0-2", "0-3", "0-4", "0-6", "0-7"}) {
    const Finished run = a2a3sim({"run", file, "-d", ranks, "--golden", "y: x[0]", "--quiet"});
    EXPECT_EQ(run.out, "OK\n") << run.err;
  }
  // Without it the barrier does not wait for the copies, and the root may publish meanwhile.
  const ScratchDir scratch;
  std::string text = replaced(read_file(file), "consume(data, y[r], meet", "consume(data, y[r]");
  text = replaced(text,
                  "y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],\n            meet: "
                  "pld.DistributedTensor[[NR], pl.INT32]):\n    consume",
                  "y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]):\n    consume");
  const Finished race = a2a3sim(
      {"run", scratch.write("kernel.py", text), "-d", "0-2", "--golden", "y: x[0]", "--quiet"});
  EXPECT_EQ(race.status, 4);
  EXPECT_TRUE(contains(race.err, "race: rank 0 writes what ranks 1,2 read")) << race.err;
}

TEST(HostCollectives, MoreRanksThanTheRealKernelsTakeAreWarnedOf) {
  const Finished sixteen = a2a3sim({"run", kExample, "-d", "0-15"});
  EXPECT_EQ(sixteen.err, "");
  EXPECT_EQ(sixteen.last_line(), "OK");
  const Finished more = a2a3sim({"run", kExample, "-d", "0-16"});
  EXPECT_EQ(more.status, 0);
  EXPECT_TRUE(contains(more.err,
                       "warning: pld.tensor.allreduce on 17 ranks: the real system's HOST kernels "
                       "take at most 16"));
  EXPECT_EQ(more.err.find("broadcast"), std::string::npos) << "another mode's";
  EXPECT_EQ(more.last_line(), "OK");
}

TEST(HostCollectives, AllreduceRunsOnSeveralCoresOfEachDevice) {
  const ScratchDir scratch;
  const std::string original =
      read_file(std::filesystem::path(A2A3_SOURCE_DIR) / "examples" / "host_collectives.py");
  scratch.write("host_collectives.yaml", read_file(std::filesystem::path(A2A3_SOURCE_DIR) /
                                                   "examples" / "host_collectives.yaml"));
  const auto on_cores = [&](const std::string& count) {
    return scratch.write(
        "host_collectives.py",
        replaced(original, "allreduce(data)", "allreduce(data, core_num=" + count + ")"));
  };
  const Finished two = a2a3sim({"run", on_cores("2"), "-d", "0-2", "--mode", "no_signal", "--set",
                                "SIZE=1000", "-p", "a2a3sim"});
  EXPECT_EQ(two.status, 0) << two.err;
  EXPECT_EQ(two.last_line(), "OK");
  const Finished more =
      a2a3sim({"run", on_cores("1000"), "-d", "0-2", "--mode", "no_signal", "-p", "a2a3sim"});
  EXPECT_EQ(more.status, 1);
  EXPECT_TRUE(contains(more.err, "core_num (1000) exceeds the backend AIV core count ("));
}

TEST(HostCollectives, TheLoweredProgramRunsTheSame) {
  const ScratchDir scratch;
  const Finished lowered = a2a3sim({"lower", kExample, "--mode", "broadcast", "-d", "0-2"});
  ASSERT_EQ(lowered.status, 0) << lowered.err;
  EXPECT_EQ(lowered.out.find("pld.tensor.broadcast"), std::string::npos);
  const std::string file = scratch.write("lowered.py", lowered.out);
  const std::string json = scratch.file("lowered.json");
  const Finished again = a2a3sim({"run", file, "-d", "0-2", "--input", "x: arange_by_rank()",
                                  "--golden", "y: x[0]", "--json", json});
  EXPECT_EQ(again.status, 0) << again.err;
  const std::string original = scratch.file("original.json");
  ASSERT_EQ(
      a2a3sim({"run", kExample, "--mode", "broadcast", "-d", "0-2", "--json", original}).status, 0);
  const auto costs = [](const std::string& path) {
    auto rank = read_json(path).at("ranks").at(1);
    rank.erase("phases");  // they name lines
    return rank;
  };
  EXPECT_EQ(costs(json), costs(original));
  EXPECT_EQ(a2a3sim({"lower", file, "-d", "0-2"}).out, lowered.out);
}

TEST(HostCollectives, AWindowMayHaveAsManyRowsAsThereAreRanks) {
  for (const std::string devices : {"0", "0,1", "0-4"}) {
    const Finished run = a2a3sim({"run", "tests/system/data/host_world_size.py", "-d", devices,
                                  "--golden", "y: sum(x)", "--quiet"});
    EXPECT_EQ(run.out, "OK\n") << run.err;
  }
}

}  // namespace
}  // namespace a2a3::test::host_collectives_test
