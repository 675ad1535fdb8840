// SPDX-License-Identifier: Apache-2.0
// The hand-written collectives of the ladder, steps 08 to 15, against the closed forms of their
// traffic, ragged sizes included.
#include <functional>

#include <gtest/gtest.h>

#include "card.hpp"

namespace a2a3::test::ladder_test {
namespace {

/// A collective of N elements over P ranks, seen from rank r.
struct At {
  Bytes ranks;
  Bytes rank;
  Bytes size;

  [[nodiscard]] Bytes peers() const { return ranks - 1; }
  /// Elements in the segment of a rank: N is cut at floor(N * r / P).
  [[nodiscard]] Bytes segment(Bytes of) const {
    const Bytes r = of % ranks;
    return size * (r + 1) / ranks - size * r / ranks;
  }
};

Expected mesh(const At& at) {
  return {at.peers() * at.size, at.peers() * at.size, 0, at.peers(), 0};
}

Expected two_phase(const At& at) {
  const Bytes own = at.segment(at.rank);
  const Bytes moved = at.peers() * own + at.size - own;
  return {moved, moved, own, 2 * at.peers(), 0};
}

Expected ring(const At& at) {
  const Bytes own = at.segment(at.rank);
  return {2 * at.size - at.segment(at.rank + at.peers()) - own,
          2 * at.size - own - at.segment(at.rank + 1), 0, 2 * at.peers() * at.peers(), 0};
}

constexpr Bytes kRoot = 0;

Expected broadcast(const At& at) {
  if (at.rank == kRoot) return {0, at.peers() * at.size, at.size, at.peers(), 0};
  return {at.size, 0, 0, at.peers(), 0};
}

Expected all_to_all(const At& at) {
  return {at.peers() * at.size, at.peers() * at.size, at.size, at.peers(), 0};
}

struct Schedule {
  std::string example;
  std::string mode;
  std::function<Expected(const At&)> elements;  ///< with elements where Expected counts bytes
};

const std::vector<Schedule> kSchedules = {
    {"08_allreduce_mesh", "", mesh},
    {"09_allreduce_two_phase", "", two_phase},
    {"10_allreduce_ring", "", ring},
    {"12_broadcast", "hand", broadcast},
    {"14_reduce_scatter", "hand", mesh},  // each rank pulls its row of SIZE elements from every
                                          // peer
    {"15_all_to_all", "hand", all_to_all},
};

using Case = std::tuple<Schedule, int>;

class Ladder : public testing::TestWithParam<Case> {
 protected:
  static void expect_closed_form(int size, const std::string& dtype, Bytes element_bytes) {
    const auto& [schedule, ranks] = GetParam();
    SCOPED_TRACE("SIZE=" + std::to_string(size) + " " + dtype);
    const nlohmann::json result = run_card(schedule.example, schedule.mode, ranks,
                                           {"SIZE=" + std::to_string(size), "DTYPE=" + dtype});
    for (int rank = 0; rank < ranks; ++rank) {
      Expected expected = schedule.elements(
          {static_cast<Bytes>(ranks), static_cast<Bytes>(rank), static_cast<Bytes>(size)});
      for (Bytes* count : {&expected.received, &expected.sent, &expected.local})
        *count *= element_bytes;
      expect_rank(result, rank, expected);
    }
    expect_balance(result);
  }
};

TEST_P(Ladder, MovesTheBytesOfItsClosedForm) {
  for (const int size : {1, 2, 17, 64, 1000, 4097})
    expect_closed_form(size, "FP32", 4);
}

TEST_P(Ladder, MovesHalfOfThemInHalfPrecision) {
  for (const int size : {1, 17, 4097})
    expect_closed_form(size, "FP16", 2);
}

INSTANTIATE_TEST_SUITE_P(ByHand, Ladder,
                         testing::Combine(testing::ValuesIn(kSchedules),
                                          testing::Values(1, 2, 3, 4, 5, 7, 8, 16)),
                         [](const auto& at) {
                           return "e" + std::get<0>(at.param).example + "_p" +
                                  std::to_string(std::get<1>(at.param));
                         });

/// Sizes that fit no unified buffer, moved in chunks.
class LargeLadder : public Ladder {};

TEST_P(LargeLadder, MovesTheBytesOfItsClosedForm) {
  expect_closed_form(65537, "FP32", 4);
  expect_closed_form(65537, "FP16", 2);
}

INSTANTIATE_TEST_SUITE_P(ByHand, LargeLadder,
                         testing::Combine(testing::ValuesIn(kSchedules), testing::Values(1, 3)),
                         [](const auto& at) {
                           return "e" + std::get<0>(at.param).example + "_p" +
                                  std::to_string(std::get<1>(at.param));
                         });

void expect_received_elements(const std::string& example, int size,
                              const std::vector<Bytes>& elements) {
  SCOPED_TRACE(example + " SIZE=" + std::to_string(size));
  const nlohmann::json result =
      run_card(example, "", static_cast<int>(elements.size()), {"SIZE=" + std::to_string(size)});
  for (std::size_t rank = 0; rank < elements.size(); ++rank)
    EXPECT_EQ(result["ranks"][rank]["payload_received_bytes"], 4 * elements[rank]) << rank;
}

TEST(RaggedLadder, FiveElementsOnFourRanks) {
  expect_received_elements("08_allreduce_mesh", 5, {15, 15, 15, 15});
  expect_received_elements("09_allreduce_two_phase", 5, {7, 7, 7, 9});
  expect_received_elements("10_allreduce_ring", 5, {7, 8, 8, 7});
}

TEST(RaggedLadder, FewerElementsThanRanks) {
  expect_received_elements("09_allreduce_two_phase", 2, {2, 4, 2, 4});
  expect_received_elements("10_allreduce_ring", 2, {3, 3, 3, 3});
}

TEST(RaggedLadder, RingAndTwoPhaseMoveAsMuchInAll) {
  for (const int size : {1, 2, 5, 7, 100}) {
    for (const int ranks : {2, 3, 4, 7}) {
      SCOPED_TRACE("SIZE=" + std::to_string(size) + " P=" + std::to_string(ranks));
      for (const std::string example : {"09_allreduce_two_phase", "10_allreduce_ring"}) {
        const nlohmann::json result =
            run_card(example, "", ranks, {"SIZE=" + std::to_string(size)});
        EXPECT_EQ(result["total"]["payload_received_bytes"], 2 * (ranks - 1) * size * 4) << example;
      }
    }
  }
}

TEST(BroadcastByHand, AnyRankMayBeTheRoot) {
  for (const Bytes root : {1, 4}) {
    SCOPED_TRACE(root);
    const nlohmann::json result =
        run_card("12_broadcast", "hand", 5, {"SIZE=100", "ROOT_RANK=" + std::to_string(root)});
    for (int rank = 0; rank < 5; ++rank) {
      const bool is_root = static_cast<Bytes>(rank) == root;
      expect_rank(result, rank, is_root ? Expected{0, 1600, 400, 4, 0} : Expected{400, 0, 0, 4, 0});
    }
  }
}

}  // namespace
}  // namespace a2a3::test::ladder_test
