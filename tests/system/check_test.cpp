// SPDX-License-Identifier: Apache-2.0
// a2a3sim check: what it runs, what it finds, and that a replay is the same run.
#include <algorithm>

#include <gtest/gtest.h>

#include "program.hpp"

namespace a2a3::test::check_test {
namespace {

class Check : public testing::Test {
 protected:
  [[nodiscard]] static std::string example(const std::string& name) {
    return std::string(A2A3_SOURCE_DIR) + "/examples/" + name;
  }
  /// The allgather with another text, beside its run file.
  std::string kernel(const std::string& text) {
    scratch_.write("kernel.yaml", read_file(example("13_allgather.yaml")));
    return scratch_.write("kernel.py", text);
  }
  /// The allgather without its barrier.
  std::string without_barrier() {
    std::string text = read_file(example("13_allgather.py"));
    const std::size_t begin = text.find("            # Phase 2");
    const std::size_t end = text.find("            # Phase 3");
    return kernel(text.erase(begin, end - begin));
  }
  Finished check(const std::string& file, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"check", file, "--json", json_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return a2a3sim(arguments);
  }
  /// Runs a replay command as it was printed, split at its blanks.
  static Finished replay(const std::string& command) {
    std::vector<std::string> words;
    for (std::size_t begin = 0; begin < command.size();) {
      const std::size_t end = std::min(command.find(' ', begin), command.size());
      words.push_back(command.substr(begin, end - begin));
      begin = end + 1;
    }
    EXPECT_EQ(words.front(), "a2a3sim");
    words.erase(words.begin());
    return a2a3sim(words);
  }

