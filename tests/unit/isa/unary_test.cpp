// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "isa/memory.hpp"
#include "isa/validate.hpp"
#include "unit/isa/operands.hpp"
#include "unit/isa/vector_port.hpp"

namespace a2a3::isa::unary_test {
namespace {

template <class T>
std::vector<T> result_of(UnaryOp op, DType dtype, std::initializer_list<T> values) {
  Ub ub;
  VectorPort none(0, 0);
  ub.put<T>(0, values);
  const Tile from = tile_at(0, dtype, 1, static_cast<std::int32_t>(values.size()));
  Tile to = from;
  to.offset_bytes = 1024;
  execute(TUnary{op, from, to}, ub.bytes, none);
  return ub.get<T>(1024, values.size());
}

TEST(Unary, Fp32) {
  EXPECT_EQ(result_of<float>(UnaryOp::exp, DType::fp32, {0, 1, -1}),
            (std::vector<float>{1, std::exp(1.0F), std::exp(-1.0F)}));
  EXPECT_EQ(result_of<float>(UnaryOp::ln, DType::fp32, {1, 2, 0}),
            (std::vector<float>{0, std::log(2.0F), -std::numeric_limits<float>::infinity()}));
  EXPECT_EQ(result_of<float>(UnaryOp::sqrt, DType::fp32, {0, 2, 9}),
            (std::vector<float>{0, std::sqrt(2.0F), 3}));
  EXPECT_EQ(result_of<float>(UnaryOp::relu, DType::fp32, {-3, 0, 2.5F}),
            (std::vector<float>{0, 0, 2.5F}));
}

TEST(Unary, OutsideOfItsDomainIsNan) {
  for (const UnaryOp op : {UnaryOp::ln, UnaryOp::sqrt})
    EXPECT_TRUE(std::isnan(result_of<float>(op, DType::fp32, {-1})[0]));
}

TEST(Unary, Fp16IsRoundedOnce) {
  const auto values =
      result_of<Eigen::half>(UnaryOp::exp, DType::fp16, {Eigen::half(1.0F), Eigen::half(12.0F)});
  EXPECT_EQ(static_cast<float>(values[0]), static_cast<float>(Eigen::half(std::exp(1.0F))));
  EXPECT_TRUE(std::isinf(static_cast<float>(values[1]))) << "162755 is beyond fp16";
}

TEST(Unary, ReluOfIntegers) {
  EXPECT_EQ(result_of<std::int32_t>(UnaryOp::relu, DType::int32, {-7, 0, 7}),
            (std::vector<std::int32_t>{0, 0, 7}));
}

TEST(Unary, StaysInsideTheValidBoxAndWorksInPlace) {
  Ub ub;
  VectorPort none(0, 0);
  ub.put<float>(0, {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4});
  Tile tile = tile_at(0, DType::fp32, 2, 8);
  tile.valid_cols = 3;
  execute(TUnary{UnaryOp::sqrt, tile, tile}, ub.bytes, none);
  EXPECT_EQ(ub.get<float>(0, 16),
            (std::vector<float>{2, 2, 2, 4, 4, 4, 4, 4, 2, 2, 2, 4, 4, 4, 4, 4}));
}

TEST(Unary, ValidateKnowsItsDTypes) {
  const MemorySizes memory{.ub_bytes = 4096, .cube_bytes = 0, .gm_bytes = {}};
  const auto problem = [&](UnaryOp op, DType dtype) {
    const Tile tile = tile_at(0, dtype, 1, 32);
    return validate(TUnary{op, tile, tile}, memory).value_or("none");
  };
  EXPECT_EQ(problem(UnaryOp::exp, DType::bf16), "none");
  EXPECT_EQ(problem(UnaryOp::relu, DType::int32), "none");
  EXPECT_EQ(problem(UnaryOp::exp, DType::int32), "INT32 has no TEXP");
  EXPECT_EQ(problem(UnaryOp::relu, DType::int8), "INT8 has no TRELU");
}

}  // namespace
}  // namespace a2a3::isa::unary_test
