// SPDX-License-Identifier: Apache-2.0
// Sums of random floating-point numbers, bit by bit: goldens that add in the order of the schedule.
#include <filesystem>

#include <gtest/gtest.h>

#include "program.hpp"

namespace a2a3::test::replay_test {
namespace {

struct Adding {
  std::string name;
  std::string kernel;
  std::vector<std::string> options;
  bool has_dtype = true;
};

void PrintTo(const Adding& adding, std::ostream* out) {
  *out << adding.name;
}

std::vector<std::string> command(const Adding& adding, int ranks, const std::string& size,
                                 const std::string& compare) {
  std::vector<std::string> arguments{"run",     adding.kernel,  "-d",      devices(ranks),
                                     "--set",   "SIZE=" + size, "--input", "x: normal(seed=5)",
                                     "--quiet", "--engine",     "untimed", "--compare",
                                     compare};
  arguments.insert(arguments.end(), adding.options.begin(), adding.options.end());
  return arguments;
}

class Replay : public testing::TestWithParam<Adding> {};

/// Every number of ranks with every size in one of the dtypes, and every size with every dtype.
TEST_P(Replay, EveryBitIsTheGoldens) {
  int turn = 0;
  for (const int ranks : {1, 2, 3, 4, 5, 7, 8}) {
    for (const std::string size : {"17", "64", "1000"}) {
      std::vector<std::string> arguments = command(GetParam(), ranks, size, "replay");
      const bool half = GetParam().has_dtype && turn++ % 2 == 1;
      if (half) arguments.insert(arguments.end(), {"--set", "DTYPE=FP16"});
      const Finished run = a2a3sim(arguments);
      EXPECT_EQ(run.status, 0) << "P=" << ranks << " SIZE=" << size << (half ? " FP16\n" : "\n")
                               << run.err;
      EXPECT_EQ(run.out, "OK\n");
    }
  }
}

/// The golden in rank order is another number: the test above can fail.
TEST_P(Replay, RankOrderIsAnotherNumber) {
  EXPECT_EQ(a2a3sim(command(GetParam(), 5, "64", "exact")).status, 2);
}

INSTANTIATE_TEST_SUITE_P(
    Ladder, Replay,
    testing::Values(
        Adding{"Mesh", "examples/08_allreduce_mesh.py", {}},
        Adding{"TwoPhase", "examples/09_allreduce_two_phase.py", {}},
        Adding{"Ring", "examples/10_allreduce_ring.py", {}},
        Adding{"RevealMesh", "examples/11_allreduce_reveal.py", {"--mode", "mesh"}},
        Adding{"RevealRing", "examples/11_allreduce_reveal.py", {"--mode", "ring"}},
        Adding{"RevealHandMesh", "examples/11_allreduce_reveal.py", {"--mode", "hand_mesh"}},
        Adding{"RevealHandRing", "examples/11_allreduce_reveal.py", {"--mode", "hand_ring"}},
        Adding{"ReduceScatter", "examples/14_reduce_scatter.py", {"--mode", "hand"}},
        Adding{"BuiltinReduceScatter", "examples/14_reduce_scatter.py", {"--mode", "builtin"}},
        Adding{"Together",
               "examples/16_putting_it_together.py",
               {"--input", "w_in: normal(seed=6)"},
               false},
        Adding{"OneSignal",
               "examples/16_putting_it_together.py",
               {"--input", "w_in: normal(seed=6)", "--mode", "one_signal"},
               false},
        Adding{"Host", "examples/host_collectives.py", {"--mode", "allreduce"}, false},
        Adding{"HostRing", "examples/host_ring.py", {}, false},
        Adding{"HostReduceScatter", "examples/host_rows.py", {"--mode", "reduce_scatter"}, false},
        Adding{"HostNoSignal", "examples/host_collectives.py", {"--mode", "no_signal"}, false}),
    [](const auto& param) { return param.param.name; });

const std::vector<std::string> kNormal{"-d", "0-4", "--input", "x: normal(seed=5)", "--quiet"};

Finished replay(const std::string& kernel, std::vector<std::string> more) {
  std::vector<std::string> arguments{"run", kernel};
  arguments.insert(arguments.end(), kNormal.begin(), kNormal.end());
  arguments.insert(arguments.end(), more.begin(), more.end());
  return a2a3sim(arguments);
}

TEST(ReplayOrder, NamedForAKernelThatClaimsFormulas) {
  const std::string kernel = "examples/library/allreduce_two_phase.py";
  const Finished unknown = replay(kernel, {"--compare", "replay"});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_TRUE(contains(unknown.err, "it is not known in which order the program adds"));
  EXPECT_TRUE(contains(unknown.err, "allreduce_two_phase.yaml:"));
  EXPECT_TRUE(contains(unknown.err, "--compare 'replay(allreduce.ring)'"));
  for (const std::string dtype : {"FP32", "FP16"}) {
    const Finished named = replay(kernel, {"--compare", "replay(allreduce.two_phase)", "--set",
                                           "DTYPE=" + dtype, "--set", "SIZE=1000"});
    EXPECT_EQ(named.status, 0) << named.err;
    // The second call adds the sums of the first.
    const Finished twice =
        replay(kernel, {"--compare", "replay(allreduce.two_phase)", "--mode", "twice", "--golden",
                        "y: sum(sum(x))", "--set", "DTYPE=" + dtype});
    EXPECT_EQ(twice.status, 0) << twice.err;
  }
}

TEST(ReplayOrder, AnotherOrderIsAnotherResult) {
  const Finished run =
      replay("examples/08_allreduce_mesh.py", {"--compare", "replay(allreduce.ring)"});
  EXPECT_EQ(run.status, 2);
  EXPECT_TRUE(contains(run.err, "(compared: replay(allreduce.ring))"));
}

TEST(ReplayOrder, SeveralSchedulesAreToldApart) {
  const std::string kernel = "examples/16_putting_it_together.py";
  const Finished several =
      replay(kernel, {"--compare", "replay", "--traffic", "allreduce.ring(data=x)"});
  EXPECT_EQ(several.status, 1);
  EXPECT_TRUE(contains(several.err, "16_putting_it_together.yaml:"));
  EXPECT_TRUE(contains(several.err, "the program adds in several orders"));
  EXPECT_TRUE(contains(several.err, "note: allreduce.ring (hand) of 64 elements, claimed"));
  EXPECT_TRUE(contains(several.err, "examples/16_putting_it_together.py:"));
  EXPECT_TRUE(contains(several.err, "note: allreduce.mesh (builtin) of 64 elements"));
  const Finished wrong_claim =
      replay(kernel, {"--compare", "replay", "--traffic", "allreduce.rong"});
  EXPECT_EQ(wrong_claim.status, 1);
  EXPECT_FALSE(contains(wrong_claim.err, "replay"));
}

TEST(ReplayOrder, PartsOfWhatARingAddsHaveNoOrder) {
  const Finished run = replay("examples/10_allreduce_ring.py",
                              {"--compare", "replay", "--golden", "y: concat(sum(x[k, 0, 0:13]))"});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, "allreduce.ring adds 64 elements of each rank, here are 13"));
}

