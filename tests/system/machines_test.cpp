// SPDX-License-Identifier: Apache-2.0
// Kernels on every machine and topology: right results, the same traffic of ranks, times that
// follow the placement.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "system/program.hpp"

namespace a2a3::test::machines_test {
namespace {

using Json = nlohmann::json;

const char* const kRing = "examples/10_allreduce_ring.py";

Json report(const ScratchDir& scratch, std::vector<std::string> arguments) {
  const std::string path = scratch.file("report.json");
  arguments.insert(arguments.end(), {"--quiet", "--json", path});
  const Finished run = a2a3sim(arguments);
  EXPECT_EQ(run.status, 0) << run.err;
  return read_json(path);
}

/// A machine file with this topology of `devices` devices that links like a2.
std::string machine(const ScratchDir& scratch, const std::string& topology, int devices) {
  std::string text = "extends: a2\ndevices: " + std::to_string(devices) + "\n";
  text += "topology: " + topology + "\n";
  if (topology == "torus") text += "torus: {rows: 1, columns: " + std::to_string(devices) + "}\n";
  return scratch.write(topology + std::to_string(devices) + ".yaml", text);
}

/// Traffic of all ranks without what depends on time.
Json traffic(const Json& run) {
  Json ranks = Json::array();
  for (const Json& rank : run.at("ranks"))
    for (const char* counted :
         {"payload_received_bytes", "payload_sent_bytes", "local_bytes", "signals_received_count",
          "signals_sent_count", "self_signals_count", "gm_written_bytes"})
      ranks.push_back(rank.at(counted));
  return ranks;
}

TEST(Machines, TrafficOfRanksDoesNotDependOnTheTopology) {
  const ScratchDir scratch;
  for (const int count : {1, 2, 3, 4, 5, 7, 8}) {
    for (const char* kernel : {kRing, "examples/08_allreduce_mesh.py", "examples/06_put_get.py"}) {
      if (count == 1 && kernel != kRing) continue;
      const Json mesh = report(scratch, {"run", kernel, "-d", devices(count), "-p", "a2"});
      for (const std::string& platform :
           {std::string("a3"), std::string("teaching"), machine(scratch, "ring", count),
            machine(scratch, "torus", count)}) {
        const Json other = report(scratch, {"run", kernel, "-d", devices(count), "-p", platform});
        EXPECT_EQ(traffic(other), traffic(mesh)) << kernel << " " << platform << " " << count;
        EXPECT_EQ(other.at("verdict"), "ok");
      }
    }
  }
}

TEST(Machines, TheOrderOfDevicesDecidesWhereRanksAre) {
  const ScratchDir scratch;
  const auto time = [&](const std::string& list) {
    return report(scratch, {"run", "examples/13_allgather.py", "-d", list, "-p", "a3"})
        .at("total")
        .at("total_ps")
        .get<std::uint64_t>();
  };
  const std::uint64_t package = time("0,1");
  EXPECT_LT(package, time("0,2")) << "two packages";
  EXPECT_LT(time("0,2"), time("0,16")) << "two nodes";
  EXPECT_EQ(package, time("7,6"));
  EXPECT_LT(time("0-3"), time("0,2,4,6"));
}

TEST(Machines, ALinkThatARingPassesIsReported) {
  const ScratchDir scratch;
  const std::string ring = machine(scratch, "ring", 8);
  const Json run = report(scratch, {"run", kRing, "-d", "0,2", "-p", ring});
  bool passed = false;
  for (const Json& link : run.at("links")) {
    if (link.at("to_device") != 1) continue;
    passed = true;
    EXPECT_TRUE(link.at("to_rank").is_null());
    EXPECT_EQ(link.at("from_rank"), link.at("from_device") == 0 ? 0 : 1);
  }
  EXPECT_TRUE(passed);
}

TEST(Machines, DrawnSkewIsRecorded) {
  const ScratchDir scratch;
  const std::vector<std::string> base = {"run", kRing, "-d", "0-3"};
  std::vector<std::string> drawn = base;
  drawn.insert(drawn.end(), {"--skew", "uniform(seed=3, max=10us)", "--skew", "rank=2:1us"});
  const Json run = report(scratch, drawn);
  EXPECT_EQ(run.at("skew_ps_by_rank").size(), 4u);
  EXPECT_EQ(run.at("skew_ps_by_rank").at("2"), 1'000'000);
  EXPECT_EQ(run.at("start_ps_by_rank").at(2), 1'000'000);
  EXPECT_GT(run.at("start_ps_by_rank").at(0), 0);
  EXPECT_EQ(report(scratch, drawn), run) << "the same again";
  std::vector<std::string> by_file = base;
  by_file.insert(by_file.end(), {"-p", scratch.write("late.yaml",
                                                     "extends: a2\nlaunch: {distribution: uniform, "
                                                     "seed: 3, max: 10 us}\n")});
  const Json from_file = report(scratch, by_file);
  EXPECT_EQ(from_file.at("start_ps_by_rank").at(0), run.at("start_ps_by_rank").at(0));
  EXPECT_TRUE(from_file.at("skew_ps_by_rank").empty());
}

TEST(Machines, SourcesAreExplainedOnRequest) {
  const Finished plain = a2a3sim({"machine", "show", "a3"});
  const Finished with = a2a3sim({"machine", "show", "a3", "--sources"});
  EXPECT_EQ(with.out.substr(0, plain.out.size()), plain.out);
  EXPECT_NE(with.out.find("arXiv 2607.26444", plain.out.size()), std::string::npos);
}

TEST(Machines, KeysAreListed) {
  const Finished keys = a2a3sim({"machine", "keys"});
  EXPECT_EQ(keys.status, 0);
  for (const char* key : {"`switch.node.hop_latency`", "`slow_links`", "`link.aiv_egress`"})
    EXPECT_NE(keys.out.find(key), std::string::npos) << key;
}

}  // namespace
}  // namespace a2a3::test::machines_test
