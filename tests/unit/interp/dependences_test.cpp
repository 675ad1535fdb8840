// SPDX-License-Identifier: Apache-2.0
#include "interp/dependences.hpp"

#include <random>

#include <gtest/gtest.h>

namespace a2a3::interp::dependences_test {
namespace {

using Launches = std::set<std::uint32_t>;

Launches access(Dependences& all, std::uint32_t launch, std::uint64_t begin, std::uint64_t end,
                bool write, std::uint32_t device = 0) {
  Launches after;
  all.access(launch, {{device, 0, 0}, begin, end, write}, after);
  return after;
}

TEST(Dependences, ReadersWaitForTheWriter) {
  Dependences all;
  EXPECT_EQ(access(all, 0, 0, 64, true), Launches{});
  EXPECT_EQ(access(all, 1, 32, 40, false), Launches{0});
  EXPECT_EQ(access(all, 2, 0, 64, false), Launches{0});
}

TEST(Dependences, AWriterWaitsForReadersAndTheWriterBefore) {
  Dependences all;
  access(all, 0, 0, 64, true);
  access(all, 1, 0, 32, false);
  access(all, 2, 32, 64, false);
  EXPECT_EQ(access(all, 3, 16, 32, true), (Launches{0, 1}));
  EXPECT_EQ(access(all, 4, 0, 64, true), (Launches{0, 1, 2, 3}));
  EXPECT_EQ(access(all, 5, 0, 64, false), Launches{4});
}

TEST(Dependences, BytesApartAndOtherDevicesHaveNoOrder) {
  Dependences all;
  access(all, 0, 0, 32, true);
  EXPECT_EQ(access(all, 1, 32, 64, true), Launches{});
  EXPECT_EQ(access(all, 2, 0, 64, true, 1), Launches{});
  EXPECT_EQ(access(all, 3, 64, 64, true), Launches{});
}

TEST(Dependences, BlocksOfOneLaunchHaveNoOrder) {
  Dependences all;
  access(all, 0, 0, 64, true);
  EXPECT_EQ(access(all, 1, 0, 64, true), Launches{0});
  EXPECT_EQ(access(all, 1, 0, 64, true), Launches{});
  EXPECT_EQ(access(all, 1, 0, 64, false), Launches{});
}

TEST(Dependences, AScopeOrdersOnlyWithWhatIsOutside) {
  Dependences all;
  access(all, 0, 0, 64, true);
  all.open_scope();
  EXPECT_EQ(access(all, 1, 0, 64, true), Launches{0});
  EXPECT_EQ(access(all, 2, 0, 64, true), Launches{0});
  all.close_scope();
  const Launches after = access(all, 3, 0, 64, false);
  EXPECT_TRUE(after.contains(1) && after.contains(2));
}

TEST(Dependences, AreThoseOfAByteByByteSearch) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    Dependences all;
    struct Seen {
      std::uint64_t begin, end;
      bool write;
    };
    std::vector<Seen> seen;
    std::vector<Launches> reached;  // all launches before, through others too
    for (std::uint32_t launch = 0; launch < 30; ++launch) {
      const std::uint64_t begin = random() % 40;
      const Seen now{begin, begin + 1 + random() % 12, random() % 2 == 0};
      const Launches after = access(all, launch, now.begin, now.end, now.write);
      Launches closed = after;
      for (const std::uint32_t before : after)
        closed.insert(reached[before].begin(), reached[before].end());
      for (std::uint32_t i = 0; i < launch; ++i) {
        const bool conflict =
            seen[i].begin < now.end && now.begin < seen[i].end && (seen[i].write || now.write);
        ASSERT_TRUE(closed.contains(i) || !conflict) << i << " before " << launch;
        ASSERT_TRUE(conflict || !after.contains(i)) << i << " before " << launch;
      }
      seen.push_back(now);
      reached.push_back(closed);
    }
  }
}

}  // namespace
}  // namespace a2a3::interp::dependences_test
