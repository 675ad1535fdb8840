// SPDX-License-Identifier: Apache-2.0
#include "models/traffic/schedule.hpp"

#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace a2a3::models::schedule_test {
namespace {

using enum ScheduleForm;

ExpectedTraffic traffic(std::string_view name, ScheduleForm form, const ScheduleSize& size) {
  const Schedule* schedule = find_schedule(name, form);
  EXPECT_NE(schedule, nullptr) << name;
  return schedule == nullptr ? ExpectedTraffic{} : schedule->traffic(size);
}

std::vector<std::int64_t> received_elements(std::string_view name, std::int64_t ranks,
                                            std::int64_t elements) {
  std::vector<std::int64_t> received;
  for (std::int64_t rank = 0; rank < ranks; ++rank)
    received.push_back(*traffic(name, hand, {ranks, rank, elements, 1}).received_bytes);
  return received;
}

using Elements = std::vector<std::int64_t>;

TEST(Schedule, RaggedSizes) {
  EXPECT_EQ(received_elements("allreduce.ring", 4, 5), (Elements{7, 8, 8, 7}));
  EXPECT_EQ(received_elements("allreduce.two_phase", 4, 5), (Elements{7, 7, 7, 9}));
  EXPECT_EQ(received_elements("allreduce.mesh", 4, 5), (Elements{15, 15, 15, 15}));
  EXPECT_EQ(received_elements("allreduce.ring", 4, 2), (Elements{3, 3, 3, 3}));
  EXPECT_EQ(received_elements("allreduce.two_phase", 4, 2), (Elements{2, 4, 2, 4}));
}

/// What is sent anywhere is received somewhere.
TEST(Schedule, SentAndReceivedBalance) {
  for (const Schedule& schedule : schedules()) {
    for (const std::int64_t ranks : {1, 2, 3, 4, 5, 7, 8, 16}) {
      for (const std::int64_t elements : {1, 2, 17, 64, 1000, 4097, 65537}) {
        for (const std::int64_t bytes : {2, 4}) {
          SCOPED_TRACE(std::string(schedule.name) + " P=" + std::to_string(ranks) +
                       " N=" + std::to_string(elements));
          std::int64_t balance = 0;
          for (std::int64_t rank = 0; rank < ranks; ++rank) {
            const ExpectedTraffic one = schedule.traffic({ranks, rank, elements, bytes, ranks - 1});
            balance += *one.sent_bytes - *one.received_bytes;
            EXPECT_LE(one.useful_bytes.value_or(0), *one.received_bytes);
            if (ranks > 1) continue;
            EXPECT_EQ(*one.received_bytes + *one.sent_bytes + *one.signals, 0);
          }
          EXPECT_EQ(balance, 0);
        }
      }
    }
  }
}

/// The table of message counts for few ranks, in signals per rank.
TEST(Schedule, SignalsOfFewRanks) {
  struct Row {
    std::int64_t ranks, mesh, ring, ring_by_hand;
  };
  for (const Row& row :
       {Row{2, 2, 4, 2}, Row{3, 4, 16, 8}, Row{4, 6, 36, 18}, Row{8, 14, 196, 98}}) {
    SCOPED_TRACE(row.ranks);
    const ScheduleSize size{row.ranks, 0, 64, 4};
    EXPECT_EQ(traffic("allreduce.mesh", in_core, size).signals, row.mesh);
    EXPECT_EQ(traffic("allreduce.ring", in_core, size).signals, row.ring);
    EXPECT_EQ(traffic("allreduce.ring", hand, size).signals, row.ring_by_hand);
  }
}

TEST(Schedule, ChunksAndBlocksCount) {
  // 4097 elements are two chunks of 16 KiB in FP32, and one in FP16, read up to the block's end.
  EXPECT_EQ(traffic("allreduce.mesh", in_core, {3, 0, 4097, 4}),
            (ExpectedTraffic{2 * 16388, 2 * 16388, 0, 2 * 3, 2, 2 * 16388}));
  EXPECT_EQ(traffic("allreduce.mesh", in_core, {3, 0, 4097, 2}),
            (ExpectedTraffic{2 * 8224, 2 * 8224, 0, 2 * 2, 2, 2 * 8194}));
  // Segments of FP16 are cut at whole blocks: 17 elements on two ranks are 16 and 1.
  EXPECT_EQ(segment_begin(17, 2, 1, 16), 16);
  EXPECT_EQ(segment_begin(17, 2, 1), 8);
  EXPECT_EQ(segment_begin(17, 2, 2, 16), 17);
}

TEST(Schedule, HostFormsMoveSmallTiles) {
  // 4097 elements are 17 tiles of 256.
  const ScheduleSize size{4, 1, 4097, 4, 0, 2};
  EXPECT_EQ(traffic("allreduce.mesh", host, size).signals, 3 * (2 + 17));
  EXPECT_EQ(traffic("allreduce.mesh", host, size).clears, 3 * 2);
  EXPECT_EQ(traffic("broadcast", host, size).signals, 3 * 17);
  EXPECT_EQ(traffic("broadcast", host, size).clears, 3);
  for (const auto& [ranks, messages] :
       {std::pair{2, 3}, std::pair{3, 10}, std::pair{4, 21}, std::pair{8, 105}}) {
    const ExpectedTraffic ring = traffic("allreduce.ring", host, {ranks, 0, 64 * ranks, 4});
    EXPECT_EQ(ring.signals, messages);
    EXPECT_EQ(ring.clears, messages);
    EXPECT_EQ(ring.received_bytes, 2 * (ranks - 1) * 256);
  }
}

TEST(Schedule, BroadcastHasARoot) {
  const ExpectedTraffic root = traffic("broadcast", in_core, {4, 2, 64, 4, 2});
  EXPECT_EQ(root, (ExpectedTraffic{0, 768, 256, 3, 3, 0}));
  EXPECT_EQ(traffic("broadcast", hand, {4, 0, 64, 4, 2}), (ExpectedTraffic{256, 0, 0, 3, 0, 256}));
}

TEST(Schedule, CountedExchangeMovesWholeBlocks) {
  const ExpectedTraffic one = traffic("all_to_all_v", in_core, {4, 0, 3 * 8, 4});
  EXPECT_EQ(one.received_bytes, 3 * 96);
  EXPECT_EQ(one.local_bytes, 96);
  EXPECT_EQ(one.signals, 6);
  EXPECT_EQ(one.clears, 4);
  EXPECT_FALSE(one.useful_bytes) << "only the counts say it";
}

/// busbw is what crosses a link: per rank, (bytes received) / time, for schedules that move no more
/// than they must.
TEST(Schedule, BusFactorIsTheTrafficOfTheBestSchedule) {
  for (const char* name : {"allreduce.ring", "allgather", "reduce_scatter", "all_to_all"}) {
    for (const std::int64_t ranks : {2, 3, 4, 8}) {
      SCOPED_TRACE(std::string(name) + " P=" + std::to_string(ranks));
      const Schedule& schedule = *find_schedule(name, in_core);
      const ScheduleSize size{ranks, 0, 24 * ranks, 4};
      EXPECT_DOUBLE_EQ(
          schedule.bus_factor(ranks) * static_cast<double>(schedule.buffer_bytes(size)),
          static_cast<double>(*schedule.traffic(size).received_bytes));
    }
  }
  EXPECT_EQ(find_schedule("barrier", in_core)->buffer_bytes({4, 0, 64, 4}), 0);
}

TEST(Schedule, NamesAreDistinctAndFormulasGiven) {
  std::set<std::pair<std::string_view, ScheduleForm>> seen;
  for (const Schedule& schedule : schedules()) {
    EXPECT_TRUE(seen.emplace(schedule.name, schedule.form).second) << schedule.name;
    EXPECT_FALSE(schedule.formula().empty());
  }
  EXPECT_EQ(find_schedule("allreduce", hand), nullptr);
}

TEST(ExpectedTraffic, WhatOneDoesNotClaimTheSumDoesNot) {
  ExpectedTraffic sum{1, 2, 3, 4, 5, 6};
  sum += {10, {}, 30, 40, {}, 60};
  EXPECT_EQ(sum, (ExpectedTraffic{11, {}, 33, 44, {}, 66}));
}

}  // namespace
}  // namespace a2a3::models::schedule_test
