// SPDX-License-Identifier: Apache-2.0
#include "isa/order/per_thread.hpp"

#include <map>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "isa/order/access.hpp"
#include "isa/order/short_list.hpp"

namespace a2a3::isa::per_thread_test {
namespace {

using Records = std::vector<std::pair<Thread, std::uint32_t>>;

template <class List>
Records records(const PerThread<AccessRecord, List>& list) {
  Records all;
  for (const AccessRecord& one : list)
    all.emplace_back(one.thread, one.index);
  return all;
}

template <class List>
class PerThreadOf : public testing::Test {};
using Lists = testing::Types<std::vector<AccessRecord>, ShortList<AccessRecord>>;
TYPED_TEST_SUITE(PerThreadOf, Lists);

TYPED_TEST(PerThreadOf, PutReplacesAndEnterDoesNot) {
  PerThread<AccessRecord, TypeParam> list;
  EXPECT_TRUE(list.empty());
  EXPECT_TRUE(list.put({5, 1}));
  EXPECT_TRUE(list.put({2, 1}));
  EXPECT_TRUE(list.enter({9, 1}).second);
  EXPECT_FALSE(list.put({5, 2}));
  const auto [known, is_new] = list.enter({2, 7});
  EXPECT_FALSE(is_new);
  EXPECT_EQ(known.index, 1U);
  known.index = 3;
  EXPECT_EQ(records(list), (Records{{2, 3}, {5, 2}, {9, 1}}));
  EXPECT_EQ(list.from(5U)->thread, 5U);
  EXPECT_EQ(list.from(6U)->thread, 9U);
  EXPECT_EQ(list.from(10U), list.end());
}

TYPED_TEST(PerThreadOf, IsAMapByThread) {
  std::mt19937 random(3);
  for (int round = 0; round < 30; ++round) {
    PerThread<AccessRecord, TypeParam> list;
    std::map<Thread, std::uint32_t> expected;
    for (std::uint32_t i = 0; i < 20; ++i) {
      const Thread thread = random() % 8;
      if (random() % 2 == 0) {
        EXPECT_EQ(list.put({thread, i}), !expected.contains(thread));
        expected[thread] = i;
      } else {
        EXPECT_EQ(list.enter({thread, i}).second, expected.try_emplace(thread, i).second);
      }
      ASSERT_EQ(records(list), Records(expected.begin(), expected.end()));
    }
  }
}

TEST(PerThread, TakesTheThreadOfWhatIsByOne) {
  struct Sent {
    AccessRecord by;
    int value = 0;
  };
  PerThread<Sent> list;
  list.put({{4, 0}, 1});
  list.put({{3, 0}, 2});
  list.put({{4, 1}, 3});
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list.begin()->value, 2);
}

}  // namespace
}  // namespace a2a3::isa::per_thread_test
