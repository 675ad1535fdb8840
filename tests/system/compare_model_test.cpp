// SPDX-License-Identifier: Apache-2.0
// The closed forms of time against what is simulated, and how both answer to a changed machine.
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace a2a3::test::compare_model_test {
namespace {

using Words = std::vector<std::string>;

struct Times {
  double simulated = 0;
  double modelled = 0;
  double bound = 0;
};
/// By ranks, bytes, schedule.
using Grid = std::map<std::tuple<int, std::uint64_t, std::string>, Times>;

nlohmann::json compare_json(const Words& more) {
  const ScratchDir scratch;
  Words command{"compare"};
  command.insert(command.end(), more.begin(), more.end());
  command.insert(command.end(), {"--json", scratch.file("c.json")});
  const Finished result = a2a3sim(command);
  EXPECT_EQ(result.status, 0) << result.err;
  return result.status == 0 ? read_json(scratch.file("c.json")) : nlohmann::json();
}

Grid grid(const Words& more) {
  Grid all;
  const nlohmann::json json = compare_json(more);
  if (!json.contains("points")) return all;
  for (const nlohmann::json& point : json["points"]) {
    const nlohmann::json& axes = point["axes"];
    all[{std::stoi(axes["ranks"].get<std::string>()), std::stoull(axes["bytes"].get<std::string>()),
         axes["schedule"].get<std::string>()}] = {point["time_ps"].get<double>(),
                                                  point["modelled_ps"].get<double>(),
                                                  point["bound_ps"].get<double>()};
  }
  return all;
}

/// The machine with some figures changed, as text of a machine file.
std::string machine(const std::string& base, const std::string& changes) {
  return fmt::format("extends: {}\ndescription: changed\n{}", base, changes);
}

constexpr const char* kRanks = "2,3,4,5,7,8";
constexpr const char* kSizes = "17,1000,4097,16KiB,100000";
constexpr const char* kFewSizes = "17,4097,100000";  // the second machine has the same schedules
constexpr double kTolerance = 0.1;

class Model : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(Model, IsWithinTenPercentAndTheBoundBelow) {
  const auto [machine_name, collective] = GetParam();
  const bool few = std::string(machine_name) == "a3";
  const Grid all = grid(
      {collective, "-p", machine_name, "--ranks", kRanks, "--bytes", few ? kFewSizes : kSizes});
  EXPECT_GE(all.size(), 6u * (few ? 3 : 5) * 3);
  for (const auto& [key, times] : all) {
    const auto& [ranks, bytes, schedule] = key;
    const std::string where = fmt::format("{}, {} ranks, {} bytes", schedule, ranks, bytes);
    EXPECT_GT(times.modelled, 0) << where;
    EXPECT_GT(times.bound, 0) << where;
    EXPECT_LE(times.bound, times.simulated) << where;
    EXPECT_NEAR(times.modelled / times.simulated, 1, kTolerance) << where;
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, Model,
                         testing::Combine(testing::Values("a2", "a3"),
                                          testing::Values("allreduce", "allgather",
                                                          "reduce_scatter", "all_to_all",
                                                          "broadcast")),
                         [](const testing::TestParamInfo<Model::ParamType>& one) {
                           return std::string(std::get<0>(one.param)) + "_" +
                                  std::get<1>(one.param);
                         });

TEST(Crossover, MeshIsFasterAtSmallSizesAndRingAtLargeOnes) {
  for (const char* name : {"a2", "a3"}) {
    const nlohmann::json json =
        compare_json({"allreduce", "--schedules", "mesh,two_phase,ring", "-p", name, "--ranks", "8",
                      "--bytes", "1KiB,32KiB,1MiB,2MiB"});
    const auto change = [&](std::size_t pair, const char* kind) {
      const nlohmann::json& changes = json["crossovers"][pair][kind];
      EXPECT_EQ(changes.size(), 1u) << name << ", " << json["crossovers"][pair]["words"];
      return changes.at(0);
    };
    constexpr std::size_t kMeshTwoPhase = 0;
    constexpr std::size_t kMeshRing = 1;
    constexpr std::size_t kTwoPhaseRing = 2;
    for (const std::size_t pair : {kMeshTwoPhase, kMeshRing}) {
      const nlohmann::json simulated = change(pair, "changes");
      const nlohmann::json modelled = change(pair, "modelled_changes");
      EXPECT_EQ(simulated["faster_below"], "mesh") << name;
      EXPECT_EQ(modelled["faster_below"], "mesh") << name;
      const auto low = simulated["low_bytes"].get<double>();
      const auto high = simulated["high_bytes"].get<double>();
      EXPECT_LE(high - low, low / 100 + 32) << "bisected";
      EXPECT_NEAR(modelled["high_bytes"].get<double>() / high, 1, kTolerance) << name;
    }
    // Two barriers where the ring has 2 (P - 1), and as many bytes: it lies between.
    EXPECT_LT(change(kMeshTwoPhase, "changes")["high_bytes"].get<double>(),
              change(kMeshRing, "changes")["low_bytes"].get<double>())
        << name;
    EXPECT_EQ(json["crossovers"][kTwoPhaseRing]["words"],
              json["crossovers"][kTwoPhaseRing]["modelled_words"])
        << name;
  }
}

/// The change of a parameter moves the simulated time where, and as far as, it moves the modelled.
void expect_as_modelled(const Words& run, const std::string& base, const std::string& changes,
                        double at_most) {
  const ScratchDir scratch;
  const auto times = [&](const std::string& name, const std::string& text) {
    Words command = run;
    command.insert(command.end(), {"-p", scratch.write(name, text)});
    return grid(command);
  };
  const Grid before = times("before.yaml", machine(base, ""));
  const Grid after = times("after.yaml", machine(base, changes));
  ASSERT_EQ(before.size(), after.size());
  ASSERT_FALSE(before.empty());
  double least = 1;
  for (const auto& [key, was] : before) {
    const Times is = after.at(key);
    const std::string where =
        fmt::format("{}, {} ranks, {} bytes", std::get<2>(key), std::get<0>(key), std::get<1>(key));
    const double simulated = is.simulated / was.simulated;
    const double modelled = is.modelled / was.modelled;
    EXPECT_LT(simulated, 1) << where;
    EXPECT_LT(modelled, 1) << where;
    EXPECT_NEAR(simulated, modelled, 0.02) << where;
    least = std::min(least, simulated);
  }
  EXPECT_LT(least, at_most) << "the parameter matters somewhere";
}

TEST(Metamorphic, TwiceTheLinkBandwidth) {
  expect_as_modelled({"allreduce", "--schedules", "mesh,two_phase,ring,builtin_mesh,builtin_ring",
                      "--ranks", "2,5,8", "--bytes", "100000,1MiB"},
                     "a2", "link: {bandwidth: 56 GB/s}\n", 0.8);
}

TEST(Metamorphic, HalfTheHopLatency) {
  expect_as_modelled({"allreduce", "--schedules", "mesh,two_phase,ring,builtin_mesh,builtin_ring",
                      "--ranks", "2,5,8", "--bytes", "1000,100000"},
                     "a2", "link: {hop_latency: 80 ns}\n", 0.85);
}

TEST(Metamorphic, TwiceTheCoresOfAHostAllreduce) {
  const ScratchDir scratch;
  // One of P tiles per core takes as long as one; the kernels around it stay as they are.
  const std::string kernel = read_file("examples/host_collectives.py");
  const auto times = [&](int cores) {
    const std::string name = fmt::format("cores{}", cores);
    std::string text = replaced(kernel, "core_num=4", fmt::format("core_num={}", cores));
    text = replaced(text, "alloc_window_buffer([n, 4]",
                    fmt::format("alloc_window_buffer([n, {}]", cores));
    text = replaced(text, "window(signal_buf, [n, 4]",
                    fmt::format("window(signal_buf, [n, {}]", cores));
    scratch.write(name + ".py", text);
    scratch.write(name + ".yaml", "inputs: {x: arange_by_rank()}\n");
    const std::string file = scratch.write(
        "compare_" + name + ".yaml",
        fmt::format("description: cores\nsize: SIZE\ncounts: target\ndtype: FP32\nschedules:\n  "
                    "cores: {{kernel: {}.py, entry: cores_host}}\n",
                    name));
    return grid({"cores", "--schedule-file", file, "-p", "a2", "--ranks", "2,4", "--bytes",
                 "64KiB,128KiB"});
  };
  Grid before = times(2);
  for (const int cores : {4, 8}) {
    const Grid after = times(cores);
    ASSERT_EQ(after.size(), 4u);
    for (const auto& [key, is] : after) {
      const Times was = before.at(key);
      const std::string where =
          fmt::format("{} cores, {} ranks, {} bytes", cores, std::get<0>(key), std::get<1>(key));
      EXPECT_LT(is.simulated, 0.85 * was.simulated) << where;
      EXPECT_NEAR(is.simulated / was.simulated, is.modelled / was.modelled, 0.05) << where;
      EXPECT_NEAR(is.modelled / is.simulated, 1, kTolerance) << where;
    }
    before = after;
  }
}

TEST(CompareModel, MarksWhereTheModelIsOffAndSaysHowFarItIs) {
  const ScratchDir scratch;
  // Ranks that start late are what the model does not know.
  const std::string late = scratch.write("late.yaml", machine("a2", "launch: {skew: 10 us}\n"));
  const Finished result = a2a3sim({"compare", "allreduce", "--schedules", "mesh", "--ranks", "4",
                                   "--bytes", "1KiB", "-p", late});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.out, " !"));
  EXPECT_TRUE(contains(result.out, "! the closed form is off by more than 10 %"));
  const Finished prompt = a2a3sim({"compare", "allreduce", "--schedules", "mesh", "--ranks", "4",
                                   "--bytes", "1KiB", "-p", "a2"});
  ASSERT_EQ(prompt.status, 0) << prompt.err;
  EXPECT_EQ(prompt.out.find('!'), std::string::npos);
  EXPECT_TRUE(contains(prompt.out, "the closed form is off by "));
}

TEST(CompareModel, SchedulesWithoutAClosedFormHaveNone) {
  const ScratchDir scratch;
  const std::string file = scratch.write(
      "mine.yaml", fmt::format("description: of no known schedule\nsize: SIZE\ncounts: target\n"
                               "dtype: FP32\nschedules:\n  mine: {{kernel: {}/host_collectives.py, "
                               "mode: barrier}}\n",
                               std::string(A2A3_SOURCE_DIR) + "/examples"));
  const Finished result = a2a3sim({"compare", "mine", "--schedule-file", file, "--ranks", "2",
                                   "--bytes", "1KiB", "--csv", scratch.file("c.csv")});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out.find("closed form"), std::string::npos);
  EXPECT_TRUE(contains(read_file(scratch.file("c.csv")), ",modelled_us,bound_us,"));
}

}  // namespace
}  // namespace a2a3::test::compare_model_test
