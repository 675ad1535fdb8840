// SPDX-License-Identifier: Apache-2.0
// machine calibrate: the shipped measurements are met, and a machine that misses them is told.
#include <array>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "program.hpp"

namespace a2a3::test::calibrate_test {
namespace {

const std::string kSmall =
    "machine: a2\n"
    "count: 20 ns\n"
    "tables:\n"
    "  one:\n"
    "    title: One row\n"
    "    source: a test\n"
    "    workload: serial_transfer\n"
    "    unit: ns\n"
    "    row_error: 0.03\n"
    "    rows:\n"
    "      - {op: load, bytes: 8 KiB, measured: 180.5}\n";

/// The bars stand here once more, so that no edit of the data file loosens them.
TEST(Calibrate, TheShippedMeasurementsAreMetWithinTheBars) {
  const Finished run = a2a3sim({"machine", "calibrate", "--json"});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  const nlohmann::json all = nlohmann::json::parse(run.out);
  ASSERT_EQ(all["machines"].size(), 2u);
  const nlohmann::json& json = all["machines"][0];
  EXPECT_EQ(json["machine"], "a2");
  EXPECT_EQ(json["within"], true);
  const std::map<std::string, double> row_bars = {
      {"tget", 0.04},        {"tget_async", 0.04},    {"all_to_all", 0.06},
      {"local_loads", 0.03}, {"serial_copies", 0.03}, {"dma", 0.04},
      {"loads", 0.04},       {"vector", 0.04},        {"cube", 0.0001}};
  const std::map<std::string, double> mean_bars = {
      {"tget", 0.02}, {"tget_async", 0.015}, {"local_loads", 0.03}, {"serial_copies", 0.03}};
  ASSERT_EQ(json["tables"].size(), row_bars.size());
  for (const auto& table : json["tables"]) {
    double sum = 0;
    for (const auto& row : table["rows"]) {
      const double error = row["error"];
      EXPECT_LE(std::abs(error), row_bars.at(table["name"])) << table["name"] << row;
      EXPECT_NEAR(error, row["simulated"].get<double>() / row["measured"].get<double>() - 1, 1e-9);
      sum += std::abs(error);
    }
    EXPECT_NEAR(table["mean_error"], sum / static_cast<double>(table["rows"].size()), 1e-9);
    const auto bar = mean_bars.find(table["name"]);
    if (bar != mean_bars.end()) {
      EXPECT_LE(table["mean_error"], bar->second) << table["name"];
    }
  }
}

/// hardware.md, section 4: blocks of 1 and 8 MiB, read and written.
TEST(Calibrate, TheDmaOfA3IsMeasuredBetweenTwoPackagesOfANode) {
  const Finished run = a2a3sim({"machine", "calibrate", "a3", "--json"});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  const nlohmann::json json = nlohmann::json::parse(run.out)["machines"][0];
  EXPECT_EQ(json["machine"], "a3");
  const auto& rows = json["tables"][0]["rows"];
  const std::array measured{124.1, 148.1, 106.3, 123.5};
  ASSERT_EQ(rows.size(), measured.size());
  for (std::size_t i = 0; i < measured.size(); ++i) {
    EXPECT_EQ(rows[i]["measured"], measured.at(i));
    EXPECT_LE(std::abs(rows[i]["error"].get<double>()), 0.04) << rows[i];
  }
  // Dies of one package are nearer: another peer, another figure.
  const ScratchDir scratch;
  const auto from = [&](const std::string& peer) {
    const std::string row = "{op: read, bytes: 8 MiB, measured: 1, streams: 1, peer: " + peer + "}";
    std::string text = replaced(kSmall, "machine: a2", "machine: a3");
    text = replaced(text, "{op: load, bytes: 8 KiB, measured: 180.5}", row);
    text = replaced(text, "serial_transfer", "dma_block");
    const Finished one =
        a2a3sim({"machine", "calibrate", scratch.write("one.yaml", text), "--json"});
    return nlohmann::json::parse(one.out)["machines"][0]["tables"][0]["rows"][0]["simulated"]
        .get<double>();
  };
  EXPECT_LT(from("1"), from("2"));
  EXPECT_LT(from("2"), from("16"));
}

TEST(Calibrate, AMissedBarIsStatus2) {
  const ScratchDir scratch;
  const std::string data = scratch.write("data.yaml", kSmall);
  const Finished met = a2a3sim({"machine", "calibrate", data});
  EXPECT_EQ(met.status, 0) << met.err;
  EXPECT_TRUE(contains(met.out, "load, 8 KiB"));
  const std::string slow =
      scratch.write("slow.yaml", "extends: a2\ncore:\n  load_startup: 300 cycles\n");
  const Finished missed = a2a3sim({"machine", "calibrate", data, "-p", slow});
  EXPECT_EQ(missed.status, 2);
  EXPECT_TRUE(contains(missed.out, "missed"));
}

TEST(Calibrate, AMeanHasItsOwnBar) {
  const ScratchDir scratch;
  const std::string strict = replaced(kSmall, "    rows:\n", "    mean_error: 0.0001\n    rows:\n");
  const Finished run = a2a3sim({"machine", "calibrate", scratch.write("data.yaml", strict)});
  EXPECT_EQ(run.status, 2);
  EXPECT_TRUE(contains(run.out, "at most 0.01 %: missed"));
}

TEST(Calibrate, WrongDataIsSaidWithItsPlace) {
  const ScratchDir scratch;
  const auto errors = [&](const std::string& from, const std::string& to) {
    const std::string file = scratch.write("data.yaml", replaced(kSmall, from, to));
    const Finished run = a2a3sim({"machine", "calibrate", file});
    EXPECT_EQ(run.status, 1) << run.out;
    EXPECT_EQ(run.out, "");
    return run.err;
  };
  EXPECT_TRUE(contains(errors("serial_transfer", "serial_transfers"),
                       "data.yaml:7:15: error: workload: unknown word 'serial_transfers'"));
  EXPECT_TRUE(contains(errors("8 KiB", "8 KiloByte"), "data.yaml:11:27: error: bytes:"));
  EXPECT_TRUE(contains(errors("8 KiB", "2 GiB"), "out of range"));
  EXPECT_TRUE(contains(errors("bytes: 8 KiB", "byte: 8 KiB"), "'bytes' is missing"));
  EXPECT_TRUE(contains(errors("unit: ns", "unit: hours"), "unit: unknown word 'hours'"));
  EXPECT_TRUE(contains(errors("measured: 180.5", "measured: -3"), "out of range"));
  EXPECT_TRUE(contains(errors("    row_error: 0.03\n", ""), "'row_error' is missing"));
  EXPECT_TRUE(
      contains(errors("rows:\n      - {op: load, bytes: 8 KiB, measured: 180.5}\n", "rows: []\n"),
               "at least one row"));
  EXPECT_TRUE(contains(errors("machine: a2", "machine: a9"), "unknown machine 'a9'"));
  const auto cannot = [&](const std::string& workload, const std::string& row) {
    const std::string text = replaced(kSmall, "serial_transfer", workload);
    const std::string file =
        scratch.write("data.yaml", replaced(text, "{op: load, bytes: 8 KiB,", "{" + row + ","));
    const Finished run = a2a3sim({"machine", "calibrate", file});
    EXPECT_EQ(run.status, 1) << run.out;
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(contains(run.err, "data.yaml:11:9: error: " + workload + " cannot run on a2: "))
        << run.err;
    return run.err;
  };
  EXPECT_TRUE(contains(cannot("load", "rows: 64, bytes: 128 KiB"), "of the unified buffer"));
  EXPECT_TRUE(contains(cannot("serial_transfer", "op: store, bytes: 1 GiB"), "unified buffer"));
  EXPECT_TRUE(contains(cannot("get", "bytes: 1 MiB, stage: 512 KiB"), "unified buffer"));
  EXPECT_TRUE(contains(cannot("all_to_all", "ranks: 2, bytes: 1 MiB, chunk: 1 MiB"), "unified"));
  EXPECT_TRUE(contains(cannot("operation", "op: add, dtype: fp32, rows: 4096, cols: 4096"),
                       "unified buffer"));
  EXPECT_TRUE(contains(cannot("parallel_loads", "cores: 1, loads: 1000000, bytes: 128 KiB"),
                       "of a device's global memory, which has"));
  EXPECT_TRUE(contains(cannot("parallel_loads", "cores: 1024, loads: 1, bytes: 4 B"),
                       "1024 cores of a device, which has 48"));
  EXPECT_TRUE(contains(cannot("all_to_all", "ranks: 64, bytes: 4 B, chunk: 4 B"), "64 devices"));
  const Finished missing = a2a3sim({"machine", "calibrate", "b9"});
  EXPECT_EQ(missing.status, 1);
  EXPECT_TRUE(contains(missing.err, "b9.yaml"));
  EXPECT_TRUE(contains(missing.err, "shipped measurements: a2, a3"));
}

}  // namespace
}  // namespace a2a3::test::calibrate_test
