// SPDX-License-Identifier: Apache-2.0
// Options, files and machines that are wrong: exit status 1, a text that helps, no crash.
#include <algorithm>

#include <gtest/gtest.h>

#include "program.hpp"

namespace a2a3::test::command_line_test {
namespace {

const std::string kKernel = "examples/13_allgather.py";

struct Wrong {
  std::string name;
  std::vector<std::string> arguments;
  std::string says;  ///< part of what stderr must say
};

void PrintTo(const Wrong& wrong, std::ostream* out) {
  *out << wrong.name;
}

class WrongCommand : public testing::TestWithParam<Wrong> {};

TEST_P(WrongCommand, IsExplained) {
  const Finished run = a2a3sim(GetParam().arguments);
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, GetParam().says));
  EXPECT_EQ(run.out, "");
}

INSTANTIATE_TEST_SUITE_P(
    Options, WrongCommand,
    testing::Values(
        Wrong{"Nothing", {}, "subcommand"}, Wrong{"NoFile", {"run"}, "FILE"},
        Wrong{"UnknownSubcommand", {"fly"}, "fly"},
        Wrong{"UnknownOption", {"run", kKernel, "--fast"}, "--fast"},
        Wrong{"MissingFile", {"run", "examples/nothing.py"}, "examples/nothing.py"},
        Wrong{"Directory", {"run", "examples"}, "examples"},
        Wrong{"DeviceText", {"run", kKernel, "-d", "0,x"}, "'x'"},
        Wrong{"DeviceNegative", {"run", kKernel, "-d", "0,-1"}, "'-1'"},
        Wrong{"DeviceTwice", {"run", kKernel, "-d", "0,1,0"}, "device 0 is named twice"},
        Wrong{"DeviceOverlap", {"run", kKernel, "-d", "0-3,2"}, "device 2 is named twice"},
        Wrong{"DeviceBackwards", {"run", kKernel, "-d", "3-0"}, "3-0"},
        Wrong{"DeviceEmpty", {"run", kKernel, "-d", ""}, "-d"},
        Wrong{"JsonEmpty", {"run", kKernel, "--json", ""}, "an empty value follows --json"},
        Wrong{"CompareEmpty", {"run", kKernel, "--compare="}, "an empty value follows --compare="},
        Wrong{"DeviceTrailingComma", {"run", kKernel, "-d", "0,"}, "''"},
        Wrong{"DevicesTooMany", {"run", kKernel, "-d", "0-99999999"}, "--max-devices"},
        Wrong{"DeviceHuge", {"run", kKernel, "-d", "99999999999999999999"}, "-d"},
        Wrong{"MachineUnknown", {"run", kKernel, "-p", "a22"}, "a22"},
        Wrong{"MachineTooSmall", {"run", kKernel, "-p", "a2", "-d", "0-8"}, "extends"},
        Wrong{"MachineIdTooHigh", {"run", kKernel, "-p", "a2", "-d", "8"}, "no device 8"},
        Wrong{"ModeUnknown", {"run", kKernel, "--mode", "hands"}, "hand"},
        Wrong{"ModeWithoutRunFile",
              {"run", "tests/system/data/two_programs.py", "--mode", "hand"},
              "no run file"},
        Wrong{"EntryUnknown", {"run", kKernel, "--entry", "build_hands"}, "build_hand"},
        Wrong{"SettingUnknown", {"run", kKernel, "--set", "SIEZ=4"}, "did you mean 'SIZE'"},
        Wrong{"SettingForm", {"run", kKernel, "--set", "SIZE"}, "--set SIZE=17"},
        Wrong{"SettingValue", {"run", kKernel, "--set", "SIZE=many"}, "an integer is expected"},
        Wrong{"SettingOfTheRankCount",
              {"run", kKernel, "--set", "n_ranks=two"},
              "an integer is expected, the number of ranks"},
        Wrong{"SettingNegative", {"run", kKernel, "--set", "SIZE=-4"}, "SIZE"},
        Wrong{"SettingOfADimension",
              {"run", "examples/07_dynamic_rank_count.py", "--set", "NR=2*2"},
              "NR"},
        Wrong{"InputUnknown", {"run", kKernel, "--input", "xx: constant(1)"}, "no input 'xx'"},
        Wrong{"InputOfAnOutput", {"run", kKernel, "--input", "y: constant(1)"}, "no input 'y'"},
        Wrong{"InputForm", {"run", kKernel, "--input", "constant"}, "--input 'x:"},
        Wrong{"InputSpec", {"run", kKernel, "--input", "x: norml(seed=1)"}, "normal"},
        Wrong{"InputFileMissing", {"run", kKernel, "--input", "x: nothing.npy"}, "nothing.npy"},
        Wrong{"GoldenUnknown", {"run", kKernel, "--golden", "z: x"}, "no output 'z'"},
        Wrong{"GoldenOfAnInput", {"run", kKernel, "--golden", "x: x"}, "no output 'x'"},
        Wrong{"GoldenSyntax", {"run", kKernel, "--golden", "y: concat(x"}, "--golden y"},
        Wrong{"GoldenSyntaxOfABrokenKernel",
              {"run", "tests/system/data/pasted_class.py", "--golden", "y: concat(x"},
              "--golden y"},
        Wrong{"GoldenName", {"run", kKernel, "--golden", "y: concat(w)"}, "w"},
        Wrong{"GoldenShape", {"run", kKernel, "--golden", "y: x[0, 0:3]"}, "golden"},
        Wrong{"Compare", {"run", kKernel, "--compare", "nearly"}, "tolerance"},
        Wrong{"DumpUnknown", {"run", kKernel, "--dump", "z=z.npy"}, "no tensor or window 'z'"},
        Wrong{"DumpForm", {"run", kKernel, "--dump", "y"}, "--dump y=y.npy"},
        Wrong{"SkewForm", {"run", kKernel, "--skew", "1:50us"}, "--skew rank=1:50us"},
        Wrong{"SkewRank", {"run", kKernel, "-d", "0,1", "--skew", "rank=2:50us"}, "no rank 2"},
        Wrong{"SkewUnit", {"run", kKernel, "--skew", "rank=1:50 apples"}, "apples"},
        Wrong{"SkewNoUnit", {"run", kKernel, "--skew", "rank=1:50"}, "--skew"},
        Wrong{"SkewNegative", {"run", kKernel, "--skew", "rank=1:-5us"}, "--skew"},
        Wrong{"SkewTwice",
              {"run", kKernel, "--skew", "rank=1:5us", "--skew", "rank=1:6us"},
              "already"},
        Wrong{"SkewDistribution", {"run", kKernel, "--skew", "unifrom(max=1us)"}, "'uniform'"},
        Wrong{"SkewNoMax", {"run", kKernel, "--skew", "uniform(seed=1)"}, "needs max"},
        Wrong{"SkewArgument", {"run", kKernel, "--skew", "normal(max=1us)"}, "'max=1us'"},
        Wrong{"SkewArgumentTwice",
              {"run", kKernel, "--skew", "uniform(max=1us, max=2us)"},
              "given twice"},
        Wrong{"SkewSeed", {"run", kKernel, "--skew", "uniform(seed=-1, max=1us)"}, "whole number"},
        Wrong{"SkewOpen", {"run", kKernel, "--skew", "uniform(max=1us"}, "expected --skew"},
        Wrong{"SkewTwoDistributions",
              {"run", kKernel, "--skew", "uniform(max=1us)", "--skew", "uniform(max=2us)"},
              "distribution already"},
        Wrong{"Engine", {"run", kKernel, "--engine", "steam"}, "steam"},
        Wrong{"LimitText", {"run", kKernel, "--max-steps", "lots"}, "--max-steps"},
        Wrong{"LimitNegative", {"run", kKernel, "--max-instructions", "-1"}, "--max-instructions"},
        Wrong{"LimitSigned", {"run", kKernel, "--max-golden-elements", "-1"}, "whole number"},
        Wrong{"LimitHuge", {"run", kKernel, "--max-steps", "99999999999999999999"}, "up to"},
        Wrong{"LimitHex", {"run", kKernel, "--max-steps", "0x10"}, "'0x10'"},
        Wrong{"SeedNegative", {"run", kKernel, "--engine", "untimed", "--seed", "-1"}, "--seed"},
        Wrong{"SettingTwice", {"run", kKernel, "--set", "SIZE=4", "--set", "SIZE=8"}, "twice"},
        Wrong{"InputTwice",
              {"run", kKernel, "--input", "x: constant(1)", "--input", "x: constant(2)"},
              "twice"},
        Wrong{"GoldenTwice", {"run", kKernel, "--golden", "y: x", "--golden", "y: x"}, "twice"},
        Wrong{"DumpTwice", {"run", kKernel, "--dump", "y=a.npy", "--dump", "y=b.npy"}, "twice"},
        Wrong{"InputSeed", {"run", kKernel, "--input", "x: normal(seed=1.5)"}, "whole number"},
        Wrong{"OutputsInOneFile",
              {"run", kKernel, "--dump", "y=a.npy", "--dump", "x=./a.npy"},
              "written by --dump"},
        Wrong{"MachineLimit", {"machine", "show", "a2", "--max-file-bytes", "-1"}, "whole number"},
        Wrong{"LowerNesting", {"lower", kKernel, "--max-nesting", "1"}, "--max-nesting"},
        Wrong{"DiffNesting",
              {"diff", kKernel, "--modes", "hand,builtin", "--max-nesting", "1"},
              "--max-nesting"},
        Wrong{"RankInAnInput", {"run", kKernel, "--input", "x: constant(r)"}, "unknown name 'r'"},
        Wrong{"MachineNameUnknown", {"machine", "show", "a22"}, "a22"},
        Wrong{"MachineNothing", {"machine"}, "subcommand"}),
    [](const auto& wrong) { return wrong.param.name; });

