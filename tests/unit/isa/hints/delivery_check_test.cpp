// SPDX-License-Identifier: Apache-2.0
#include "isa/hints/delivery_check.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "isa/order/operation_accesses.hpp"

namespace a2a3::isa::delivery_check_test {
namespace {

using Kind = WastedDelivery::Kind;

GmBox row(std::uint32_t device, std::uint64_t offset, std::int64_t elements = 16) {
  GmBox box;
  box.base = {device, offset};
  box.shape = {1, 1, 1, 1, elements};
  box.stride = {elements, elements, elements, elements, 1};
  return box;
}

Tile tile(std::uint32_t offset) {
  return {offset, MemorySpace::ub, DType::fp32, TileLayout::row_major, 1, 16, 1, 16};
}

void tell(RunObserver& check, const RunEvent& event, const Operation& operation) {
  check.on_operation(event, operation);
  for_each_access(operation, [&](AccessKind kind, GlobalAddress address, std::uint64_t bytes) {
    check.on_access(event, kind, address, bytes);
  });
}

/// Task r runs on device r.
class Deliveries : public testing::Test {
 protected:
  void does(std::uint32_t task, SourceId line, const Operation& operation) {
    tell(check_, {task, task, 0, line}, operation);
  }
  void put(SourceId line, std::uint64_t from = 0, std::uint64_t to = 0, bool adds = false) {
    does(0, line, TPut{row(1, to), row(0, from), tile(0), {}, adds});
  }
  void read(std::uint64_t offset, std::int64_t elements = 16) {
    does(1, 90, TLoad{row(1, offset, elements), tile(0)});
  }
  [[nodiscard]] std::vector<Kind> kinds() const {
    std::vector<Kind> all;
    for (const WastedDelivery& one : check_.wasted())
      all.push_back(one.kind);
    return all;
  }

