// SPDX-License-Identifier: Apache-2.0
#include "isa/order/shadow_memory.hpp"

#include <random>
#include <set>

#include <gtest/gtest.h>

namespace a2a3::isa::shadow_memory_test {
namespace {

constexpr Thread kThreads = 4;

struct Seen {
  RaceKind kind;
  Thread earlier;
  std::uint64_t begin;
  std::uint64_t end;
  friend bool operator==(const Seen&, const Seen&) = default;
};

class ShadowMemoryTest : public testing::Test {
 protected:
  std::vector<Seen> access(Thread thread, AccessKind kind, std::uint64_t begin, std::uint64_t end,
                           std::uint32_t index = 0) {
    std::vector<Seen> seen;
    shadow_.access(
        {begin, end, kind, {thread, index, thread, 0}}, clock_[thread],
        [&](const Conflict& conflict) {
          seen.push_back({conflict.kind, conflict.earlier.thread, conflict.begin, conflict.end});
        });
    return seen;
  }
  ShadowMemory shadow_;
  std::vector<VectorClock> clock_ = std::vector<VectorClock>(kThreads, VectorClock(kThreads));
};

TEST_F(ShadowMemoryTest, ReportsTheBytesInCommonPieceByPiece) {
  EXPECT_TRUE(access(0, AccessKind::write, 0, 16).empty());
  EXPECT_TRUE(access(1, AccessKind::write, 32, 48).empty());
  EXPECT_EQ(
      access(2, AccessKind::write, 8, 40),
      (std::vector<Seen>{{RaceKind::write_write, 0, 8, 16}, {RaceKind::write_write, 1, 32, 40}}));
}

// The kind says what the program means, whichever of the two this run did first.
TEST_F(ShadowMemoryTest, AReadThatHasItsDataComesBeforeTheWrite) {
  using Kinds = std::vector<Seen>;
  // Thread 0 writes, 1 reads behind it in order, 2 overwrites in no order: before or after 1.
  (void)access(0, AccessKind::write, 0, 8);
  clock_[1].add(0, 0);
  clock_[2].add(0, 0);
  (void)access(1, AccessKind::read, 0, 8);
  EXPECT_EQ(access(2, AccessKind::write, 0, 8), (Kinds{{RaceKind::write_after_read, 1, 0, 8}}));
  (void)access(0, AccessKind::write, 16, 24);
  (void)access(2, AccessKind::write, 16, 24);
  EXPECT_EQ(access(1, AccessKind::read, 16, 24), (Kinds{{RaceKind::write_after_read, 2, 16, 24}}));
}

TEST_F(ShadowMemoryTest, AReadWithoutDataWaitsForTheWrite) {
  using Kinds = std::vector<Seen>;
  // Nothing orders the writes of thread 0 before the reads of thread 1: not the first, not the
  // last.
  (void)access(0, AccessKind::write, 0, 8);
  EXPECT_EQ(access(1, AccessKind::read, 0, 8), (Kinds{{RaceKind::read_before_write, 0, 0, 8}}));
  EXPECT_EQ(access(0, AccessKind::write, 0, 8), (Kinds{{RaceKind::read_before_write, 1, 0, 8}}));
  (void)access(1, AccessKind::read, 16, 24);
  EXPECT_EQ(access(0, AccessKind::write, 16, 24),
            (Kinds{{RaceKind::read_before_write, 1, 16, 24}}));
}

TEST_F(ShadowMemoryTest, TouchingRangesHaveNothingInCommon) {
  EXPECT_TRUE(access(0, AccessKind::write, 16, 32).empty());
  EXPECT_TRUE(access(1, AccessKind::write, 0, 16).empty());
  EXPECT_TRUE(access(1, AccessKind::write, 32, 33).empty());
  EXPECT_TRUE(access(1, AccessKind::write, 20, 20).empty());
}

TEST_F(ShadowMemoryTest, RowsOfOneWriterBecomeOnePiece) {
  for (std::uint64_t row = 0; row < 100; ++row)
    (void)access(0, AccessKind::write, row * 32, row * 32 + 32);
  EXPECT_EQ(shadow_.records(), 1);
  for (std::uint64_t row = 100; row-- > 0;)
    (void)access(0, AccessKind::read, row * 32, row * 32 + 32);
  EXPECT_EQ(shadow_.records(), 2);
}

TEST_F(ShadowMemoryTest, AReadOfTwoGenerationsTellsWhichWayRound) {
  clock_[1].add(0, 0);
  (void)access(0, AccessKind::write, 0, 4, 0);
  EXPECT_TRUE(access(1, AccessKind::read, 0, 4).empty());
  (void)access(0, AccessKind::write, 0, 4, 1);
  EXPECT_EQ(access(1, AccessKind::read, 0, 4)[0].kind, RaceKind::write_after_read);
  EXPECT_EQ(access(2, AccessKind::read, 0, 4)[0].kind, RaceKind::read_before_write);
}

/// Every byte on its own, without pieces.
TEST_F(ShadowMemoryTest, AgreesWithAShadowOfSingleBytes) {
  constexpr std::uint64_t kBytes = 64;
  struct Byte {
    std::set<Thread> writer;
    std::set<Thread> readers;
    std::set<Thread> adders;
  };
  std::vector<Byte> bytes(kBytes);
  std::mt19937 random(1);
  for (int step = 0; step < 5000; ++step) {
    const Thread thread = random() % kThreads;
    const auto kind = static_cast<AccessKind>(random() % 3);
    const std::uint64_t begin = random() % kBytes;
    const std::uint64_t end = begin + random() % (kBytes - begin + 1);
    std::set<std::pair<std::uint64_t, Thread>> expected;
    for (std::uint64_t at = begin; at < end; ++at) {
      Byte& byte = bytes[at];
      const auto expect = [&](const std::set<Thread>& others) {
        for (const Thread other : others)
          if (other != thread) expected.emplace(at, other);
      };
      expect(byte.writer);
      if (kind != AccessKind::atomic_add) expect(byte.adders);
      if (kind != AccessKind::read) expect(byte.readers);
      if (kind == AccessKind::write) byte = {{thread}, {}, {}};
      if (kind == AccessKind::read) byte.readers.insert(thread);
      if (kind == AccessKind::atomic_add) byte.adders.insert(thread);
    }
    std::set<std::pair<std::uint64_t, Thread>> got;
    for (const Seen& seen : access(thread, kind, begin, end)) {
      for (std::uint64_t at = seen.begin; at < seen.end; ++at)
        got.emplace(at, seen.earlier);
    }
    ASSERT_EQ(got, expected) << step;
  }
}

}  // namespace
}  // namespace a2a3::isa::shadow_memory_test