TEST(CommandLine, HelpAndVersion) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                    {"run", "--help"},
                                                    {"machine", "--help"},
                                                    {"coverage", "--help"},
                                                    {"sweep", "--help"},
                                                    {"merge", "--help"},
                                                    {"compare", "--help"},
                                                    {"machine", "show", "--help"}}) {
    const Finished run = a2a3sim(arguments);
    EXPECT_EQ(run.status, 0);
    EXPECT_TRUE(contains(run.out, "a2a3sim"));
    EXPECT_EQ(run.err, "");
  }
  EXPECT_TRUE(contains(a2a3sim({"run", "--help"}).out, "Examples:"));
  EXPECT_TRUE(contains(a2a3sim({"--version"}).out, "a2a3sim "));
}

TEST(CommandLine, ExceedingALimitNamesItsOption) {
  const std::vector<std::string> run{"run", kKernel};
  for (const auto& [option, value] :
       std::vector<std::pair<std::string, std::string>>{{"--max-devices", "1"},
                                                        {"--max-file-bytes", "10"},
                                                        {"--max-nesting", "1"},
                                                        {"--max-instructions", "10"},
                                                        {"--max-steps", "10"},
                                                        {"--max-host-steps", "1"},
                                                        {"--max-tensor-bytes", "1000"},
                                                        {"--max-golden-elements", "10"},
                                                        {"--max-golden-operations", "10"}}) {
    const Finished limited = a2a3sim({"run", kKernel, option, value});
    EXPECT_EQ(limited.status, 1) << option;
    EXPECT_TRUE(contains(limited.err, option));
  }
}