  DeliveryCheck check_{1000, [](SourceId source) { return source; }};
};

TEST_F(Deliveries, WhatIsReadIsOfUse) {
  put(1);
  read(0);
  EXPECT_TRUE(check_.wasted().empty());
}

TEST_F(Deliveries, OnlyBytesThatNobodyReadCount) {
  put(1);
  read(0, 4);
  const auto wasted = check_.wasted();
  ASSERT_EQ(wasted.size(), 1U);
  EXPECT_EQ(wasted[0].kind, Kind::unread);
  EXPECT_EQ(wasted[0].bytes, 48U);
  EXPECT_EQ(wasted[0].stretch_bytes, 48U);
  EXPECT_EQ(wasted[0].address, (GlobalAddress{1, 16}));
  EXPECT_EQ(wasted[0].receiver, 1U);
  EXPECT_FALSE(wasted[0].is_all);
}

TEST_F(Deliveries, TheSameTwice) {
  put(1);
  put(2);
  read(0);
  const auto wasted = check_.wasted();
  ASSERT_EQ(wasted.size(), 1U);
  EXPECT_EQ(wasted[0].kind, Kind::twice);
  EXPECT_EQ(wasted[0].at.source, 2U);
  EXPECT_EQ(wasted[0].other, SourceId{1});
  EXPECT_TRUE(wasted[0].is_all);
  EXPECT_EQ(wasted[0].pieces.first_store, 0U);
  EXPECT_EQ(wasted[0].pieces.stores, 1U);
}

TEST_F(Deliveries, NotTheSameWhenTheSourceWasWrittenInBetween) {
  put(1);
  does(0, 5, ScalarWrite{GlobalAddress{0, 60}, {}, {DType::fp32, 0, 1.0}});
  put(1);
  EXPECT_EQ(kinds(), (std::vector<Kind>{Kind::overwritten, Kind::unread}));
}

TEST_F(Deliveries, NotWasteWhenItWasReadInBetween) {
  put(1);
  read(0);
  put(1);
  read(0);
  EXPECT_TRUE(check_.wasted().empty());
}

TEST_F(Deliveries, FromOrToElsewhereIsNotTheSame) {
  put(1, 0, 0);
  put(1, 64, 0);
  put(1, 64, 64);
  EXPECT_EQ(kinds(), (std::vector<Kind>{Kind::overwritten, Kind::unread, Kind::unread}));
}

TEST_F(Deliveries, OneReadReadsAllAtomicAdds) {
  put(1, 0, 0, true);
  put(1, 0, 0, true);
  EXPECT_EQ(kinds(), (std::vector<Kind>{Kind::unread, Kind::unread}));
  read(0);
  EXPECT_TRUE(check_.wasted().empty());
}

TEST_F(Deliveries, ATileIsUsedByWhatTakesIt) {
  does(0, 1, TLoad{row(1, 0), tile(0)});
  EXPECT_EQ(kinds(), std::vector<Kind>{Kind::unused_tile});
  does(0, 2, TFill{tile(0), {DType::fp32, 0, 0.0}, true});
  does(0, 3, TUnary{UnaryOp::relu, tile(0), tile(64)});
  EXPECT_TRUE(check_.wasted().empty());
}

TEST_F(Deliveries, ATileThatIsLoadedOverIsUnused) {
  does(0, 1, TLoad{row(1, 0), tile(0)});
  does(0, 2, TLoad{row(0, 0), tile(0)});
  does(0, 3, TStore{tile(0), row(0, 64)});
  EXPECT_EQ(kinds(), std::vector<Kind>{Kind::unused_tile});
}

TEST_F(Deliveries, OwnTransfersAreNone) {
  does(0, 1, TStore{tile(0), row(0, 0)});
  does(0, 1, TLoad{row(0, 0), tile(0)});
  EXPECT_TRUE(check_.wasted().empty());
}

TEST_F(Deliveries, AWaitReadsItsCell) {
  does(0, 1, TStore{tile(0), row(1, 0, 1)});
  check_.on_wait({1, 1, 0, 2}, {{1, 0}, 1, WaitCmp::ge}, 1);
  EXPECT_TRUE(check_.wasted().empty());
}

TEST(DeliveriesBounded, TheCheckSaysThatItIsNotComplete) {
  DeliveryCheck check(20, [](SourceId source) { return source; });
  for (std::uint64_t i = 0; i < 40; ++i)
    tell(check, {0, 0, 0, 1}, TPut{row(1, 64 * i), row(0, 64 * i), tile(0), {}, false});
  tell(check, {0, 0, 0, 1}, TaskEnd{0});
  EXPECT_FALSE(check.is_complete());
}

/// What nobody looked at any more may have used the tile.
TEST(DeliveriesBounded, ThenNoTileIsCalledUnused) {
  for (const std::uint64_t bound : {20, 1000}) {
    DeliveryCheck check(bound, [](SourceId source) { return source; });
    tell(check, {0, 0, 0, 1}, TLoad{row(1, 0), tile(0)});
    for (std::uint64_t i = 1; i < 40; ++i)
      tell(check, {0, 0, 0, 2}, TPut{row(1, 64 * i), row(0, 64 * i), tile(64), {}, false});
    tell(check, {0, 0, 0, 2}, TaskEnd{0});
    const std::vector<WastedDelivery> all = check.wasted();
    EXPECT_EQ(std::ranges::count(all, Kind::unused_tile, &WastedDelivery::kind),
              check.is_complete() ? 1 : 0);
    EXPECT_EQ(check.is_complete(), bound == 1000);
  }
}

/// Adds into bytes that lie cut in many pieces: the pieces share the list of those that nobody has
/// read, and what the lists take counts.
TEST(DeliveriesBounded, TheListsOfUnreadDeliveriesCountOnce) {
  DeliveryLists lists;
  const DeliveryLists::List one = lists.with(DeliveryLists::kEmpty, 7);
  const DeliveryLists::List both = lists.with(one, 3);
  EXPECT_EQ(lists.with(one, 3), both);
  EXPECT_EQ(lists.size(), 2U);
  std::vector<DeliveryId> all;
  lists.for_each(both, [&](DeliveryId id) { all.push_back(id); });
  EXPECT_EQ(all, (std::vector<DeliveryId>{7, 3}));

  DeliveryCheck check(400, [](SourceId source) { return source; });
  for (std::uint64_t i = 0; i < 16; i += 2)
    tell(check, {1, 1, 0, 1}, TLoad{row(1, 64 * i, 16), tile(0)});
  for (int add = 0; add < 100; ++add)
    tell(check, {0, 0, 0, 2}, TPut{row(1, 0, 256), row(0, 0, 256), tile(0), {}, true});
  tell(check, {0, 0, 0, 2}, TaskEnd{0});
  EXPECT_TRUE(check.is_complete());
  EXPECT_EQ(check.wasted().size(), 100U);
}

}  // namespace
}  // namespace a2a3::isa::delivery_check_test
