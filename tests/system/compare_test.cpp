// SPDX-License-Identifier: Apache-2.0
// `a2a3sim compare` as a user calls it.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "program.hpp"

namespace a2a3::test::compare_test {
namespace {

using Words = std::vector<std::string>;

Words with(Words command, const Words& more) {
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

TEST(Compare, EveryShippedScheduleIsRightAtSizesThatDivideNothing) {
  for (const char* collective :
       {"allreduce", "allgather", "reduce_scatter", "all_to_all", "broadcast"}) {
    const ScratchDir scratch;
    const Finished result = a2a3sim({"compare", collective, "--check", "--ranks", "1,2,3,5,8",
                                     "--bytes", "17,1000,4097", "--csv", scratch.file("t.csv")});
    EXPECT_EQ(result.status, 0) << collective << ": " << result.err;
    EXPECT_TRUE(contains(result.out, "rounded up"));
    const std::string csv = read_file(scratch.file("t.csv"));
    EXPECT_TRUE(contains(csv, ",ok,0,"));
    EXPECT_EQ(csv.find("not checked"), std::string::npos);
  }
}

TEST(Compare, MarksTheFastestAndSaysWhereThatChanges) {
  const ScratchDir scratch;
  const Words command{"compare", "allreduce", "--schedules", "mesh,ring", "-p",
                      "a2",      "--ranks",   "2,8",         "--bytes"};
  const Finished result =
      a2a3sim(with(command, {"64KiB..512KiB", "--json", scratch.file("c.json")}));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "mesh is faster than ring at all sizes from 64 KiB to 512 KiB"));
  EXPECT_TRUE(contains(result.out, "\nmesh is faster up to "));
  EXPECT_TRUE(contains(result.out, ", ring from there on (model: "));
  const nlohmann::json json = read_json(scratch.file("c.json"));
  ASSERT_EQ(json["points"].size(), 16u);
  EXPECT_EQ(json["crossovers"][0]["changes"].size(), 0u);
  const nlohmann::json change = json["crossovers"][1]["changes"].at(0);
  const auto low = change["low_bytes"].get<std::uint64_t>();
  const auto high = change["high_bytes"].get<std::uint64_t>();
  EXPECT_LE(high - low, low / 100);

  // The faster one does change between the two sizes.
  const std::string ends = std::to_string(low) + "," + std::to_string(high);
  const Finished at_ends = a2a3sim(with(command, {ends, "--json", scratch.file("e.json")}));
  ASSERT_EQ(at_ends.status, 0) << at_ends.err;
  const nlohmann::json points = read_json(scratch.file("e.json"))["points"];
  const auto time = [&](std::size_t i) { return points.at(i)["time_ps"].get<std::uint64_t>(); };
  EXPECT_LT(time(4), time(5)) << "mesh, then ring, on 8 ranks at the lower size";
  EXPECT_GE(time(6), time(7));
}

TEST(Compare, KeepsItsResultsAndTellsTheSameFromThem) {
  const ScratchDir scratch;
  const Words command{"compare", "allgather", "--schedules", "hand,builtin",      "--ranks", "2..3",
                      "--bytes", "1KiB",      "--out",       scratch.file("res"), "-j",      "3"};
  const Finished first = a2a3sim(command);
  ASSERT_EQ(first.status, 0) << first.err;
  std::size_t results = 0;
  for (const auto& file : std::filesystem::directory_iterator(scratch.file("res/points"))) {
    ++results;
    std::filesystem::last_write_time(file.path(), std::filesystem::file_time_type{});
  }
  EXPECT_EQ(results, 4u);
  EXPECT_EQ(a2a3sim(command).out, first.out);
  for (const auto& file : std::filesystem::directory_iterator(scratch.file("res/points"))) {
    EXPECT_EQ(std::filesystem::last_write_time(file.path()), std::filesystem::file_time_type{})
        << "a run was made again";
  }
}

TEST(Compare, TakesSchedulesOfTheUsers) {
  const ScratchDir scratch;
  std::filesystem::copy(A2A3_SOURCE_DIR "/examples/08_allreduce_mesh.py", scratch.file("mine.py"));
  const std::string schedules =
      scratch.write("s.yaml",
                    "size: SIZE\nset: {DTYPE: FP16}\ndtype: FP16\nschedules:\n"
                    "  mine: {kernel: mine.py}\n  gone: {kernel: gone.py}\n");
  const Words command{"compare", "mine", "--schedule-file", schedules,
                      "--ranks", "2",    "--bytes",         "4 KiB"};
  const Finished mine =
      a2a3sim(with(command, {"--schedules", "mine", "--json", scratch.file("m.json")}));
  ASSERT_EQ(mine.status, 0) << mine.err;
  const nlohmann::json point = read_json(scratch.file("m.json"))["points"][0];
  EXPECT_TRUE(contains(point["command"], "--set SIZE=2048"));
  EXPECT_TRUE(contains(point["command"], "--no-goldens"));

  const Finished both = a2a3sim(command);
  EXPECT_EQ(both.status, 1);
  EXPECT_TRUE(contains(both.err, "1 of 2 runs failed"));
  EXPECT_TRUE(contains(both.out, "mine and gone: no size at which both ran"));
}

TEST(Compare, PlotsTheSameBytesEveryTime) {
  const ScratchDir scratch;
  const Words command{"compare", "allreduce", "--schedules", "mesh,two_phase,ring",
                      "--ranks", "2,3",       "--bytes",     "1KiB..16KiB"};
  const auto plot = [&] {
    const Finished result = a2a3sim(with(command, {"--plot", scratch.file("p.svg")}));
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return read_file(scratch.file("p.svg"));
  };
  const std::string first = plot();
  EXPECT_EQ(plot(), first);
  for (const char* part : {"<svg", "two_phase", "time (us)", "size (bytes of one rank", "16 KiB",
                           "3 ranks", "fill=\"#ffffff\"", "stroke-dasharray"})
    EXPECT_TRUE(contains(first, part));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.file("")), {}), 1)
      << "it left more than the plot";
}

