// SPDX-License-Identifier: Apache-2.0
#include "isa/hints/float_adds.hpp"

#include <gtest/gtest.h>

namespace a2a3::isa::float_adds_test {
namespace {

constexpr std::uint64_t kPlenty = 100;

/// Devices store `count` FP32 elements from element `first` on, in the memory of device 0.
class Stores {
 public:
  explicit Stores(std::uint64_t max_stretches = kPlenty) : adds_(max_stretches) {}

  Stores& store(std::uint32_t device, std::uint64_t first, std::uint64_t count, bool adds = true,
                DType dtype = DType::fp32) {
    TStore store;
    store.dst.dtype = dtype;
    store.atomic_add = adds;
    const RunEvent event{device, device, 0, 10 + device};
    adds_.on_operation(event, store);
    adds_.on_access(event, adds ? AccessKind::atomic_add : AccessKind::write, {0, 4 * first},
                    4 * count);
    return *this;
  }
  [[nodiscard]] const std::optional<SharedFloatAdds>& found() const { return adds_.found(); }

 private:
  FloatAdds adds_;
};

TEST(FloatAdds, OfSeveralDevicesToTheSameBytesAreFound) {
  Stores stores;
  stores.store(1, 0, 8);
  EXPECT_FALSE(stores.found());
  stores.store(2, 4, 8).store(3, 11, 1);
  ASSERT_TRUE(stores.found());
  EXPECT_EQ(stores.found()->source, 12U);
  EXPECT_EQ(stores.found()->address, (GlobalAddress{0, 16}));
  EXPECT_EQ(stores.found()->bytes, 16U);
  EXPECT_EQ(stores.found()->devices, (std::set<std::uint32_t>{1, 2, 3}));
}

TEST(FloatAdds, OfOneDeviceOrToBytesOfItsOwnHaveAnOrder) {
  EXPECT_FALSE(Stores().store(1, 0, 8).store(1, 0, 8).found());
  EXPECT_FALSE(Stores().store(1, 0, 8).store(2, 8, 8).found());
}

TEST(FloatAdds, OfIntegersRoundNothing) {
  EXPECT_FALSE(
      Stores().store(1, 0, 8, true, DType::int32).store(2, 0, 8, true, DType::int32).found());
  EXPECT_TRUE(Stores().store(1, 0, 8, true, DType::bf16).store(2, 0, 8, true, DType::bf16).found());
}

TEST(FloatAdds, BeginAnewBehindAPlainWrite) {
  EXPECT_FALSE(Stores().store(1, 0, 8).store(0, 0, 8, false).store(2, 0, 8).found());
  EXPECT_TRUE(Stores().store(1, 0, 8).store(0, 0, 4, false).store(2, 0, 8).found());
}

TEST(FloatAdds, OfPutsCountToo) {
  FloatAdds adds(kPlenty);
  for (const std::uint32_t device : {1U, 2U}) {
    TPut put;
    put.dst.dtype = DType::fp16;
    put.atomic_add = true;
    const RunEvent event{device, device, 0, device};
    adds.on_operation(event, put);
    adds.on_access(event, AccessKind::atomic_add, {0, 0}, 2);
  }
  EXPECT_TRUE(adds.found());
}

TEST(FloatAdds, StopAtTheirBound) {
  Stores stores(1);
  stores.store(1, 0, 1).store(1, 2, 1).store(1, 4, 1);
  EXPECT_FALSE(stores.store(2, 0, 1).found());
}

}  // namespace
}  // namespace a2a3::isa::float_adds_test