  ScratchDir scratch_;
  std::string json_ = scratch_.file("check.json");
};

TEST_F(Check, ARightKernelIsOkAtEveryCountSizeAndOrder) {
  const Finished run = check(example("13_allgather.py"),
                             {"--ranks", "1..5,7,8", "--sizes", "SIZE=17,1000", "--seeds", "4"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.last_line(), "OK");
  const auto report = read_json(json_);
  EXPECT_EQ(report["groups"].size(), 14);
  // Four orders, a timed run and two with skew; one rank has no other to be late for.
  EXPECT_EQ(report["runs_count"], 6 * 2 * 7 + 2 * 5);
  EXPECT_EQ(report["failures"].size(), 0);
}

TEST_F(Check, DtypesAreSettingsToo) {
  const Finished run =
      check(example("08_allreduce_mesh.py"),
            {"--ranks", "3", "--sizes", "DTYPE=FP32,FP16", "--seeds", "2", "--skews", "0"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(read_json(json_)["groups"][1]["settings"]["DTYPE"], "FP16");
}

TEST_F(Check, ARaceIsMadeSmallAndItsReplayIsTheSame) {
  const Finished run =
      check(without_barrier(), {"--ranks", "3..5", "--sizes", "SIZE=17,64", "--seeds", "6..9"});
  EXPECT_EQ(run.status, 4);
  EXPECT_NE(run.last_line(), "OK");
  EXPECT_TRUE(contains(run.err, "error: race: "));
  const auto report = read_json(json_);
  const auto& failure = report["failures"][0];
  EXPECT_EQ(failure["verdict"], "race");
  EXPECT_EQ(failure["rank_counts"], nlohmann::json({3, 4, 5}));
  EXPECT_EQ(failure["smallest"]["ranks_count"], 3) << "the least that was asked for";
  EXPECT_EQ(failure["smallest"]["settings"]["SIZE"], "1");
  EXPECT_EQ(failure["smallest"]["seed"], 6);
  EXPECT_EQ(failure["in_another_order"], false);
  const std::string command = failure["replay"];
  EXPECT_TRUE(contains(run.err, "replay: " + command + "\n"));
  EXPECT_TRUE(contains(command, " --replay 0x6 --ranks 3 --set SIZE=1"));

  const Finished again = replay(command);
  EXPECT_EQ(again.status, 4);
  EXPECT_EQ(again.err, failure["text"]);
  EXPECT_EQ(again.out, "3 ranks, order 0x6: race\n");
}

TEST_F(Check, ALateRankIsReplayed) {
  // In time when all ranks start at once, wrong when the writer is late.
  const std::string file = without_barrier();
  scratch_.write("kernel.yaml", replaced(read_file(example("13_allgather.yaml")),
                                         "build_hand, traffic: allgather", "build_hand"));
  const Finished run =
      check(file, {"--ranks", "2..3", "--seeds", "1", "--no-race-check", "--quiet"});
  EXPECT_EQ(run.status, 2) << run.err;
  const auto report = read_json(json_);
  ASSERT_EQ(report["failures"].size(), 1) << run.err;
  const auto& failure = report["failures"][0];
  EXPECT_EQ(failure["verdict"], "wrong result");
  EXPECT_EQ(failure["smallest"]["ranks_count"], 2);
  EXPECT_EQ(failure["smallest"]["engine"], "timed");
  EXPECT_EQ(failure["smallest"]["skew_ps_by_rank"].size(), 1);
  EXPECT_TRUE(contains(failure["replay"], " --replay timed --ranks 2 --skew rank="));
  const Finished again = replay(failure["replay"]);
  EXPECT_EQ(again.err, failure["text"]);
  EXPECT_EQ(again.status, 2);
}

TEST_F(Check, ATimedRunThatEndsIsWrongWhenAnotherOrderGetsStuck) {
  // In the order of seed 1 the value is there when the wait looks, as on the timed engine; when the
  // cores take turns it is gone.
  const Finished run = check(std::string(A2A3_SOURCE_DIR) + "/tests/system/data/missed_value.py",
                             {"--ranks", "2", "--seeds", "1..1", "--skews", "0"});
  EXPECT_EQ(run.status, 4) << run.err;
  const auto report = read_json(json_);
  ASSERT_EQ(report["failures"].size(), 2) << run.err;
  EXPECT_EQ(report["failures"][0]["verdict"], "finding");
  EXPECT_EQ(report["failures"][0]["in_another_order"], false);
  const auto& failure = report["failures"][1];
  EXPECT_EQ(failure["verdict"], "deadlock");
  EXPECT_EQ(failure["smallest"]["engine"], "timed");
  EXPECT_EQ(failure["in_another_order"], true);
  const Finished again = replay(failure["replay"]);
  EXPECT_EQ(again.status, 3);
  EXPECT_EQ(again.err, failure["text"]);
  EXPECT_TRUE(
      contains(again.err, "on this timing the run ends, in another order of the cores not"));
}

TEST_F(Check, ADeadlockOfManyRankCountsIsOneFailure) {
  const std::string file =
      kernel(replaced(read_file(example("13_allgather.py")), "wait(signal, offsets=[src, 0]",
                      "wait(signal, offsets=[my_rank, 0]"));
  const Finished run = check(file, {"--ranks", "1..4", "--seeds", "3"});
  EXPECT_EQ(run.status, 3);
  const auto report = read_json(json_);
  ASSERT_EQ(report["failures"].size(), 1);
  EXPECT_EQ(report["failures"][0]["rank_counts"], nlohmann::json({2, 3, 4}));
  EXPECT_EQ(report["failures"][0]["runs_count"], 3 * 6);
  EXPECT_EQ(report["groups"][0]["exit_status"], 0);
  const Finished again = replay(report["failures"][0]["replay"]);
  EXPECT_EQ(again.status, 3);
  EXPECT_EQ(again.err, report["failures"][0]["text"]);
}

TEST_F(Check, TheSmallestSizeThatFailsIsFound) {
  // The window has room for 4 elements of each rank.
  std::string wrong = read_file(example("13_allgather.py"));
  const std::string bytes = "alloc_window_buffer(n_ranks * SIZE";
  wrong.replace(wrong.find(bytes), bytes.size(), "alloc_window_buffer(n_ranks * 4");
  const Finished run = check(
      kernel(wrong), {"--ranks", "2", "--sizes", "SIZE=1,1000", "--seeds", "2", "--skews", "0"});
  EXPECT_EQ(run.status, 1);
  const auto report = read_json(json_);
  ASSERT_EQ(report["failures"].size(), 1) << run.err;
  EXPECT_EQ(report["failures"][0]["smallest"]["settings"]["SIZE"], "5");
  EXPECT_EQ(replay(report["failures"][0]["replay"]).status, 1);
}

TEST_F(Check, JUnitHasACasePerGroup) {
  const std::string junit = scratch_.file("check.xml");
  EXPECT_EQ(
      check(without_barrier(), {"--ranks", "1,2", "--seeds", "2", "--skews", "0", "--junit", junit})
          .status,
      4);
  const std::string text = read_file(junit);
  EXPECT_TRUE(contains(text, "tests=\"2\" failures=\"1\" errors=\"0\""));
  EXPECT_TRUE(contains(text, "name=\"1 rank\"/>"));
  EXPECT_TRUE(contains(text, "name=\"2 ranks\">\n      <failure message=\"race"));
}

TEST_F(Check, IsTheSameWithAnyNumberOfJobs) {
  const std::string file = without_barrier();
  const std::vector<std::string> more{"--ranks", "1..3", "--seeds", "3", "--skews", "1", "-j"};
  std::vector<std::string> one = more;
  one.emplace_back("1");
  std::vector<std::string> three = more;
  three.emplace_back("3");
  const Finished first = check(file, one);
  const std::string json = read_file(json_);
  const Finished second = check(file, three);
  EXPECT_EQ(first.out, second.out);
  EXPECT_EQ(first.err, second.err);
  EXPECT_EQ(json, read_file(json_));
}

TEST_F(Check, WithoutAGoldenItSaysSo) {
  const Finished run = check(example("13_allgather.py"),
                             {"--ranks", "2", "--seeds", "1", "--skews", "0", "--no-goldens"});
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(run.last_line(), "OK");
  EXPECT_TRUE(contains(run.err, "results are not checked, only faults, deadlocks and races (give"));
  const std::string junit = scratch_.file("check.xml");
  EXPECT_EQ(check(example("13_allgather.py"), {"--ranks", "2", "--seeds", "1", "--skews", "0",
                                               "--no-goldens", "--junit", junit})
                .status,
            0);
  EXPECT_TRUE(contains(read_file(junit), "<system-out>no golden given: results are not checked"));
  const Finished less =
      check(example("13_allgather.py"),
            {"--ranks", "2", "--seeds", "1", "--skews", "0", "--no-goldens", "--no-race-check"});
  EXPECT_EQ(less.status, 0);
  EXPECT_TRUE(contains(less.err, "results are not checked, only faults and deadlocks (give"));
}

TEST_F(Check, WhatAFindingSaysIsPrintedAndReplayed) {
  // The last slice of the output stays unwritten.
  const std::string file = kernel(replaced(
      read_file(example("13_allgather.py")), "for peer in pl.range(nranks):\n                recv",
      "for peer in pl.range(nranks - 1):\n                recv"));
  const Finished run =
      check(file, {"--ranks", "3", "--seeds", "1", "--skews", "0", "--no-goldens"});
  EXPECT_EQ(run.status, 4);
  EXPECT_TRUE(contains(run.out + run.err, "unwritten output: \"y\" is not written everywhere"))
      << run.out << run.err;
}

TEST_F(Check, RankCountsThatTheModeForbidsAreLeftOut) {
  const std::string file = kernel(read_file(example("13_allgather.py")));
  scratch_.write("kernel.yaml",
                 replaced(read_file(example("13_allgather.yaml")), "entry: build_hand,",
                          "entry: build_hand, ranks: {min: 2, max: 3},"));
  const Finished run = check(file, {"--ranks", "1..4", "--seeds", "1", "--skews", "0"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "left out: 1,4 ranks"));
  EXPECT_EQ(read_json(json_)["groups"].size(), 2);
  EXPECT_TRUE(contains(check(file, {"--ranks", "8"}).err, "at most 3 ranks, got 8"));
}

TEST_F(Check, RanksStayWithinThoseAskedFor) {
  // Fails on any number from 2 on.
  const Finished run = check(without_barrier(), {"--ranks", "4,7", "--seeds", "2", "--skews", "0"});
  EXPECT_EQ(run.status, 4);
  EXPECT_EQ(read_json(json_)["failures"][0]["smallest"]["ranks_count"], 4);
}

TEST_F(Check, WhatNoRunCouldReadIsRefusedBeforeTheFirst) {
  const std::vector<std::string> few{"--ranks", "2", "--seeds", "1", "--skews", "0"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), few.begin(), few.end());
    return more;
  };
  for (const std::string& file : {std::string("/no/such/kernel.py"), scratch_.file("")}) {
    const Finished missing = check(file, few);
    EXPECT_EQ(missing.status, 1);
    EXPECT_TRUE(contains(missing.err, "error: cannot open " + file) ||
                contains(missing.err, "error: cannot read " + file))
        << missing.err;
    EXPECT_FALSE(contains(missing.err, "replay:"));
    EXPECT_EQ(missing.out, "");
  }
  const Finished name = check(example("13_allgather.py"), with({"--sizes", "NOPE=1,2"}));
  EXPECT_EQ(name.status, 1);
  EXPECT_TRUE(contains(name.err, "has no constant or factory argument 'NOPE' to set"));
  EXPECT_TRUE(contains(name.err, "--sizes NOPE: the kernel takes none of the values"));
  EXPECT_FALSE(contains(name.err, "replay:"));
  EXPECT_EQ(name.out, "");
  // A value that one run does not take is a finding of that run.
  const Finished value =
      check(example("08_allreduce_mesh.py"), with({"--sizes", "DTYPE=FP32,FP9"}));
  EXPECT_EQ(value.status, 1);
  EXPECT_TRUE(contains(value.err, "replay:"));
  EXPECT_EQ(read_json(json_)["groups"][0]["exit_status"], 0);
}

TEST_F(Check, AProgramThatCannotBeLoadedIsRefusedBeforeTheFirst) {
  const std::vector<std::string> few{"--ranks", "1..4", "--seeds", "2", "--skews", "0"};
  const std::string text = read_file(example("13_allgather.py"));
  const std::string two = scratch_.write("two.py", text);
  const std::string broken =
      scratch_.write("broken.py", replaced(text, "(local, [my_rank, 0]", "(local, [my_rank 0]"));
  const auto refused = [&](const std::string& file, const std::string& message,
                           const std::vector<std::string>& more) {
    std::vector<std::string> arguments = few;
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished run = check(file, arguments);
    EXPECT_EQ(run.status, 1);
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(contains(run.err, message)) << run.err;
    EXPECT_TRUE(contains(run.err, file + ":")) << "the place in the file";
    EXPECT_EQ(run.err.find("error: "), run.err.rfind("error: ")) << run.err;
    EXPECT_FALSE(contains(run.err, "replay:"));
    EXPECT_FALSE(contains(run.err, "failure 1 of"));
  };
  refused(two, "several programs here: choose one with --entry", {});
  refused(broken, "expected ',' or ']'", {"--entry", "build_hand"});
  EXPECT_EQ(
      check(two, {"--entry", "build_hand", "--ranks", "2", "--seeds", "1", "--skews", "0"}).status,
      0);
}

/// What is wrong on some rank counts only is a failure of their runs.
TEST_F(Check, AProgramThatLoadsOnSomeRankCountsIsRun) {
  std::string text = read_file(example("13_allgather.py"));
  const std::string extent = "[[1, n_ranks * SIZE]";
  const std::string file = kernel(text.replace(text.find(extent), extent.size(), "[[1, 3 * SIZE]"));
  const Finished run = check(file, {"--ranks", "2..3", "--seeds", "1", "--skews", "0"});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, "failure 1 of 1: ")) << run.err;
  EXPECT_TRUE(contains(run.err, "--ranks 2\n")) << run.err;
  EXPECT_EQ(read_json(json_)["groups"][1]["exit_status"], 0);
}

TEST_F(Check, ProgressSaysHowManyRunsAreMade) {
  const std::vector<std::string> few{"--ranks", "2", "--seeds", "3", "--skews", "0"};
  std::vector<std::string> more = few;
  more.emplace_back("--progress");
  const Finished run = check(example("13_allgather.py"), more);
  EXPECT_EQ(run.status, 0);
  EXPECT_TRUE(contains(run.err, "4 of 4 runs\n")) << run.err;
  EXPECT_FALSE(contains(run.err, "failed"));
  EXPECT_EQ(check(example("13_allgather.py"), few).err, "");
  EXPECT_TRUE(contains(check(without_barrier(), more).err, "4 of 4 runs, 4 failed\n"));
}

TEST_F(Check, HelpListsTheLimitsOfWhatItDoes) {
  const std::string check_help = a2a3sim({"check", "--help"}).out;
  const std::string run_help = a2a3sim({"run", "--help"}).out;
  for (const std::string limit : {"--max-signal-records", "--max-explain-records"}) {
    EXPECT_FALSE(contains(check_help, limit));
    EXPECT_TRUE(contains(run_help, limit));
  }
  EXPECT_TRUE(contains(check_help, "--max-race-records"));
}

TEST_F(Check, ValuesThatAreAllRefusedAreShownInTheirFile) {
  // The runs that refused them are gone by then: what they leave behind is overwritten.
  ASSERT_EQ(setenv("MALLOC_PERTURB_", "165", 1), 0);
  const Finished run =
      check(example("13_allgather.py"), {"--ranks", "2", "--seeds", "1", "--sizes", "SIZE=0,-1,x"});
  unsetenv("MALLOC_PERTURB_");
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, example("13_allgather.py") + ":"));
  EXPECT_TRUE(contains(run.err, "--sizes SIZE: the kernel takes none of the values"));
  EXPECT_EQ(run.out, "");
}

