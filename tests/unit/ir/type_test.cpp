// SPDX-License-Identifier: Apache-2.0
#include "ir/type.hpp"

#include <gtest/gtest.h>

namespace a2a3::ir::type_test {
namespace {

std::string text(const Type& type) {
  return to_string(type, [](Dim::Symbol) { return "NR"; });
}

TEST(Type, PrintsInTheLanguagesWords) {
  Type tensor = Type::of(TypeKind::tensor);
  tensor.dtype = isa::DType::fp32;
  tensor.shape = {Dim::symbol(0), Dim(64)};
  EXPECT_EQ(text(tensor), "Tensor[[NR, 64], FP32]");
  tensor.direction = Direction::out;
  EXPECT_EQ(text(tensor), "Out[Tensor[[NR, 64], FP32]]");
  tensor.kind = TypeKind::distributed_tensor;
  tensor.direction = Direction::inout;
  EXPECT_EQ(text(tensor), "InOut[DistributedTensor[[NR, 64], FP32]]");
  EXPECT_EQ(text(Type::tile(isa::DType::int8, {1, 64})), "Tile[[1, 64], INT8]");
  EXPECT_EQ(text(Type::scalar(isa::DType::index)), "Scalar[INDEX]");
  Type tuple = Type::of(TypeKind::tuple);
  tuple.elements = {Type::scalar(isa::DType::int32), Type::of(TypeKind::comm_ctx)};
  EXPECT_EQ(text(tuple), "tuple[Scalar[INT32], CommCtx]");
  EXPECT_EQ(text(Type::none()), "None");
}

TEST(Type, ElementsAreTheProductOfTheShape) {
  EXPECT_EQ(Type::tile(isa::DType::fp32, {2, 3, 4}).elements_count(), Dim(24));
}

}  // namespace
}  // namespace a2a3::ir::type_test
