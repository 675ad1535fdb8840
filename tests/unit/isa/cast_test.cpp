// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "isa/memory.hpp"
#include "unit/isa/operands.hpp"
#include "unit/isa/vector_port.hpp"

namespace a2a3::isa::cast_test {
namespace {

template <class To, class From>
std::vector<To> cast(DType from, DType to, RoundMode mode, std::initializer_list<From> values) {
  Ub ub;
  VectorPort port(1, 0);
  ub.put(0, values);
  const auto n = static_cast<std::int32_t>(values.size());
  execute(TCast{tile_at(0, from, 1, n), tile_at(2048, to, 1, n), mode}, ub.bytes, port);
  return ub.get<To>(2048, values.size());
}

TEST(Cast, ModesToAnInteger) {
  const auto run = [](RoundMode mode) {
    return cast<std::int32_t, float>(DType::fp32, DType::int32, mode,
                                     {-2.5F, -1.5F, -0.5F, 0.5F, 1.5F, 2.5F, 2.25F, -2.25F, 4});
  };
  using Ints = std::vector<std::int32_t>;
  EXPECT_EQ(run(RoundMode::none), (Ints{-2, -2, 0, 0, 2, 2, 2, -2, 4}));
  EXPECT_EQ(run(RoundMode::rint), (Ints{-2, -2, 0, 0, 2, 2, 2, -2, 4}));
  EXPECT_EQ(run(RoundMode::round), (Ints{-3, -2, -1, 1, 2, 3, 2, -2, 4}));
  EXPECT_EQ(run(RoundMode::floor), (Ints{-3, -2, -1, 0, 1, 2, 2, -3, 4}));
  EXPECT_EQ(run(RoundMode::ceil), (Ints{-2, -1, 0, 1, 2, 3, 3, -2, 4}));
  EXPECT_EQ(run(RoundMode::trunc), (Ints{-2, -1, 0, 0, 1, 2, 2, -2, 4}));
  EXPECT_EQ(run(RoundMode::odd), (Ints{-3, -1, -1, 1, 1, 3, 3, -3, 4}));
}

TEST(Cast, FloatsSaturateToIntegers) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  EXPECT_EQ((cast<std::int8_t, float>(DType::fp32, DType::int8, RoundMode::rint,
                                      {127.4F, 127.5F, 1e30F, -kInf, std::nanf("")})),
            (std::vector<std::int8_t>{127, 127, 127, -128, 0}));
  EXPECT_EQ((cast<std::int64_t, float>(DType::fp32, DType::int64, RoundMode::rint, {kInf, -1e30F})),
            (std::vector<std::int64_t>{INT64_MAX, INT64_MIN}));
  EXPECT_EQ(
      (cast<std::uint32_t, float>(DType::fp32, DType::uint32, RoundMode::rint, {-5, 0x1p32F})),
      (std::vector<std::uint32_t>{0, UINT32_MAX}));
}

TEST(Cast, ModesToANarrowerFloat) {
  using Eigen::half;
  const float tie = 1 + 0x1p-11F;  // between 1 and 1 + 2^-10
  const auto run = [&](RoundMode mode) {
    const auto halves = cast<half, float>(DType::fp32, DType::fp16, mode, {tie, -tie, 1e6F});
    return std::vector<float>(halves.begin(), halves.end());
  };
  const float up = 1 + 0x1p-10F;
  const float inf = std::numeric_limits<float>::infinity();
  using Floats = std::vector<float>;
  EXPECT_EQ(run(RoundMode::rint), (Floats{1, -1, inf}));
  EXPECT_EQ(run(RoundMode::round), (Floats{up, -up, inf}));
  EXPECT_EQ(run(RoundMode::floor), (Floats{1, -up, 65504}));
  EXPECT_EQ(run(RoundMode::ceil), (Floats{up, -1, inf}));
  EXPECT_EQ(run(RoundMode::trunc), (Floats{1, -1, 65504}));
  EXPECT_EQ(run(RoundMode::odd), (Floats{up, -up, 65504}));
}

TEST(Cast, IntegersSaturateToNarrowerOnes) {
  EXPECT_EQ((cast<std::int16_t, std::int32_t>(DType::int32, DType::int16, RoundMode::none,
                                              {70000, -70000, -5})),
            (std::vector<std::int16_t>{32767, -32768, -5}));
  EXPECT_EQ((cast<std::uint8_t, std::int32_t>(DType::int32, DType::uint8, RoundMode::none, {-1})),
            (std::vector<std::uint8_t>{0}));
}

TEST(Cast, BigIntegersRoundOnce) {
  // 2^54 + 2^30 + 1 lies just above a tie of fp32.
  const std::int64_t above_tie = (std::int64_t{1} << 54) + (std::int64_t{1} << 30) + 1;
  EXPECT_EQ((cast<float, std::int64_t>(DType::int64, DType::fp32, RoundMode::rint,
                                       {above_tie, above_tie - 1})),
            (std::vector<float>{0x1p54F + 0x1p31F, 0x1p54F}));
}

TEST(Cast, ToTheOwnTypeKeepsEveryValue) {
  EXPECT_EQ((cast<float, float>(DType::fp32, DType::fp32, RoundMode::round, {0.4F, -2.5F})),
            (std::vector<float>{0.4F, -2.5F}));
}

}  // namespace
}  // namespace a2a3::isa::cast_test
