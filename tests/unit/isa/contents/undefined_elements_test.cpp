// SPDX-License-Identifier: Apache-2.0
#include "isa/contents/undefined_elements.hpp"

#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace a2a3::isa::undefined_elements_test {
namespace {

constexpr std::int32_t kRows = 3;
constexpr std::int32_t kCols = 8;

Tile tile(std::uint32_t number, std::int32_t valid_cols = kCols, DType dtype = DType::fp32) {
  Tile made;
  made.offset_bytes = number * 4 * kRows * kCols;
  made.dtype = dtype;
  made.rows = made.valid_rows = kRows;
  made.cols = kCols;
  made.valid_cols = valid_cols;
  return made;
}

class Core {
 public:
  void create(const Tile& made) { check_.on_create(event(0), made); }
  void run(const Operation& operation) { check_.on_operation(event(0), operation); }
  /// "5 of 24 from 0, 3", or nothing.
  std::string store(const Tile& from) {
    check_.on_operation(event(++line_), TStore{from, {}});
    const std::vector<UndefinedUse> uses = check_.uses();
    if (uses.empty() || uses.back().source != line_) return "";
    const UndefinedUse& use = uses.back();
    return fmt::format("{} of {} from {}, {}", use.elements, from.valid_elements(), use.row,
                       use.col);
  }
  /// "1 at 2, 6 of 3 x 8", or nothing.
  std::string read(const Tile& from, std::int32_t row, std::int32_t col) {
    Tile element = from;
    element.offset_bytes += static_cast<std::uint32_t>(from.element_index(row, col) * 4);
    element.rows = element.cols = element.valid_rows = element.valid_cols = 1;
    element.layout = TileLayout::row_major;
    Scalar value;
    check_.on_operation(event(++line_), ScalarRead{{}, element, from.dtype, &value, from});
    const std::vector<UndefinedUse> uses = check_.uses();
    if (uses.empty() || uses.back().source != line_) return "";
    const UndefinedUse& use = uses.back();
    EXPECT_TRUE(use.is_read);
    return fmt::format("{} at {}, {} of {} x {}", use.elements, use.row, use.col, use.tile.rows,
                       use.tile.cols);
  }