TEST_F(Check, FilesThatCannotBeWrittenAreRefusedBeforeTheFirstRun) {
  for (const std::string option : {"--json", "--junit"}) {
    for (const std::string& path : {scratch_.file("none/x"), scratch_.file("")}) {
      const Finished run =
          a2a3sim({"check", example("13_allgather.py"), "--ranks", "2", option, path});
      EXPECT_EQ(run.status, 1);
      EXPECT_TRUE(contains(run.err, "error: " + option + ": cannot write " + path)) << run.err;
      EXPECT_EQ(run.out, "");
    }
  }
}

TEST_F(Check, BadListsNameTheOption) {
  const std::string file = example("13_allgather.py");
  const std::vector<std::pair<std::vector<std::string>, std::string>> bad{
      {{"--ranks", "0"}, "--ranks: '0' is no number of ranks"},
      {{"--ranks", "3..1"}, "--ranks: the range 3..1 runs backwards"},
      {{"--seeds", "0"}, "--seeds: '0' is no number of orders"},
      {{"--seeds", "9..5"}, "--seeds: the range 9..5 runs backwards"},
      {{"--sizes", "SIZE"}, "--sizes 'SIZE': expected --sizes SIZE=1,17,1000"},
      {{"--sizes", "SIZE=1,,2"}, "--sizes SIZE=1,,2: a value is missing"},
      {{"--sizes", "SIZE=1", "--set", "SIZE=2"}, "--sizes SIZE: --set gives SIZE a value already"},
      {{"--max-skew", "3"}, "--max-skew '3'"},
      {{"--skew", "rank=1:1us"}, "--skew is for --replay"},
      {{"--mode", "nope"}, "unknown mode 'nope'"},
      {{"--ranks", "1..2000", "--seeds", "200"}, "--max-points 100000 allows no more"}};
  for (const auto& [options, message] : bad) {
    const Finished run = check(file, options);
    EXPECT_EQ(run.status, 1) << message;
    EXPECT_TRUE(contains(run.err, message));
  }
  const std::vector<std::pair<std::vector<std::string>, std::string>> replays{
      {{"--replay", "0x5eed"}, "--replay needs the number of ranks"},
      {{"--replay", "soon", "--ranks", "2"}, "--replay 'soon': expected a seed"},
      {{"--replay", "1", "--ranks", "2", "--seeds", "3"}, "leave --seeds out"},
      {{"--replay", "1", "--ranks", "2,3"}, "--ranks 2,3 are several"},
      {{"--replay", "1", "--ranks", "2", "--sizes", "SIZE=1"}, "give each size with --set"}};
  for (const auto& [options, message] : replays) {
    std::vector<std::string> arguments{"check", file};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Finished run = a2a3sim(arguments);
    EXPECT_EQ(run.status, 1) << message;
    EXPECT_TRUE(contains(run.err, message));
  }
}

}  // namespace
}  // namespace a2a3::test::check_test