TEST(Compare, WithoutGnuplotTheTableIsWrittenAllTheSame) {
  const ScratchDir scratch;
  const std::string path = std::getenv("PATH");
  setenv("PATH", scratch.file("").c_str(), 1);
  const Finished result =
      a2a3sim({"compare", "broadcast", "--ranks", "2", "--bytes", "1KiB", "--plot",
               scratch.file("p.svg"), "--csv", scratch.file("t.csv")});
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(contains(result.err, "error: --plot: gnuplot is not installed; on Debian: "));
  EXPECT_TRUE(contains(result.out, "2 ranks:"));
  EXPECT_TRUE(contains(read_file(scratch.file("t.csv")), ",hand,1024,not checked,0,"));
  EXPECT_FALSE(std::filesystem::exists(scratch.file("p.svg")));
}

TEST(Compare, SaysWhatIsWrongWithItsOptions) {
  const auto error = [](const Words& more) {
    const Finished result = a2a3sim(with({"compare"}, more));
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_TRUE(contains(error({"allreduse"}), "did you mean 'allreduce'?"));
  EXPECT_TRUE(contains(error({"gossip"}), "--schedule-file"));
  EXPECT_TRUE(contains(error({"allreduce", "--schedules", "mesh,rign"}), "did you mean 'ring'?"));
  EXPECT_TRUE(contains(error({"allreduce", "--schedules", "mesh,mesh"}), "named twice"));
  for (const std::string list : {",", "mesh,,ring"})
    EXPECT_TRUE(contains(error({"allreduce", "--schedules", list}), "a name is missing between"));
  EXPECT_TRUE(contains(error({"allreduce", "--csv", "/proc/none"}), "--csv: cannot write"));
  EXPECT_TRUE(contains(error({"allreduce", "--ranks", "2,x"}), "--ranks: 'x'"));
  EXPECT_TRUE(contains(error({"allreduce", "--bytes", "0"}), "--bytes: '0'"));
  EXPECT_TRUE(contains(error({"allreduce", "-p", "a22"}), "a22"));
  EXPECT_TRUE(contains(error({"allreduce", "-p", "a2", "--ranks", "2..16"}), "no device 15"));
  EXPECT_TRUE(contains(error({"allreduce", "--out", "/proc/none"}), "--out: cannot make"));
}

}  // namespace
}  // namespace a2a3::test::compare_test