 private:
  static RunEvent event(SourceId line) { return {0, 0, 0, line}; }
  UndefinedElements check_{1000};
  SourceId line_ = 0;
};

TEST(UndefinedElements, ACreatedTileHasNoneAndALoadGivesItsBox) {
  Core core;
  core.create(tile(0));
  EXPECT_EQ(core.store(tile(0)), "24 of 24 from 0, 0");
  core.run(TLoad{{}, tile(0, 5)});
  EXPECT_EQ(core.store(tile(0, 5)), "");
  EXPECT_EQ(core.store(tile(0)), "9 of 24 from 0, 5");
  core.run(TFill{tile(0, 5), {}, true});
  EXPECT_EQ(core.store(tile(0)), "");
}

TEST(UndefinedElements, WhatIsWrittenAgainLosesTheRest) {
  Core core;
  core.run(TFill{tile(0), {}});
  core.run(TLoad{{}, tile(0, 7)});
  EXPECT_EQ(core.store(tile(0)), "3 of 24 from 0, 7");
  core.create(tile(0));
  EXPECT_EQ(core.store(tile(0, 7)), "21 of 21 from 0, 0");
}

TEST(UndefinedElements, AResultIsUndefinedWhereAnOperandIs) {
  Core core;
  core.run(TFill{tile(0), {}});
  core.run(TLoad{{}, tile(1, 6)});
  core.run(TBinary{BinaryOp::add, tile(0), tile(1), tile(2)});
  EXPECT_EQ(core.store(tile(2, 6)), "");
  EXPECT_EQ(core.store(tile(2)), "6 of 24 from 0, 6");
  core.run(TCast{tile(2), tile(3, kCols, DType::fp16)});
  EXPECT_EQ(core.store(tile(3, kCols, DType::fp16)), "6 of 24 from 0, 6");
  core.run(TBinaryScalar{BinaryOp::add, tile(0), {}, tile(0)});
  EXPECT_EQ(core.store(tile(0)), "") << "in place";
}

TEST(UndefinedElements, ABroadcastOperandCountsForAll) {
  Tile column = tile(1, 1);
  column.cols = 1;
  column.layout = TileLayout::col_major;
  Core core;
  core.run(TFill{tile(0), {}});
  Tile two_rows = column;
  two_rows.valid_rows = 2;
  core.run(TLoad{{}, two_rows});
  core.run(TBinary{BinaryOp::mul, tile(0), column, tile(2)});
  EXPECT_EQ(core.store(tile(2)), "8 of 24 from 2, 0");
}

TEST(UndefinedElements, ASumNeedsTheWholeRow) {
  Tile sums = tile(2, 1);
  sums.cols = 1;
  sums.layout = TileLayout::col_major;
  Core core;
  core.create(tile(0));
  core.run(ScalarWrite{std::nullopt, tile(0, 1), {}});
  core.run(TRowSum{tile(0, 1), tile(1), sums});
  EXPECT_EQ(core.store(sums), "");
  core.run(TRowSum{tile(0, 2), tile(1), sums});
  EXPECT_EQ(core.store(sums), "3 of 3 from 0, 0");
}

TEST(UndefinedElements, AMoveTakesThemAlong) {
  Core core;
  core.run(TLoad{{}, tile(0, 5)});
  core.run(TMove{tile(0), tile(1, 4), 1, 3, 0, 0, 2, 4, false});
  EXPECT_EQ(core.store(tile(1, 2)), "2 of 6 from 2, 0");
  core.run(TFill{tile(2), {}});
  core.run(TMove{tile(1), tile(2), 0, 2, 1, 6, 1, 2, true});
  EXPECT_EQ(core.store(tile(2)), "2 of 24 from 1, 6") << "an insert keeps the rest";
}

TEST(UndefinedElements, AProductNeedsItsRowAndItsColumn) {
  Tile lhs = tile(0, kRows);
  lhs.cols = kRows;
  Core core;
  core.run(TFill{lhs, {}});
  core.run(TLoad{{}, tile(1, 6)});
  core.run(TMatmul{lhs, tile(1), tile(2)});
  EXPECT_EQ(core.store(tile(2)), "6 of 24 from 0, 6");
}

TEST(UndefinedElements, AFillOfThePaddingGivesItAValueAndKeepsTheBox) {
  Tile box = tile(0, 5);
  box.valid_rows = 2;
  Core core;
  core.create(tile(0));
  core.run(TFill{box, {}, true});
  EXPECT_EQ(core.store(tile(0)), "10 of 24 from 0, 0") << "the box has none as before";
  core.run(TLoad{{}, box});
  EXPECT_EQ(core.store(tile(0)), "14 of 24 from 0, 5");
  core.run(TFill{box, {}, true});
  EXPECT_EQ(core.store(tile(0)), "");
}

TEST(UndefinedElements, ATransferLeavesItsDataInItsStages) {
  Core core;
  for (std::uint32_t number = 0; number < 4; ++number)
    core.create(tile(number));
  TPut put;
  put.stage = tile(0);
  core.run(put);
  EXPECT_EQ(core.store(tile(0)), "");
  EXPECT_EQ(core.store(tile(1)), "24 of 24 from 0, 0");
  put.stage2 = tile(1);
  core.run(put);
  EXPECT_EQ(core.store(tile(1)), "");
  TGet get;
  get.stage = tile(2);
  get.stage2 = tile(3);
  core.run(get);
  EXPECT_EQ(core.store(tile(2)), "");
  EXPECT_EQ(core.store(tile(3)), "");
}

TEST(UndefinedElements, AScalarWriteGivesItsElementsAValueAndAReadNeedsIt) {
  Tile element = tile(0, 1);
  element.offset_bytes += 4 * 2;
  element.rows = element.valid_rows = 1;
  Core core;
  core.create(tile(0));
  core.run(ScalarWrite{std::nullopt, element, {}});
  EXPECT_EQ(core.read(tile(0), 0, 2), "");
  EXPECT_EQ(core.store(tile(0)), "23 of 24 from 0, 0");
  EXPECT_EQ(core.read(tile(0), 0, 3), "1 at 0, 3 of 3 x 8");
}

RunEvent event_of(std::uint32_t task, std::uint32_t device, SourceId source) {
  return {task, device, 0, source};
}

TEST(UndefinedElements, UsesOfALineAreToldOnceForAllTasksAndDevices) {
  UndefinedElements check(1000);
  check.on_operation(event_of(1, 0, 5), TFill{tile(0), {}});
  check.on_operation(event_of(1, 0, 6), TStore{tile(0), {}});
  EXPECT_TRUE(check.uses().empty());
  check.on_operation(event_of(2, 0, 6), TStore{tile(0), {}});
  check.on_operation(event_of(3, 4, 6), TStore{tile(0, 3), {}});
  check.on_operation(event_of(1, 0, 2), TStore{tile(1), {}});
  const std::vector<UndefinedUse> uses = check.uses();
  ASSERT_EQ(uses.size(), 2U);
  EXPECT_EQ(uses[0].source, 2U);
  EXPECT_EQ(uses[0].count, 1U);
  EXPECT_EQ(uses[1].source, 6U);
  EXPECT_EQ(uses[1].count, 2U);
  EXPECT_EQ(uses[1].elements, 24U) << "of the first one";
  EXPECT_EQ(uses[1].devices, (std::set<std::uint32_t>{0, 4}));
}

/// A value in every page of the core's memory, so that all of them need their bits.
void scatter(UndefinedElements& check, std::uint32_t task) {
  for (std::uint32_t page = 0; page < 16; ++page) {
    Tile element = tile(0, 1);
    element.offset_bytes = page * 4096;
    element.rows = element.valid_rows = 1;
    check.on_operation(event_of(task, 0, 1), TFill{element, {}});
  }
}

TEST(UndefinedElements, ATaskThatHasEndedTakesNothing) {
  UndefinedElements check(100);
  for (std::uint32_t task = 0; task < 10; ++task) {
    scatter(check, task);
    check.on_operation(event_of(task, 0, 2), TaskEnd{});
  }
  EXPECT_TRUE(check.is_complete());
  check.on_operation(event_of(3, 0, 7), TStore{tile(0), {}});
  EXPECT_EQ(check.uses().size(), 1U);
}

TEST(UndefinedElements, TellNothingMoreBeyondTheirBound) {
  UndefinedElements check(100);
  check.on_operation(event_of(0, 0, 7), TStore{tile(0), {}});
  scatter(check, 0);
  EXPECT_TRUE(check.is_complete());
  scatter(check, 1);
  EXPECT_FALSE(check.is_complete());
  check.on_operation(event_of(2, 0, 8), TStore{tile(0), {}});
  ASSERT_EQ(check.uses().size(), 1U);
  EXPECT_EQ(check.uses()[0].source, 7U) << "what was found before";
}

TEST(UndefinedElements, AReadIsOfAnElementOfItsTile) {
  Core core;
  core.create(tile(1));
  core.run(TLoad{{}, tile(1, 5)});
  EXPECT_EQ(core.read(tile(1), 2, 4), "");
  EXPECT_EQ(core.read(tile(1), 2, 6), "1 at 2, 6 of 3 x 8");
  Tile column = tile(0);
  column.rows = column.valid_rows = 5;
  column.cols = column.valid_cols = 1;
  column.layout = TileLayout::col_major;
  core.create(column);
  EXPECT_EQ(core.read(column, 3, 0), "1 at 3, 0 of 5 x 1");
}

}  // namespace
}  // namespace a2a3::isa::undefined_elements_test
