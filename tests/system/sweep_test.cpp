// SPDX-License-Identifier: Apache-2.0
// `a2a3sim sweep` and `merge` as a user calls them.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.hpp"

namespace a2a3::test::sweep_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

const std::string kKernel = A2A3_SOURCE_DIR "/examples/13_allgather.py";

std::string allgather_sweep() {
  return "description: allgather\nkernel: " + kKernel +
         "\nover:\n  mode: [hand, builtin]\n  ranks: [1, 2, 3, 5]\n  set.SIZE: [17, 64]\n";
}

std::size_t stored_results(const std::string& directory) {
  std::size_t results = 0;
  std::error_code none_yet;
  for (const auto& file : fs::directory_iterator(fs::path(directory) / "points", none_yet))
    results += file.path().extension() == ".json" ? 1 : 0;
  return results;
}

/// A kernel that counts without end in sight, on every rank.
std::string endless_kernel() {
  return replaced(read_file(A2A3_SOURCE_DIR "/examples/01_hello_rank.py"),
                  "    pl.write(whoami, [0, 0], my_rank)\n",
                  "    for i in pl.range(1000000000):\n"
                  "        pl.write(whoami, [0, 0], my_rank)\n");
}

TEST(Sweep, GivesTheSameTablesHoweverManyProcessesWork) {
  const ScratchDir scratch;
  const std::string sweep = scratch.write("s.yaml", allgather_sweep());
  const Finished one = a2a3sim({"sweep", sweep, "--out", scratch.file("one"), "-j", "1"});
  ASSERT_EQ(one.status, 0) << one.err;
  EXPECT_TRUE(contains(one.out, "16 runs, 0 of them done before"));
  EXPECT_EQ(one.err, "");
  const Finished many =
      a2a3sim({"sweep", sweep, "--out", scratch.file("many"), "-j", "5", "--progress"});
  ASSERT_EQ(many.status, 0) << many.err;
  EXPECT_TRUE(contains(many.err, "16 of 16 runs\n"));
  EXPECT_TRUE(contains(many.err, " left\n"));
  const std::string csv = read_file(scratch.file("one/results.csv"));
  EXPECT_EQ(csv, read_file(scratch.file("many/results.csv")));
  EXPECT_EQ(read_file(scratch.file("one/results.json")),
            read_file(scratch.file("many/results.json")));
  EXPECT_EQ(std::ranges::count(csv, '\n'), 17);

  // Each row says what `run` says.
  const nlohmann::json json = read_json(scratch.file("one/results.json"));
  EXPECT_EQ(json["schema_version"], 1);
  const nlohmann::json& last = json["points"].back();
  EXPECT_EQ(last["axes"]["mode"], "builtin");
  EXPECT_EQ(last["axes"]["ranks"], "5");
  const Finished run = a2a3sim({"run", kKernel, "-d", "0-4", "--mode", "builtin", "--set",
                                "SIZE=64", "--json", scratch.file("run.json")});
  ASSERT_EQ(run.status, 0);
  const nlohmann::json card = read_json(scratch.file("run.json"));
  EXPECT_EQ(last["time_ps"], card["total"]["total_ps"]);
  EXPECT_EQ(last["received_max_bytes"], card["ranks"][0]["payload_received_bytes"]);
  EXPECT_EQ(last["size_bytes"], 5 * 64 * 4);
}

TEST(Sweep, ASecondStartDoesOnlyWhatIsMissing) {
  const ScratchDir scratch;
  const std::string sweep = scratch.write("s.yaml", allgather_sweep());
  const std::vector<std::string> command{"sweep", sweep, "--out", scratch.file("r")};
  ASSERT_EQ(a2a3sim(command).status, 0);
  const std::string csv = read_file(scratch.file("r/results.csv"));
  EXPECT_TRUE(contains(a2a3sim(command).out, "16 runs, 16 of them done before"));

  std::size_t removed = 0;
  for (const auto& file : fs::directory_iterator(scratch.file("r/points"))) {
    if (++removed == 2) std::ofstream(file.path()) << "{\"half a";  // no result any more
    if (removed == 1) fs::remove(file.path());
  }
  EXPECT_TRUE(contains(a2a3sim(command).out, "16 runs, 14 of them done before"));
  EXPECT_EQ(read_file(scratch.file("r/results.csv")), csv);

  scratch.write("s.yaml", replaced(allgather_sweep(), "[17, 64]", "[17, 64, 65]"));
  EXPECT_TRUE(contains(a2a3sim(command).out, "24 runs, 16 of them done before"));
  std::vector<std::string> fresh = command;
  fresh.emplace_back("--fresh");
  EXPECT_TRUE(contains(a2a3sim(fresh).out, "24 runs, 0 of them done before"));
}

