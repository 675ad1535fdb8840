// SPDX-License-Identifier: Apache-2.0
// Kernel files without a run file, with Python around them.
#include <gtest/gtest.h>

#include "program.hpp"

namespace a2a3::test {
namespace {

TEST(AnyKernel, FunctionsBetweenArgparseAndTests) {
  const Finished run = a2a3sim({"run", "tests/system/data/pasted_functions.py", "-d", "0,1,2",
                                "--golden", "y: 2 * x[(r + P - 1) % P]"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.last_line(), "OK");
}

TEST(AnyKernel, FactoryInATestFile) {
  for (const std::string ranks : {"1", "2", "4"}) {
    const Finished run =
        a2a3sim({"run", "tests/system/data/pasted_class.py", "-d", devices(std::stoi(ranks)),
                 "--set", "n_ranks=" + ranks, "--golden", "y: sum(x)"});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.last_line(), "OK");
  }
}

TEST(AnyKernel, ParametersWithoutAnnotations) {
  for (const std::string ids : {"0", "0-2", "0-6"}) {
    const Finished run = a2a3sim({"run", "tests/system/data/unannotated.py", "-d", ids, "--golden",
                                  "y: x[P - 1 - r]", "--quiet"});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out, "OK\n");
  }
}

TEST(AnyKernel, TheRankCountDefaultsToTheDevices) {
  const Finished run =
      a2a3sim({"run", "tests/system/data/pasted_class.py", "-d", "0-4", "--golden", "y: sum(x)"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.last_line(), "OK");
}

TEST(AnyKernel, FloatsFromASeedWithATolerance) {
  const std::vector<std::string> command{"run",      "tests/system/data/pasted_class.py",
                                         "-d",       "0-6",
                                         "--input",  "x: normal(seed=7)",
                                         "--golden", "y: sum(x)"};
  std::vector<std::string> tolerant = command;
  tolerant.insert(tolerant.end(), {"--compare", "tolerance(rtol=1e-5, atol=1e-5)"});
  EXPECT_EQ(a2a3sim(tolerant).last_line(), "OK");
  // Each rank adds in another order, so the sums are not the golden's to the last bit.
  EXPECT_EQ(a2a3sim(command).status, 2);
}

TEST(AnyKernel, WithoutAGoldenNothingIsClaimed) {
  const Finished run = a2a3sim({"run", "tests/system/data/pasted_functions.py", "-d", "0,1"});
  EXPECT_EQ(run.status, 0);
  EXPECT_FALSE(contains(run.out, "OK"));
  EXPECT_TRUE(contains(run.out, "received"));
  EXPECT_TRUE(contains(run.err, "no golden given: result not checked"));
}

TEST(AnyKernel, SeveralProgramsAreListed) {
  const Finished run = a2a3sim({"run", "tests/system/data/two_programs.py"});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, "copy_all"));
  EXPECT_TRUE(contains(run.err, "double_all"));
  EXPECT_TRUE(contains(run.err, "--entry"));
}

TEST(AnyKernel, EntryChoosesOne) {
  const auto run = [](const std::string& entry, const std::string& golden) {
    return a2a3sim({"run", "tests/system/data/two_programs.py", "--entry", entry, "--golden",
                    golden, "--quiet"});
  };
  EXPECT_EQ(run("copy_all", "y: x").out, "OK\n");
  EXPECT_EQ(run("double_all", "y: x + x").out, "OK\n");
  EXPECT_EQ(run("double_all", "y: x").status, 2);
  const Finished unknown = run("double_al", "y: x");
  EXPECT_EQ(unknown.status, 1);
  EXPECT_TRUE(contains(unknown.err, "double_all"));
}

TEST(AnyKernel, DumpedTensorsCanBeInputs) {
  const ScratchDir scratch;
  const std::string y = scratch.file("y.npy");
  ASSERT_EQ(a2a3sim({"run", "tests/system/data/two_programs.py", "--entry", "double_all", "-d",
                     "0-2", "--dump", "y=" + y})
                .status,
            0);
  // The file has three ranks' rows, so NR follows; copying gives back what it held.
  const Finished run = a2a3sim({"run", "tests/system/data/two_programs.py", "--entry", "copy_all",
                                "-d", "0-2", "--input", "x: " + y, "--golden", "y: x", "--quiet"});
  EXPECT_EQ(run.out, "OK\n") << run.err;
}

TEST(AnyKernel, DispatchesToSomeOfTheDevices) {
  for (const std::string engine : {"timed", "untimed"}) {
    const Finished run =
        a2a3sim({"run", "tests/system/data/ranks_one_and_two.py", "-d", "0-3", "--engine", engine,
                 "--golden", "y: x[3 - r] * (r > 0) * (r < 3)"});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.last_line(), "OK");
    EXPECT_TRUE(contains(run.err, "2 of 4 devices get no dispatch: 0, 3"));
  }
}

}  // namespace
}  // namespace a2a3::test
