// SPDX-License-Identifier: Apache-2.0
#include "sim/peer_table.hpp"

#include <random>
#include <unordered_map>

#include <gtest/gtest.h>

namespace a2a3::sim::peer_table_test {
namespace {

TEST(PeerTable, FindsWhatItMadeHoweverManyPeers) {
  for (const std::uint32_t peers : {1, 7, 8, 9, 10, 300}) {
    PeerTable<int> table;
    std::unordered_map<std::uint32_t, int> expected;
    std::mt19937 random(peers);
    for (int i = 0; i < 2000; ++i) {
      const auto peer = static_cast<std::uint32_t>(random() % peers * 37);
      ++table.at(peer);
      ++expected[peer];
    }
    ASSERT_EQ(table.entries().size(), expected.size()) << peers;
    for (const auto& [peer, count] : table.entries())
      EXPECT_EQ(count, expected.at(peer));
  }
}

TEST(PeerTable, MakesAValueOnlyTheFirstTime) {
  PeerTable<int> table;
  EXPECT_EQ(table.at(5, 3), 3);
  EXPECT_EQ(table.at(5, 4), 3);
}

TEST(PeerTable, SortsByPeer) {
  PeerTable<char> table;
  for (const std::uint32_t peer : {9U, 0U, 4U})
    (void)table.at(peer, static_cast<char>('a' + peer));
  const auto sorted = table.sorted();
  ASSERT_EQ(sorted.size(), 3u);
  EXPECT_EQ(sorted[0].peer, 0u);
  EXPECT_EQ(sorted[2].value, 'j');
}

}  // namespace
}  // namespace a2a3::sim::peer_table_test