TEST(Sweep, GoesOnWhereItWasKilled) {
  const ScratchDir scratch;
  const std::string sweep =
      scratch.write("s.yaml", "kernel: " + kKernel + "\nranks: 4\nover:\n  set.SIZE: 1..60\n");
  const std::string out = scratch.file("r");
  const pid_t child = fork();
  if (child == 0) {
    execl(A2A3_PROGRAM, A2A3_PROGRAM, "sweep", sweep.c_str(), "--out", out.c_str(), "-j", "1",
          "--quiet", nullptr);
    _exit(127);
  }
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (stored_results(out) < 3 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(1ms);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << "it was through before it could be killed";
  EXPECT_GE(stored_results(out), 3u);
  EXPECT_LT(stored_results(out), 60u);
  EXPECT_FALSE(fs::exists(out + "/results.csv"));

  const Finished second = a2a3sim({"sweep", sweep, "--out", out});
  ASSERT_EQ(second.status, 0) << second.err;
  EXPECT_FALSE(contains(second.out, "60 runs, 0 of them done before"));
  ASSERT_EQ(a2a3sim({"sweep", sweep, "--out", scratch.file("whole")}).status, 0);
  EXPECT_EQ(read_file(out + "/results.csv"), read_file(scratch.file("whole/results.csv")));
}

TEST(Sweep, OneFailingRunDoesNotStopTheRest) {
  const ScratchDir scratch;
  const std::string kernel = read_file(kKernel);
  scratch.write("right.py", kernel);
  scratch.write("right.yaml", "modes: {hand: {entry: build_hand}}\ngoldens: {y: concat(x)}\n");
  scratch.write("stuck.py", replaced(kernel, "expected=1", "expected=2"));
  scratch.write("stuck.yaml", "modes: {hand: {entry: build_hand}}\n");
  scratch.write("wrong.py", kernel);
  scratch.write("wrong.yaml", "modes: {hand: {entry: build_hand}}\ngoldens: {y: 2 * concat(x)}\n");
  const std::string sweep = scratch.write(
      "s.yaml", "mode: hand\nover: {kernel: [gone.py, stuck.py, wrong.py, right.py]}\n");
  const Finished result = a2a3sim({"sweep", sweep, "--out", scratch.file("r")});
  EXPECT_EQ(result.status, 3) << "the worst of 1, 3, 2 and 0";
  EXPECT_TRUE(contains(result.err, "3 of 4 runs failed"));
  EXPECT_TRUE(contains(result.err, "a2a3sim run " + scratch.file("stuck.py") +
                                       " -p a2a3sim -d 0,1 --mode hand --no-race-check\n"));
  const nlohmann::json points = read_json(scratch.file("r/results.json"))["points"];
  ASSERT_EQ(points.size(), 4u);
  const char* const statuses[] = {"wrong input", "deadlock", "wrong result", "ok"};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(points[i]["status"], statuses[i]);
    EXPECT_EQ(points[i]["error"] == "", i == 3);
    EXPECT_EQ(points[i].contains("time_ps"), i >= 2);
  }
  EXPECT_TRUE(contains(points[0]["error"], "gone.py"));
}

