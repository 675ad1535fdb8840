// SPDX-License-Identifier: Apache-2.0
// The same run twice gives the same bytes; the engines agree bit for bit.
#include <gtest/gtest.h>

#include "program.hpp"

namespace a2a3::test::determinism_test {
namespace {

struct Outputs {
  std::string text;
  std::string json;
  std::string npy;
};

Outputs outputs(const std::vector<std::string>& more) {
  const ScratchDir scratch;
  const std::string json = scratch.file("card.json");
  const std::string npy = scratch.file("y.npy");
  std::vector<std::string> arguments{"run", "--json", json, "--dump", "y=" + npy};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Finished run = a2a3sim(arguments);
  EXPECT_EQ(run.status, 0) << run.err;
  return {run.out, read_file(json), read_file(npy)};
}

const std::vector<std::vector<std::string>> kRuns = {
    {"examples/13_allgather.py", "-d", "0-6", "--set", "SIZE=1000"},
    {"examples/06_put_get.py", "--mode", "get_pipelined", "-d", "0-4"},
    {"examples/07_dynamic_rank_count.py", "-d", "0-15", "--input", "x: normal(seed=3)"},
    {"examples/05_remote_load_store.py", "--mode", "store", "-d", "0-3", "--skew", "rank=2:3us"},
};

TEST(Determinism, TwoRunsGiveTheSameBytes) {
  for (const auto& run : kRuns) {
    SCOPED_TRACE(run[0]);
    const Outputs first = outputs(run);
    const Outputs second = outputs(run);
    EXPECT_EQ(first.text, second.text);
    EXPECT_EQ(first.json, second.json);
    EXPECT_EQ(first.npy, second.npy);
  }
}

TEST(Determinism, EnginesAgreeBitForBit) {
  for (const auto& run : kRuns) {
    SCOPED_TRACE(run[0]);
    const std::string timed = outputs(run).npy;
    for (const std::string seed : {"1", "99"}) {
      std::vector<std::string> untimed = run;
      untimed.insert(untimed.end(), {"--engine", "untimed", "--seed", seed});
      EXPECT_EQ(outputs(untimed).npy, timed);
    }
  }
}

TEST(Determinism, DeviceIdsOnlyName) {
  const Outputs low = outputs({"examples/13_allgather.py", "-d", "0,1,2"});
  const Outputs high = outputs({"examples/13_allgather.py", "-d", "5,3,9"});
  EXPECT_EQ(low.npy, high.npy);
  const auto ranks = [](const Outputs& run) {
    auto card = nlohmann::json::parse(run.json);
    for (auto& rank : card["ranks"])
      rank.erase("device");
    return card["ranks"];
  };
  EXPECT_EQ(ranks(low), ranks(high));
}

}  // namespace
}  // namespace a2a3::test::determinism_test