TEST(CommandLine, ARunOverALimitHasThatVerdict) {
  const ScratchDir scratch;
  const std::string json = scratch.file("card.json");
  for (const std::string engine : {"timed", "untimed"}) {
    for (const auto& [option, value] :
         std::vector<std::pair<std::string, std::string>>{{"--max-instructions", "10"},
                                                          {"--max-steps", "10"},
                                                          {"--max-host-steps", "1"},
                                                          {"--max-tensor-bytes", "1000"}}) {
      const Finished run =
          a2a3sim({"run", kKernel, "--engine", engine, option, value, "--json", json});
      EXPECT_EQ(run.status, 1) << option;
      EXPECT_EQ(read_json(json)["verdict"], "over a limit") << option << " " << engine;
    }
  }
}

TEST(CommandLine, Machines) {
  const Finished list = a2a3sim({"machine", "list"});
  EXPECT_EQ(list.status, 0);
  EXPECT_TRUE(contains(list.out, "a2a3sim"));
  const Finished show = a2a3sim({"machine", "show", "a2"});
  EXPECT_EQ(show.status, 0);
  EXPECT_TRUE(contains(show.out, "28 GB/s"));
  const Finished json = a2a3sim({"machine", "show", "a2", "--json"});
  EXPECT_EQ(nlohmann::json::parse(json.out)["name"], "a2");
}

