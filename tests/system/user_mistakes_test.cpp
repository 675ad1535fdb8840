// SPDX-License-Identifier: Apache-2.0
// Mistakes in a call of the program or around the kernels: each ends with an error that says so.
#include <gtest/gtest.h>

#include "edge_kernel.hpp"
#include "program.hpp"

namespace a2a3::test::user_mistakes_test {
namespace {

const std::string kFile = "examples/13_allgather.py";

TEST(PerOutput, EveryOutputFollowsItsOwnSchedule) {
  const std::string kernel = "tests/system/data/mesh_and_ring.py";
  const auto run = [&](int ranks, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{
        "run",       kernel,    "-d",           devices(ranks), "--golden", "y: sum(x)", "--golden",
        "z: sum(x)", "--input", "x: normal(1)", "--quiet",      "--engine", "untimed"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return a2a3sim(arguments);
  };
  for (const int ranks : {2, 3, 4, 5, 7, 8}) {
    const Finished right = run(ranks, {"--compare", "y: replay(allreduce.mesh)", "--compare",
                                       "z: replay(allreduce.ring)"});
    EXPECT_EQ(right.status, 0) << right.err;
  }
  const Finished one = run(5, {"--compare", "replay(allreduce.ring)"});
  EXPECT_EQ(one.status, 2);
  EXPECT_TRUE(contains(one.err, "--compare 'tolerance(rtol=1e-05, atol=1e-06)' allows them"));
  EXPECT_EQ(run(5, {"--compare", "replay(allreduce.ring)", "--compare", "y: tolerance()"}).status,
            0);
  EXPECT_TRUE(contains(run(5, {"--compare", "replay"}).err,
                       "name one for each output, as in --compare 'y: replay("));
  EXPECT_TRUE(contains(run(5, {"--compare", "w: replay"}).err, "the program has no output 'w'"));
  EXPECT_TRUE(contains(run(5, {"--compare", "exact", "--compare", "replay"}).err,
                       "'exact' and 'replay' are both for all outputs"));
}

TEST(Imports, OtherNamesAndOtherModules) {
  const ScratchDir scratch;
  const auto run = [&](const std::string& from, const std::string& to) {
    const std::string file =
        scratch.write("k.py", replaced(read_file(A2A3_SOURCE_DIR "/" + kFile), from, to));
    return a2a3sim({"run", file, "-d", "0-2", "--entry", "build_hand", "--golden", "y: concat(x)",
                    "--set", "n_ranks=3"});
  };
  const std::string language = "import pypto.language as pl\n";
  const Finished none = run(language, "\n");
  EXPECT_EQ(none.status, 0) << none.err;
  EXPECT_TRUE(contains(none.err, "warning: nothing imports 'pl'"));
  const Finished other = run(language, "import numpy as pl\n");
  EXPECT_EQ(other.status, 1);
  EXPECT_TRUE(contains(other.err, "error: 'pl' is numpy here"));
  const Finished alias = run(language, "import pypto.language as L\n");
  EXPECT_EQ(alias.status, 1);
  EXPECT_TRUE(
      contains(alias.err, "read by the name 'pl' alone: write import pypto.language as pl"));
  const Finished from = run(language, "from pypto import language as pl\n");
  EXPECT_EQ(from.status, 0);
  EXPECT_EQ(from.err, "");
}

TEST(Limits, AnEndlessLoopEndsInSeconds) {
  const ScratchDir scratch;
  const std::string file = scratch.write(
      "endless.py", edge_kernel({"while me < 9:", "    t = pl.load(x, [0, 0], [1, 64])"}));
  const Finished run = a2a3sim({"run", file, "-d", "0", "--engine", "untimed", "--no-race-check"});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, "executed more than 4000000 instructions; --max-instructions"));
  EXPECT_TRUE(contains(a2a3sim({"run", kFile, "--launches", "4000000000"}).err,
                       "expected a whole number up to 100000, got '4000000000'"));
}

TEST(Mistakes, AreNamedByTheirCause) {
  EXPECT_TRUE(contains(a2a3sim({"run", kFile, "-d", "0-2", "--set", "n_ranks=2"}).err,
                       "n_ranks = 2, and the tensors of the host function have 2 parts, but the "
                       "run has 3 devices"));
  EXPECT_TRUE(
      contains(a2a3sim({"run", kFile, "--traffic", "received: 1", "--traffic", "allgather"}).err,
               "a claim is a schedule or formulas, not both"));
  EXPECT_TRUE(contains(a2a3sim({"run", "examples/12_broadcast.py", "-d", "0-2", "--mode", "builtin",
                                "--set", "ROOT_RANK=7", "--no-goldens"})
                           .err,
                       "pld.tensor.broadcast root (7) must be a valid rank in [0, 3)"));
}

TEST(Mistakes, ARegionOntoItselfIsTheSameWhetherItsPeerIsComputedOrNot) {
  const ScratchDir scratch;
  const auto run = [&](const std::string& peer, const std::string& more = "") {
    const std::string region = "win, [0, 0], [0, 0], [1, 64]" + more + ")";
    return a2a3sim(
        {"run",
         scratch.write("k.py",
                       edge_kernel({"win = pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], win)",
                                    "pld.tensor.put(win, " + peer + ", " + region})),
         "-d", "0-2"});
  };
  const Finished literal = run("me");
  EXPECT_EQ(literal.status, 0) << literal.err;
  EXPECT_TRUE(contains(literal.err, "warning: pld.tensor.put to the own rank copies a region"));
  EXPECT_EQ(run("(me * 2) // 2").status, 0);
  const std::string add = ", atomic=pld.AtomicType.Add";
  EXPECT_TRUE(contains(run("me", add).err, "dst and src regions overlap"));
  EXPECT_TRUE(contains(run("(me * 2) // 2", add).err, "source and destination regions overlap"));
}

}  // namespace
}  // namespace a2a3::test::user_mistakes_test
