// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/point.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include <gtest/gtest.h>

#include "tools/sweep/config_hash.hpp"
#include "tools/sweep/result_store.hpp"
#include "tools/sweep/temporary_directory.hpp"

namespace a2a3::tools::point_test {
namespace {

Sweep sweep_from(const std::string& text, const std::string& directory = "examples") {
  const auto source = std::make_shared<const ir::SourceFile>("s.yaml", text);
  const models::SweepFile file = models::parse_sweep_file(source);
  EXPECT_FALSE(file.diagnostics.has_errors()) << format(file.diagnostics);
  return sweep_of(file, directory);
}

TEST(SweepPoints, BecomeTheOptionsOfRun) {
  const Sweep sweep = sweep_from(
      "kernel: 13_allgather.py\nmachine: a2\nset: {SIZE: 17}\ninputs: {x: constant(1), w: w.npy}\n"
      "goldens: {y: concat(x)}\nskew: {1: 5us}\nhost_allreduce: self-clearing\n"
      "compare: exact\n"
      "over: {mode: [hand, builtin], ranks: [1, 3]}\n");
  ASSERT_EQ(sweep.points.size(), 4u);
  EXPECT_EQ(sweep.columns, (std::vector<std::string>{"kernel", "mode", "machine", "ranks"}));
  EXPECT_EQ(sweep.points[3].values,
            (std::vector<std::string>{"13_allgather.py", "builtin", "a2", "3"}));
  EXPECT_EQ(run_command(sweep.points[3].options),
            "a2a3sim run examples/13_allgather.py -p a2 -d 0-2 --mode builtin --set SIZE=17 "
            "--input 'w: examples/w.npy' --input 'x: constant(1)' --golden 'y: concat(x)' "
            "--compare exact --skew rank=1:5us --host-allreduce self-clearing --no-race-check");
  EXPECT_EQ(sweep.points[0].options.devices, "0");
}

TEST(SweepPoints, OtherAxesAreColumnsOfTheirOwn) {
  const Sweep sweep = sweep_from(
      "kernel: k.py\nzip: {set.N: [1, 2], devices: ['0,2', 4-7]}\nmachine: ./m.yaml\n"
      "check_goldens: false\nengine: untimed\nseed: 7\n");
  EXPECT_EQ(sweep.columns,
            (std::vector<std::string>{"kernel", "mode", "machine", "ranks", "set.N", "devices"}));
  EXPECT_EQ(sweep.points[1].values,
            (std::vector<std::string>{"k.py", "", "./m.yaml", "", "2", "4-7"}));
  EXPECT_EQ(run_command(sweep.points[1].options),
            "a2a3sim run examples/k.py -p examples/m.yaml -d 4-7 --set N=2 --no-goldens "
            "--no-race-check --engine untimed --seed 7");
}

TEST(SweepPoints, CommandsAreQuotedForTheShell) {
  RunOptions options;
  options.file = "it's here.py";
  EXPECT_EQ(run_command(options), "a2a3sim run 'it'\\''s here.py' -p a2a3sim -d 0,1");
}

TEST(ConfigHash, FollowsEverythingThatDecidesTheResult) {
  RunOptions options;
  options.file = A2A3_SOURCE_DIR "/examples/13_allgather.py";
  options.settings = {"SIZE=17", "A=1"};
  ConfigHash hash;
  const std::string name = hash.of(options);
  EXPECT_EQ(name.size(), 32u);
  EXPECT_EQ(ConfigHash().of(options), name);

  RunOptions same = options;
  same.settings = {"A=1", "SIZE=17"};
  same.quiet = true;
  EXPECT_EQ(hash.of(same), name) << "order of settings, or what is printed, does not count";

  const auto changed = [&](auto change) {
    RunOptions other = options;
    change(other);
    return hash.of(other);
  };
  std::vector<std::string> names{name};
  names.push_back(changed([](RunOptions& o) { o.settings[0] = "SIZE=18"; }));
  names.push_back(changed([](RunOptions& o) { o.devices = "0-3"; }));
  names.push_back(changed([](RunOptions& o) { o.mode = "builtin"; }));
  names.push_back(changed([](RunOptions& o) { o.entry = "build_hand"; }));
  names.push_back(changed([](RunOptions& o) { o.platform = "a2"; }));
  names.push_back(
      changed([](RunOptions& o) { o.file = A2A3_SOURCE_DIR "/examples/04_barrier.py"; }));
  names.push_back(changed([](RunOptions& o) { o.inputs = {"x: constant(1)"}; }));
  names.push_back(changed([](RunOptions& o) { o.goldens = {"x: constant(1)"}; }));
  names.push_back(changed([](RunOptions& o) { o.skews = {"rank=1:1us"}; }));
  names.push_back(changed([](RunOptions& o) { o.compare = "exact"; }));
  names.push_back(changed([](RunOptions& o) { o.engine = "untimed"; }));
  names.push_back(changed([](RunOptions& o) { o.seed = 1; }));
  names.push_back(changed([](RunOptions& o) { o.host_allreduce = kSelfClearing; }));
  names.push_back(changed([](RunOptions& o) { o.check_goldens = false; }));
  names.push_back(changed([](RunOptions& o) { o.check_traffic = false; }));
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

/// A directory of its own for each test, gone afterwards.
class ConfigHashOfFiles : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = directory_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }

  TemporaryDirectory temporary_;
  std::filesystem::path directory_ = temporary_.path();
};

TEST_F(ConfigHashOfFiles, WhereTheyLieDoesNotCount) {
  RunOptions here;
  RunOptions there;
  here.file = write("here/k.py", "x = 1\n");
  there.file = write("there/other.py", "x = 1\n");
  here.inputs = {"x: " + write("here/x.npy", "some bytes")};
  there.inputs = {"x: " + write("there/sub/moved.npy", "some bytes")};
  here.goldens = {"y: " + write("here/y.npy", "more bytes")};
  there.goldens = {"y: " + write("there/y.npy", "more bytes")};
  const std::string name = ConfigHash().of(here);
  EXPECT_EQ(ConfigHash().of(there), name);
  write("there/sub/moved.npy", "other bytes");
  EXPECT_NE(ConfigHash().of(there), name);
}

TEST_F(ConfigHashOfFiles, ARunFileIsReadWithinTheLimitsOfTheRun) {
  RunOptions options;
  options.file = write("k.py", "x = 1\n");
  write("k.yaml", "inputs: {x: data.npy}\n");
  write("data.npy", "one");
  const auto follows_data = [&] {
    write("data.npy", "one");
    const std::string name = ConfigHash().of(options);
    write("data.npy", "two");
    return ConfigHash().of(options) != name;
  };
  EXPECT_TRUE(follows_data());
  options.files.max_file_bytes = 5;
  EXPECT_FALSE(follows_data()) << "a run file that the run refuses was read all the same";
}

TEST_F(ConfigHashOfFiles, AnOddResultIsNoResult) {
  const ResultStore store(directory_);
  ASSERT_EQ(store.create(), "");
  for (const char* text : {R"({"schema_version": "1"})", R"({"schema_version": [1]})", "[]", "17",
                           R"({"schema_version": 1, "status": 3})", "{", ""}) {
    write("points/0123.json", text);
    EXPECT_FALSE(store.read("0123")) << text;
    write("sweep.json", text);
    EXPECT_FALSE(read_manifest(directory_)) << text;
  }
}

}  // namespace
}  // namespace a2a3::tools::point_test