TEST(CommandLine, MachineShowExplainsItsSources) {
  const Finished show = a2a3sim({"machine", "show", "a2a3sim", "--sources"});
  EXPECT_TRUE(contains(show.out, "pto-isa repository"));
  EXPECT_TRUE(contains(show.out, "nothing is published"));
  const Finished json = a2a3sim({"machine", "show", "a2", "--json"});
  EXPECT_EQ(nlohmann::json::parse(json.out)["sources"]["HX"], "hixl benchmarks");
}

TEST(CommandLine, MachineShowWithoutANameLists) {
  const Finished show = a2a3sim({"machine", "show"});
  EXPECT_EQ(show.status, 0);
  EXPECT_EQ(show.out, a2a3sim({"machine", "list"}).out);
}

TEST(CommandLine, TheInstructionLimitShowsWhereTheRanksWere) {
  for (const std::string engine : {"timed", "untimed"}) {
    const Finished run =
        a2a3sim({"run", kKernel, "-d", "0-4", "--max-instructions", "12", "--engine", engine});
    EXPECT_EQ(run.status, 1);
    EXPECT_TRUE(contains(run.err, "13_allgather.py:"));
    EXPECT_TRUE(contains(run.err, "rank"));
    EXPECT_TRUE(contains(run.err, " here"));
    EXPECT_EQ(run.out.find("what it cost until then") != std::string::npos, engine == "timed");
  }
}

TEST(CommandLine, TextThatIsNoUtf8IsReplacedInJson) {
  const ScratchDir scratch;
  const std::string kernel = "examples/13_allgather";
  const std::filesystem::path root = A2A3_SOURCE_DIR;
  const std::string machine = scratch.write("m\xff.yaml", "extends: a2\n");
  const std::string file = scratch.write("k\xff.py", read_file(root / (kernel + ".py")));
  scratch.write("k\xff.yaml", read_file(root / (kernel + ".yaml")));
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"machine", "show", machine, "--json"},
        {"diff", file, "--modes", "hand,builtin", "--json"},
        {"run", file, "-p", machine, "--json", "/dev/stdout", "--quiet"}}) {
    const Finished run = a2a3sim(arguments);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(contains(run.out, "\xEF\xBF\xBD"));
  }
}

TEST(CommandLine, MoreRanksThanTheRealSystemHasAreAWarning) {
  const Finished run = a2a3sim({"run", kKernel, "-d", "0-99", "--set", "SIZE=8"});
  EXPECT_EQ(run.status, 0);
  EXPECT_TRUE(contains(run.err, "warning"));
  EXPECT_TRUE(contains(run.err, "64 slots"));
  EXPECT_EQ(run.last_line(), "OK");
}

