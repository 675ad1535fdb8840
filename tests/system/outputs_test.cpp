// SPDX-License-Identifier: Apache-2.0
// No command writes over what it reads, or one output over another; devices and links are written
// through.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "edge_kernel.hpp"
#include "program.hpp"

namespace a2a3::test::outputs_test {
namespace {

namespace fs = std::filesystem;

/// An output that a command must refuse.
struct Refused {
  std::string option;
  std::string path;
  std::string role;
};

class Outputs : public testing::Test {
 protected:
  /// The command with the option ends with status 1 before any run, and the file stays.
  void expect_refused(const std::vector<std::string>& command, const std::vector<Refused>& all) {
    for (const Refused& one : all) {
      const std::string before = fs::exists(one.path) ? read_file(one.path) : "";
      std::vector<std::string> arguments = command;
      arguments.insert(arguments.end(), {one.option, one.path});
      const Finished run = a2a3sim(arguments);
      EXPECT_EQ(run.status, 1) << one.option << " " << one.path;
      EXPECT_EQ(run.out, "");
      EXPECT_TRUE(contains(run.err, "error: " + one.option + ": " + one.path + " " + one.role));
      EXPECT_EQ(fs::exists(one.path) ? read_file(one.path) : "", before);
    }
  }
  [[nodiscard]] std::string file(const std::string& name) const { return scratch_.file(name); }

  ScratchDir scratch_;
  std::string kernel_ = scratch_.write("kernel.py", edge_kernel());
  std::string run_file_ =
      scratch_.write("kernel.yaml", "modes:\n  only: {goldens: {y: x}, inputs: {x: x.npy}}\n");
  std::string machine_ = scratch_.write("m.yaml", "extends: a2a3sim\n");
};

TEST_F(Outputs, OfCheckAreNotWhatItReads) {
  const std::vector<std::string> check{"check", kernel_,   "--ranks", "2",  "--seeds",
                                       "1",     "--skews", "0",       "-p", machine_};
  for (const std::string option : {"--json", "--junit"}) {
    expect_refused(check, {{option, kernel_, "is the kernel file"},
                           {option, run_file_, "is the run file"},
                           {option, machine_, "is a machine file"},
                           {option, file("x.npy"), "is the input for x"}});
  }
  std::vector<std::string> golden = check;
  golden.insert(golden.end(), {"--golden", "y: " + file("g.npy")});
  expect_refused(golden, {{"--json", file("g.npy"), "is the golden for y"}});
  std::vector<std::string> twice = check;
  twice.insert(twice.end(), {"--json", file("q")});
  expect_refused(twice, {{"--junit", file("q"), "is written by --json"}});
}

TEST_F(Outputs, OfCompareAreNotWhatItReads) {
  const std::string schedules =
      scratch_.write("c.yaml",
                     "description: one\nsize: SIZE\ncounts: slices\ndtype: FP32\n"
                     "schedules:\n  one: {kernel: kernel.py, mode: only}\n");
  const std::vector<std::string> compare{"compare", "own",   "--schedule-file", schedules,
                                         "--ranks", "2",     "--bytes",         "1KiB",
                                         "-p",      machine_};
  for (const std::string option : {"--csv", "--json", "--plot"}) {
    expect_refused(compare, {{option, machine_, "is a machine file"},
                             {option, schedules, "is the file of schedules"},
                             {option, kernel_, "is the kernel file"},
                             {option, run_file_, "is the run file"}});
  }
  std::vector<std::string> twice = compare;
  twice.insert(twice.end(), {"--csv", file("q")});
  expect_refused(twice, {{"--json", file("q"), "is written by --csv"}});
  std::vector<std::string> kept = compare;
  kept.insert(kept.end(), {"--out", file("out")});
  expect_refused(kept, {{"--json", file("out/points/a"), "is where the results of the runs are"}});
}

TEST_F(Outputs, OfASweepAreNotWhatItReads) {
  const std::string sweep_file =
      scratch_.write("s.yaml",
                     "kernel: kernel.py\nmachine: ./m.yaml\ninputs: {x: constant(1)}\n"
                     "goldens: {y: x}\nover: {ranks: [1, 2]}\n");
  const std::vector<std::string> sweep{"sweep", sweep_file, "--out", file("out")};
  for (const std::string option : {"--csv", "--json", "--plot"}) {
    expect_refused(sweep, {{option, sweep_file, "is the sweep file"},
                           {option, kernel_, "is the kernel file"},
                           {option, run_file_, "is the run file"},
                           {option, machine_, "is a machine file"},
                           {option, file("out/sweep.json"), "is written by --out"},
                           {option, file("out/points/a"), "is where the results of the runs are"}});
  }
  std::vector<std::string> same = sweep;
  same.insert(same.end(), {"--csv", file("out/results.json")});
  EXPECT_TRUE(contains(a2a3sim(same).err,
                       "error: --json: " + file("out/results.json") + " is written by --csv"));
  ASSERT_EQ(a2a3sim(sweep).status, 0);
  const std::vector<std::string> merge{"merge", file("out")};
  expect_refused(merge, {{"--csv", file("out/sweep.json"), "is the list of the runs"},
                         {"--json", file("out/points/a"), "is where the results of the runs are"}});
  EXPECT_EQ(a2a3sim({"merge", file("out"), "--csv", file("out/results.csv")}).status, 0);
}

TEST_F(Outputs, DevicesAndLinksAreWrittenThrough) {
  const std::vector<std::string> check{"check", kernel_,   "--ranks",        "1",       "--seeds",
                                       "1",     "--input", "x: constant(1)", "--skews", "0"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = check;
    all.insert(all.end(), more.begin(), more.end());
    return a2a3sim(all);
  };
  fs::create_symlink("/dev/full", file("full"));
  const Finished full = with({"--json", file("full")});
  EXPECT_EQ(full.status, 1);
  EXPECT_TRUE(contains(full.err, "--json: cannot write " + file("full") + ": No space left"));
  EXPECT_TRUE(fs::is_symlink(file("full")));

  scratch_.write("target", "before");
  fs::create_symlink("target", file("link"));
  EXPECT_EQ(with({"--json", file("link"), "--junit", file("t.xml")}).status, 0);
  EXPECT_TRUE(fs::is_symlink(file("link")));
  EXPECT_EQ(read_json(file("target"))["exit_status"], 0);

  // Standard output as a file: what is printed before and behind stays.
  std::vector<std::string> arguments = check;
  arguments.insert(arguments.end(), {"--json", "/dev/stdout"});
  EXPECT_EQ(a2a3sim(arguments, file("out.txt")).status, 0);
  const std::string text = read_file(file("out.txt"));
  EXPECT_TRUE(text.starts_with(kernel_ + ":\n")) << text;
  EXPECT_TRUE(contains(text, "\"exit_status\": 0"));
  EXPECT_TRUE(text.ends_with("\nOK\n")) << text;
}

}  // namespace
}  // namespace a2a3::test::outputs_test