TEST(Sweep, AKilledRunIsAFailedOneAndIsTriedAgain) {
  const ScratchDir scratch;
  scratch.write("k.py", endless_kernel());
  const std::string sweep = scratch.write("s.yaml", "over: {kernel: [k.py, " + kKernel + "]}\n");
  const std::vector<std::string> command{"sweep", sweep, "--out", scratch.file("r"), "-j", "2"};
  const pid_t child = fork();
  if (child == 0) {
    // The system kills a process that uses more of the processor than this; the sweep does not.
    const rlimit one_second{1, 1};
    setrlimit(RLIMIT_CPU, &one_second);
    const Finished limited = a2a3sim(command);
    const bool right = limited.status == 1 || limited.status == 5;
    const bool told =
        contains(limited.err, "1 of 2 runs failed") && contains(limited.err, "killed by signal");
    _exit(right && told ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  const nlohmann::json points = read_json(scratch.file("r/results.json"))["points"];
  EXPECT_EQ(points[0]["status"], "killed");
  EXPECT_EQ(points[1]["status"], "ok");
  for (const auto& file : fs::directory_iterator(scratch.file("r/points")))
    EXPECT_EQ(file.path().extension(), ".json") << file.path() << " was left behind";

  scratch.write("k.py", read_file(A2A3_SOURCE_DIR "/examples/01_hello_rank.py"));
  const Finished again = a2a3sim(command);
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_TRUE(contains(again.out, "2 runs, 1 of them done before"));
}

TEST(Sweep, EndsWithItsRunsAndLeavesNothingWhenItIsInterrupted) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const ScratchDir scratch;
    scratch.write("k.py", endless_kernel() + "SIZE = 1\n");
    const std::string schedules =
        scratch.write("c.yaml", "size: SIZE\nschedules: {endless: {kernel: k.py}}\n");
    const std::string temporary = scratch.file("tmp");
    fs::create_directory(temporary);
    const pid_t child = fork();
    if (child == 0) {
      setenv("TMPDIR", temporary.c_str(), 1);
      execl(A2A3_PROGRAM, A2A3_PROGRAM, "compare", "mine", "--schedule-file", schedules.c_str(),
            "--ranks", "2", "--bytes", "4", nullptr);
      _exit(127);
    }
    // A run has begun when it has a log.
    const auto has_begun = [&] {
      std::error_code none_yet;
      for (const auto& file : fs::recursive_directory_iterator(temporary, none_yet)) {
        if (file.path().extension() == ".log") return true;
      }
      return false;
    };
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (!has_begun() && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(1ms);
    kill(child, signal);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), signal);
    EXPECT_TRUE(fs::is_empty(temporary));
  }
}

TEST(Merge, ShardsGiveTheTablesOfTheWholeSweep) {
  const ScratchDir scratch;
  const std::string sweep = scratch.write("s.yaml", allgather_sweep());
  ASSERT_EQ(a2a3sim({"sweep", sweep, "--out", scratch.file("whole")}).status, 0);
  const std::string csv = read_file(scratch.file("whole/results.csv"));
  std::vector<std::string> apart{"merge"};
  for (const std::string part : {"1", "2", "3"}) {
    const std::string directory = scratch.file("part" + part);
    for (const std::string& out : {directory, scratch.file("shared")}) {
      const Finished shard = a2a3sim({"sweep", sweep, "--out", out, "--shard", part + "/3"});
      ASSERT_EQ(shard.status, 0) << shard.err;
      EXPECT_FALSE(fs::exists(out + "/results.csv"));
    }
    apart.push_back(directory);
  }
  EXPECT_EQ(stored_results(scratch.file("part1")), 6u);
  EXPECT_EQ(a2a3sim(apart).out, csv);
  const Finished shared = a2a3sim({"merge", scratch.file("shared"), "--csv", scratch.file("m.csv"),
                                   "--json", scratch.file("m.json")});
  EXPECT_EQ(shared.status, 0) << shared.err;
  EXPECT_EQ(read_file(scratch.file("m.csv")), csv);
  EXPECT_EQ(read_file(scratch.file("m.json")), read_file(scratch.file("whole/results.json")));

  // What is missing or there twice is told.
  const Finished missing = a2a3sim({"merge", scratch.file("part1"), scratch.file("part3")});
  EXPECT_EQ(missing.status, 1);
  EXPECT_TRUE(contains(missing.err, "5 of 16 runs have no result"));
  EXPECT_TRUE(contains(missing.err, "run 2: a2a3sim run "));
  const Finished twice = a2a3sim({"merge", scratch.file("whole"), scratch.file("part2")});
  EXPECT_EQ(twice.status, 0);
  EXPECT_TRUE(contains(twice.err, "warning: run 2 has a result in "));
  EXPECT_EQ(twice.out, csv);
  const auto first = fs::directory_iterator(scratch.file("part2/points"))->path();
  const nlohmann::json result = read_json(first.string());
  const std::string time = "\"time_ps\": " + result["time_ps"].dump();
  const std::string doctored = replaced(read_file(first), time, "\"time_ps\": 1");
  std::ofstream(first) << doctored;
  const Finished other = a2a3sim({"merge", scratch.file("whole"), scratch.file("part2")});
  EXPECT_EQ(other.status, 1);
  EXPECT_TRUE(contains(other.err, "and they differ"));
}

