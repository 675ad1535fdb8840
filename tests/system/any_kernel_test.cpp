// SPDX-License-Identifier: Apache-2.0
// Kernel files without a run file, with Python around them.
#include <gtest/gtest.h>

#include "program.hpp"

namespace a2a3::test::any_kernel_test {
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

TEST(AnyKernel, OutputsWithoutAGoldenAreNamed) {
  const ScratchDir scratch;
  const std::string json = scratch.file("run.json");
  const std::vector<std::string> command{"run",     "tests/system/data/host_scalar.py",
                                         "-d",      "0,1",
                                         "--set",   "a=2",
                                         "--quiet", "--json",
                                         json,      "--golden",
                                         "y: a * x"};
  const Finished run = a2a3sim(command);
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err, "no golden given for z: result not checked (give --golden 'z: ...')\n");
  EXPECT_EQ(read_json(json)["verdict"], "not checked");
  EXPECT_EQ(read_json(json)["outputs_without_golden"], std::vector<std::string>{"z"});
}

TEST(AnyKernel, ScalarsOfTheHostAreSet) {
  const auto run = [](const std::string& setting) {
    return a2a3sim({"run", "tests/system/data/host_scalar.py", "-d", "0,1", "--set", setting,
                    "--golden", "y: a * x", "--golden", "z: x + a", "--quiet"});
  };
  for (const std::string value : {"2", "0.5", "-3"}) {
    const Finished finished = run("a=" + value);
    EXPECT_EQ(finished.out, "OK\n") << value << finished.err;
  }
  const Finished input = a2a3sim(
      {"run", "tests/system/data/host_scalar.py", "--set", "a=2", "--input", "a: constant(1)"});
  EXPECT_TRUE(contains(input.err, "no input 'a'"));
  EXPECT_EQ(run("a=half").status, 1);
  EXPECT_TRUE(
      contains(run("a=half").err, "scalar parameter \"a\" is set to \"half\", which is no FP32"));
  EXPECT_TRUE(contains(run("b=1").err, "no constant or factory argument 'b' to set"));
  EXPECT_TRUE(contains(a2a3sim({"run", "tests/system/data/host_scalar.py"}).err,
                       "has no value: --set a=..."));
}

TEST(AnyKernel, APhaseNamesTheKernelsOfAllRanks) {
  const Finished run =
      a2a3sim({"run", "tests/system/data/two_kernels.py", "-d", "0,1", "--golden", "y: x"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "sender, receiver"));
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
  const auto copy = [&](const std::string& ids) {
    return a2a3sim({"run", "tests/system/data/two_programs.py", "--entry", "copy_all", "-d", ids,
                    "--input", "x: " + y, "--golden", "y: x", "--quiet"});
  };
  EXPECT_EQ(copy("0-2").out, "OK\n");
  // The file has three ranks' rows, so NR is 3 on two devices too.
  EXPECT_TRUE(contains(copy("0,1").err, "no dispatch gets y[2, 0, 0:8]"));
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
}  // namespace a2a3::test::any_kernel_test
