// SPDX-License-Identifier: Apache-2.0
#include "isa/order/short_list.hpp"

#include <memory>

#include <gtest/gtest.h>

namespace a2a3::isa::short_list_test {
namespace {

using List = ShortList<std::shared_ptr<int>>;

List list_of(int count) {
  List list;
  for (int i = 0; i < count; ++i)
    list.push_back(std::make_shared<int>(i));
  return list;
}

std::vector<int> values(const List& list) {
  std::vector<int> all;
  for (const auto& one : list)
    all.push_back(*one);
  return all;
}

TEST(ShortList, HoldsAnyNumberInOrder) {
  for (int count = 0; count < 5; ++count) {
    const List list = list_of(count);
    std::vector<int> expected;
    for (int i = 0; i < count; ++i)
      expected.push_back(i);
    EXPECT_EQ(values(list), expected);
    EXPECT_EQ(list.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(list.empty(), count == 0);
  }
}

TEST(ShortList, IsCutToItsFirstEntriesAndGrowsAgain) {
  for (int count = 0; count < 5; ++count) {
    for (int kept = 0; kept <= count; ++kept) {
      List list = list_of(count);
      list.truncate(static_cast<std::size_t>(kept));
      list.push_back(std::make_shared<int>(7));
      list.push_back(std::make_shared<int>(8));
      ASSERT_EQ(list.size(), static_cast<std::size_t>(kept) + 2);
      EXPECT_EQ(*list.back(), 8);
      EXPECT_EQ(*list[static_cast<std::size_t>(kept)], 7);
      EXPECT_EQ(*list.front(), kept > 0 ? 0 : 7);
    }
  }
}

TEST(ShortList, DropsFromItsFrontAndGrowsAgain) {
  for (int count = 0; count < 8; ++count) {
    for (int dropped = 0; dropped <= count; ++dropped) {
      List list = list_of(count);
      std::vector<int> expected;
      for (int i = dropped; i < count; ++i)
        expected.push_back(i);
      list.drop_front(static_cast<std::size_t>(dropped));
      ASSERT_EQ(values(list), expected);
      ASSERT_EQ(list.size(), expected.size());
      for (const int value : {7, 8}) {
        list.push_back(std::make_shared<int>(value));
        expected.push_back(value);
      }
      ASSERT_EQ(values(list), expected);
      ASSERT_EQ(*list[0], expected[0]);
      list.truncate(1);
      ASSERT_EQ(values(list), std::vector<int>{expected[0]});
      list.drop_front(1);
      ASSERT_TRUE(list.empty());
    }
  }
}

TEST(ShortList, InsertsAnywhere) {
  for (int count = 0; count < 5; ++count) {
    for (int place = 0; place <= count; ++place) {
      List list = list_of(count);
      std::vector<int> expected = values(list);
      expected.insert(expected.begin() + place, 9);
      const auto* const at = list.insert(list.begin() + place, std::make_shared<int>(9));
      ASSERT_EQ(at, list.begin() + place);
      ASSERT_EQ(values(list), expected);
    }
  }
}

TEST(ShortList, ACopyIsOneOfItsOwn) {
  for (const int count : {1, 3}) {
    List list = list_of(count);
    const List copy = list;
    list[0] = std::make_shared<int>(9);
    EXPECT_EQ(*copy.front(), 0);
    list.clear();
    EXPECT_EQ(copy.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(copy.front().use_count(), 1);
  }
}

}  // namespace
}  // namespace a2a3::isa::short_list_test
