// SPDX-License-Identifier: Apache-2.0
// What the cost card counts, against the formulas of the schedules.
#include <gtest/gtest.h>

#include "card.hpp"

namespace a2a3::test::traffic_test {
namespace {

using Json = nlohmann::json;

constexpr Bytes kFp32 = 4;

Json card(const std::string& example, const std::string& mode, int ranks, int size) {
  std::vector<std::string> settings;
  if (size > 0) settings.push_back("SIZE=" + std::to_string(size));
  return run_card(example, mode, ranks, settings);
}

class Traffic : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  Bytes ranks_ = static_cast<Bytes>(std::get<0>(GetParam()));
  Bytes peers_ = ranks_ - 1;
  Bytes row_ = static_cast<Bytes>(std::get<1>(GetParam())) * kFp32;
  Bytes alone_ = ranks_ == 1 ? 1 : 0;  ///< with one rank, the neighbour is oneself

  [[nodiscard]] static Json run(const std::string& example, const std::string& mode) {
    return card(example, mode, std::get<0>(GetParam()), std::get<1>(GetParam()));
  }
  /// One message of so many bytes to a neighbour.
  [[nodiscard]] Expected to_neighbour(Bytes bytes) const {
    return {bytes * (1 - alone_), bytes * (1 - alone_), bytes * alone_, 0, 0};
  }
};

TEST_P(Traffic, AllgatherByHand) {
  const Json card = run("13_allgather", "hand");
  expect_ranks(card, {peers_ * row_, peers_ * row_, row_, peers_, 0});
  expect_balance(card);
  // (P-1)/P of the output.
  const Bytes output = ranks_ * row_;
  EXPECT_EQ(card["ranks"][0]["payload_received_bytes"], peers_ * output / ranks_);
  // Own input and gathered rows are read, staged row and output are written.
  EXPECT_EQ(card["ranks"][0]["gm_read_bytes"], row_ + ranks_ * row_);
  EXPECT_EQ(card["ranks"][0]["gm_written_bytes"], row_ + output);
}

TEST_P(Traffic, RemoteLoadAndStore) {
  for (const std::string mode : {"load", "store"}) {
    SCOPED_TRACE(mode);
    const Json card = run("05_remote_load_store", mode);
    Expected expected = to_neighbour(row_);
    expected.signals = peers_;
    expect_ranks(card, expected);
    expect_balance(card);
  }
}

TEST_P(Traffic, PutAndGetMoveTheSameBytesInEveryForm) {
  constexpr Bytes kRows = 8;
  for (const std::string mode :
       {"put", "put_chunked", "put_pipelined", "get", "get_chunked", "get_pipelined"}) {
    SCOPED_TRACE(mode);
    const Json card = run("06_put_get", mode);
    Expected expected = to_neighbour(kRows * row_);
    expected.signals = 1 - alone_;
    expected.self_signals = alone_;
    expect_ranks(card, expected);
    expect_balance(card);
  }
}

TEST_P(Traffic, NeighbourExchange) {
  const Json card = run("07_dynamic_rank_count", "");
  Expected expected = to_neighbour(row_);
  expected.signals = 1 - alone_;
  expected.self_signals = alone_;
  expect_ranks(card, expected);
  expect_balance(card);
}

TEST_P(Traffic, LocalKernelsUseNoLink) {
  for (const std::string example : {"02_programming_model", "03_window_buffer"}) {
    SCOPED_TRACE(example);
    const Json card = run(example, "");
    expect_ranks(card, {});
    EXPECT_TRUE(card["links"].empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Traffic,
                         testing::Combine(testing::Values(1, 2, 3, 4, 5, 7, 8),
                                          testing::Values(1, 17, 64, 1000)),
                         [](const auto& at) {
                           return "p" + std::to_string(std::get<0>(at.param)) + "_size" +
                                  std::to_string(std::get<1>(at.param));
                         });

TEST(TrafficOfSignals, BarrierByHand) {
  for (const int ranks : {1, 2, 3, 4, 5, 7, 8}) {
    SCOPED_TRACE(ranks);
    const Json result = card("04_barrier", "hand", ranks, 0);
    expect_ranks(result, {0, 0, 0, static_cast<Bytes>(ranks) - 1, 0});
    expect_balance(result);
  }
}

TEST(TrafficOfSignals, AllgatherAtFourRanksOfSixtyFour) {
  const Json result = card("13_allgather", "hand", 4, 64);
  for (const Json& rank : result["ranks"]) {
    EXPECT_EQ(rank["payload_received_bytes"], 768);
    EXPECT_EQ(rank["payload_sent_bytes"], 768);
    EXPECT_EQ(rank["local_bytes"], 256);
    EXPECT_EQ(rank["signals_sent_count"], 3);
    EXPECT_EQ(rank["signals_received_count"], 3);
  }
}

const std::vector<std::string> kRing{"run", "examples/10_allreduce_ring.py", "-d", "0-3"};

Finished ring(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = kRing;
  arguments.insert(arguments.end(), more.begin(), more.end());
  return a2a3sim(arguments);
}

TEST(WrongTraffic, NamesTheOptionThatClaimsIt) {
  const Finished run = ring({"--traffic", "allreduce.mesh"});
  EXPECT_EQ(run.status, 2);
  EXPECT_TRUE(contains(run.err, "if the kernel is right, correct --traffic, or leave it out"));
  EXPECT_FALSE(contains(run.err, "claimed at"));
}

/// A run file's claim has a line, and --no-traffic runs without it.
TEST(WrongTraffic, NamesTheLineOfTheRunFileAndIsDroppedByAnOption) {
  const ScratchDir scratch;
  const std::string text = read_file(A2A3_SOURCE_DIR "/examples/13_allgather.py");
  const std::string run_file = read_file(A2A3_SOURCE_DIR "/examples/13_allgather.yaml");
  const std::string wrong =
      scratch.write("kernel.yaml", replaced(run_file, "build_hand, traffic: allgather",
                                            "build_hand, traffic: {sent: 3, received: 4}"));
  const std::string kernel = scratch.write("kernel.py", text);
  for (const std::string ranks : {"0", "0-2", "0-7"}) {
    const Finished run = a2a3sim({"run", kernel, "-d", ranks});
    EXPECT_EQ(run.status, 2);
    EXPECT_TRUE(contains(run.err, "claimed at " + wrong + ":")) << run.err;
    EXPECT_TRUE(contains(run.err, "correct the claim there, or run with --no-traffic"));
    const Finished without = a2a3sim({"run", kernel, "-d", ranks, "--no-traffic"});
    EXPECT_EQ(without.status, 0) << without.err;
    EXPECT_EQ(without.last_line(), "OK");
    EXPECT_TRUE(contains(a2a3sim({"run", kernel, "-d", ranks}).out, "closed form = measured"));
    EXPECT_FALSE(contains(without.out, "closed form"));
  }
  const Finished checked =
      a2a3sim({"check", kernel, "--ranks", "2", "--seeds", "1", "--skews", "0"});
  EXPECT_EQ(checked.status, 2);
  EXPECT_TRUE(contains(checked.err, "claimed at " + wrong + ":")) << checked.err;
  EXPECT_EQ(
      a2a3sim({"check", kernel, "--ranks", "2", "--seeds", "1", "--skews", "0", "--no-traffic"})
          .status,
      0);
}

/// The order of a replayed sum is still that of the claim.
TEST(WrongTraffic, ADroppedClaimGivesTheOrderOfAReplay) {
  for (const std::string ranks : {"1", "3", "5"}) {
    const int last = std::stoi(ranks) - 1;
    const Finished run =
        a2a3sim({"run", "examples/10_allreduce_ring.py", "-d", "0-" + std::to_string(last),
                 "--compare", "replay", "--no-traffic"});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.last_line(), "OK");
  }
  const Finished both = ring({"--no-traffic", "--traffic", "allreduce.ring"});
  EXPECT_EQ(both.status, 1);
  EXPECT_TRUE(contains(both.err, "--no-traffic")) << both.err;
}

TEST(WrongTraffic, IsOneLineWhereThereAreRaces) {
  const ScratchDir scratch;
  std::string text = read_file(A2A3_SOURCE_DIR "/examples/13_allgather.py");
  const std::size_t begin = text.find("            # Phase 2");
  text.erase(begin, text.find("            # Phase 3") - begin);
  scratch.write("kernel.yaml", read_file(A2A3_SOURCE_DIR "/examples/13_allgather.yaml"));
  const Finished run = a2a3sim({"run", scratch.write("kernel.py", text), "-d", "0-2"});
  EXPECT_EQ(run.status, 4);
  EXPECT_TRUE(contains(run.err,
                       "wrong traffic: allgather, claimed does not move what its closed form says "
                       "on ranks 0-2; look at the races first\n"))
      << run.err;
  EXPECT_FALSE(contains(run.err, "closed form: ")) << run.err;
  EXPECT_FALSE(contains(run.err, "claimed at")) << run.err;
}

}  // namespace
}  // namespace a2a3::test::traffic_test
