// SPDX-License-Identifier: Apache-2.0
#include "isa/order/cell_table.hpp"

#include <gtest/gtest.h>

namespace a2a3::isa::cell_table_test {
namespace {

std::vector<std::uint32_t> in(const CellTable& table, GlobalAddress begin, std::uint64_t bytes) {
  std::vector<std::uint32_t> numbers;
  table.for_each_in(begin, bytes, [&](std::uint32_t number) { numbers.push_back(number); });
  return numbers;
}

/// Far apart and close by: numbers 0 to 4.
CellTable five_cells() {
  CellTable table;
  for (const GlobalAddress cell :
       {GlobalAddress{2, 1 << 20}, {0, 64}, {2, 0}, {2, (1 << 20) + 4}, {2, 508}})
    EXPECT_TRUE(table.enter(cell).second);
  return table;
}

TEST(CellTable, NumbersCellsInTheOrderInWhichTheyAreMetWith) {
  CellTable table = five_cells();
  EXPECT_EQ(table.enter({0, 64}), std::pair(1U, false));
  EXPECT_EQ(table.enter({1, 64}), std::pair(5U, true));
  EXPECT_EQ(table.find({2, 508}), 4U);
  EXPECT_EQ(table.find({2, 512}), std::nullopt);
  EXPECT_EQ(table.find({7, 0}), std::nullopt);
}

TEST(CellTable, FindsTheCellsThatBytesTouch) {
  const CellTable table = five_cells();
  EXPECT_EQ(in(table, {2, 0}, 4), std::vector<std::uint32_t>{2});
  EXPECT_EQ(in(table, {2, 3}, 1), std::vector<std::uint32_t>{2}) << "its last byte";
  EXPECT_EQ(in(table, {2, 4}, 504), std::vector<std::uint32_t>{});
  EXPECT_EQ(in(table, {2, 4}, 505), std::vector<std::uint32_t>{4});
  EXPECT_EQ(in(table, {2, 0}, 2 << 20), (std::vector<std::uint32_t>{2, 4, 0, 3}));
  EXPECT_EQ(in(table, {2, 0}, 0), std::vector<std::uint32_t>{});
  EXPECT_EQ(in(table, {9, 0}, 8), std::vector<std::uint32_t>{});
}

TEST(CellTable, GivesAllOfADeviceByAddress) {
  std::vector<std::uint32_t> numbers;
  five_cells().for_each_of(2, [&](std::uint32_t number) { numbers.push_back(number); });
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{2, 4, 0, 3}));
}

}  // namespace
}  // namespace a2a3::isa::cell_table_test