TEST(ReplayOrder, InTheRunFile) {
  const ScratchDir scratch;
  const std::string kernel = scratch.write(
      "k.py", read_file(std::filesystem::path(A2A3_SOURCE_DIR) / "examples/10_allreduce_ring.py"));
  const auto run = [&](const std::string& compare) {
    scratch.write("k.yaml",
                  "goldens: {y: sum(x)}\ntraffic: allreduce.ring\ncompare: " + compare + "\n");
    return replay(kernel, {});
  };
  EXPECT_EQ(run("replay").status, 0);
  EXPECT_EQ(run("exact").status, 2);
  EXPECT_EQ(run("replay(allreduce.mesh)").status, 2);
  const Finished unknown = run("replay(allgather)");
  EXPECT_EQ(unknown.status, 1);
  EXPECT_TRUE(contains(unknown.err, "k.yaml:3:10: error: replay: no schedule that adds is called"));
  EXPECT_TRUE(contains(unknown.err, "schedules that add: allreduce.mesh,"));
}

TEST(ReplayOrder, EveryLaunchHasSumsOfItsOwn) {
  const Finished run = replay("examples/11_allreduce_reveal.py",
                              {"--mode", "ring", "--compare", "replay", "--launches", "3"});
  EXPECT_EQ(run.status, 0) << run.err;
}

TEST(GoldenFile, HoldsWhatARunDumped) {
  const ScratchDir scratch;
  const std::string kernel = "examples/08_allreduce_mesh.py";
  const std::string file = scratch.file("y.npy");
  ASSERT_EQ(replay(kernel, {"--compare", "replay", "--dump", "y=" + file}).status, 0);
  const Finished same = replay(kernel, {"--golden", "y: " + file});
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_EQ(same.out, "OK\n");
  const Finished other = a2a3sim(
      {"run", kernel, "-d", "0-4", "--input", "x: normal(seed=6)", "--golden", "y: " + file});
  EXPECT_EQ(other.status, 2);
  const Finished ring =
      replay("examples/10_allreduce_ring.py", {"--golden", "y: npy('" + file + "')"});
  EXPECT_EQ(ring.status, 2) << "a ring adds in another order";
  EXPECT_TRUE(contains(ring.err, "wrong result: y is not npy('" + file + "')"));
}

TEST(GoldenFile, LiesBesideTheRunFile) {
  const ScratchDir scratch;
  const std::string kernel = scratch.write(
      "k.py", read_file(std::filesystem::path(A2A3_SOURCE_DIR) / "examples/08_allreduce_mesh.py"));
  ASSERT_EQ(replay(kernel, {"--golden", "y: sum(x)", "--compare", "replay(allreduce.mesh)",
                            "--dump", "y=" + scratch.file("golden_y.npy")})
                .status,
            0);
  scratch.write("k.yaml", "goldens: {y: golden_y.npy}\n");
  EXPECT_EQ(replay(kernel, {}).status, 0);
  const Finished shape = replay(kernel, {"--set", "SIZE=17"});
  EXPECT_EQ(shape.status, 1);
  EXPECT_TRUE(
      contains(shape.err, "golden_y.npy holds FP32 [5, 1, 64], the tensor is FP32 [5, 1, 17]"));
  EXPECT_TRUE(contains(shape.err, "k.yaml:1:"));
  const Finished dtype = replay(kernel, {"--set", "DTYPE=FP16"});
  EXPECT_EQ(dtype.status, 1);
  EXPECT_TRUE(contains(dtype.err, "the tensor is FP16 [5, 1, 64]"));
  const Finished launches = replay(kernel, {"--launches", "2"});
  EXPECT_EQ(launches.status, 1);
  EXPECT_TRUE(contains(launches.err, "a file holds the result of one launch"));
  const Finished over = replay(kernel, {"--dump", "y=" + scratch.file("golden_y.npy")});
  EXPECT_EQ(over.status, 1);
  EXPECT_TRUE(contains(over.err, "is the golden for y"));
  scratch.write("k.yaml", "goldens: {y: nothing.npy}\n");
  const Finished missing = replay(kernel, {});
  EXPECT_EQ(missing.status, 1);
  EXPECT_TRUE(contains(missing.err, "nothing.npy"));
}

}  // namespace
}  // namespace a2a3::test::replay_test