TEST(Merge, RefusesWhatDoesNotBelongTogether) {
  const ScratchDir scratch;
  const std::string one = scratch.write("one.yaml", "kernel: " + kKernel + "\n");
  const std::string two = scratch.write("two.yaml", "kernel: " + kKernel + "\nranks: 3\n");
  ASSERT_EQ(a2a3sim({"sweep", one, "--out", scratch.file("one")}).status, 0);
  ASSERT_EQ(a2a3sim({"sweep", two, "--out", scratch.file("two")}).status, 0);
  const Finished mixed = a2a3sim({"merge", scratch.file("one"), scratch.file("two")});
  EXPECT_EQ(mixed.status, 1);
  EXPECT_TRUE(contains(mixed.err, "hold results of different sweeps"));
  EXPECT_TRUE(contains(a2a3sim({"merge", scratch.file("none")}).err, "holds no results"));
  EXPECT_TRUE(
      contains(a2a3sim({"merge", scratch.file("one"), scratch.file("one")}).err, "given twice"));
}

TEST(Sweep, DrawsTimeOverAnAxis) {
  const ScratchDir scratch;
  const std::string sweep = scratch.write("s.yaml", allgather_sweep());
  const std::string out = scratch.file("out");
  const Finished run = a2a3sim({"sweep", sweep, "--out", out, "--plot", scratch.file("size.svg")});
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string by_size = read_file(scratch.file("size.svg"));
  EXPECT_TRUE(contains(by_size, "set.SIZE")) << "the last axis of numbers";
  EXPECT_TRUE(contains(by_size, "mode=hand, ranks=5"));
  const Finished merge =
      a2a3sim({"merge", out, "--plot", scratch.file("ranks.svg"), "--plot-x", "ranks"});
  ASSERT_EQ(merge.status, 0) << merge.err;
  EXPECT_EQ(merge.out, "");
  EXPECT_TRUE(contains(read_file(scratch.file("ranks.svg")), "mode=builtin, set.SIZE=17"));
  const Finished text =
      a2a3sim({"merge", out, "--plot", scratch.file("mode.svg"), "--plot-x", "mode"});
  EXPECT_EQ(text.status, 1);
  EXPECT_TRUE(contains(text.err,
                       "--plot-x mode: expected an axis whose values are numbers above 0; this "
                       "sweep has ranks, set.SIZE"));
}

TEST(Sweep, SaysWhatIsWrongWithItsOptions) {
  const ScratchDir scratch;
  const std::string sweep = scratch.write("s.yaml", allgather_sweep());
  const auto error = [&](std::vector<std::string> more) {
    std::vector<std::string> command{"sweep", sweep, "--out", scratch.file("r")};
    command.insert(command.end(), more.begin(), more.end());
    const Finished result = a2a3sim(command);
    EXPECT_EQ(result.status, 1);
    return result.err;
  };
  EXPECT_TRUE(contains(error({"--shard", "4/3"}), "--shard 4/3: expected"));
  EXPECT_TRUE(contains(error({"--max-points", "15"}), "has 16 runs; --max-points 15"));
  EXPECT_TRUE(contains(error({"-j", "0"}), "--jobs"));
  const std::string too_large = error({"--max-file-bytes", "1000"});
  EXPECT_TRUE(contains(too_large, "16 of 16 runs failed"));
  EXPECT_TRUE(contains(too_large, " --set SIZE=17 --max-file-bytes 1000 --no-race-check\n"));
  for (const std::string option : {"--csv", "--json", "--plot"}) {
    const std::string unwritable = error({option, scratch.file("no/such/file")});
    EXPECT_TRUE(contains(unwritable, "error: " + option + ": cannot write")) << unwritable;
    EXPECT_FALSE(contains(unwritable, "runs failed")) << "before the first run";
  }
  EXPECT_TRUE(contains(a2a3sim({"sweep", scratch.write("twice.yaml",
                                                       "kernel: k.py\nover:\n  ranks: "
                                                       "[2, 4, 2]\n")})
                           .err,
                       "the axis 'ranks' has the value 2 twice"));
  EXPECT_TRUE(contains(a2a3sim({"sweep", scratch.file("gone.yaml")}).err, "gone.yaml"));
  EXPECT_TRUE(contains(a2a3sim({"sweep", sweep, "--out", "/proc/none"}).err, "--out: cannot make"));
}

}  // namespace
}  // namespace a2a3::test::sweep_test