TEST(CommandLine, QuietPrintsOnlyOk) {
  const Finished run = a2a3sim({"run", kKernel, "--quiet"});
  EXPECT_EQ(run.out, "OK\n");
  EXPECT_EQ(run.err, "");
}

TEST(CommandLine, PlanShowsWindowsAndTasks) {
  const Finished run = a2a3sim({"run", kKernel, "-d", "0,1", "--print-plan"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "signal_buf"));
  EXPECT_EQ(run.last_line(), "OK");
}

TEST(CommandLine, OutputsDoNotOverwriteWhatTheRunReads) {
  const ScratchDir scratch;
  const std::string kernel =
      scratch.write("k.py", read_file(std::filesystem::path(A2A3_SOURCE_DIR) / kKernel));
  const std::string run_file =
      scratch.write("k.yaml", "entry: build_hand\ngoldens: {y: concat(x)}\n");
  const std::string base = scratch.write("base.yaml", "extends: a2\n");
  const std::string machine = scratch.write("m.yaml", "extends: ./base.yaml\n");
  const std::string input = scratch.file("x.npy");
  ASSERT_EQ(a2a3sim({"run", kernel, "--dump", "y=" + input, "--quiet"}).status, 0);
  for (const auto& [file, says] :
       std::vector<std::pair<std::string, std::string>>{{kernel, "is the kernel file"},
                                                        {run_file, "is the run file"},
                                                        {base, "is a machine file"},
                                                        {input, "is the input for x"},
                                                        {machine, "is a machine file"}}) {
    const std::string before = read_file(file);
    for (const std::vector<std::string>& option :
         {std::vector<std::string>{"--json", file}, {"--dump", "y=" + file}}) {
      const Finished run =
          a2a3sim({"run", kernel, "-p", machine, "--input", "x: " + input, option[0], option[1]});
      EXPECT_EQ(run.status, 1);
      EXPECT_TRUE(contains(run.err, says));
      EXPECT_EQ(read_file(file), before);
    }
  }
}

TEST(CommandLine, StandardOutputThatCannotBeWritten) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"run", kKernel}, {"machine", "list"}, {"--help"}}) {
    const Finished run = a2a3sim(arguments, "/dev/full");
    EXPECT_EQ(run.status, 1);
    EXPECT_TRUE(contains(run.err, "standard output"));
  }
}

TEST(CommandLine, TheListOfMachinesIsJsonWhenAskedFor) {
  for (const char* command : {"list", "show"}) {
    const Finished run = a2a3sim({"machine", command, "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const nlohmann::json machines = nlohmann::json::parse(run.out).at("machines");
    EXPECT_TRUE(std::any_of(machines.begin(), machines.end(),
                            [](const auto& machine) { return machine.at("name") == "a2"; }));
  }
}

TEST(CommandLine, OptionsOfTheOtherEngineAreAWarning) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--seed", "1"}, {"--engine", "untimed", "--skew", "rank=1:5us"}}) {
    std::vector<std::string> arguments{"run", kKernel};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Finished run = a2a3sim(arguments);
    EXPECT_EQ(run.status, 0);
    EXPECT_TRUE(contains(run.err, "warning"));
    EXPECT_TRUE(contains(run.err, "changes nothing"));
  }
}

TEST(CommandLine, NumbersOfOptionsAreDecimal) {
  EXPECT_EQ(a2a3sim({"run", kKernel, "--max-devices", "010", "-d", "0-9", "--quiet"}).status, 0);
}

TEST(CommandLine, FilesThatCannotBeWritten) {
  for (const std::vector<std::string>& option :
       {std::vector<std::string>{"--json", "/nowhere/card.json"}, {"--dump", "y=/nowhere/y.npy"}}) {
    const Finished run = a2a3sim({"run", kKernel, option[0], option[1]});
    EXPECT_EQ(run.status, 1);
    EXPECT_TRUE(contains(run.err, "/nowhere/"));
    EXPECT_NE(run.last_line(), "OK");
  }
}

}  // namespace
}  // namespace a2a3::test::command_line_test
