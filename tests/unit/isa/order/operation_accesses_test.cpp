// SPDX-License-Identifier: Apache-2.0
#include "isa/order/operation_accesses.hpp"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace a2a3::isa::operation_accesses_test {
namespace {

/// "r 0:128+64 w 1:0+32": kind, device, first byte and bytes of each piece.
std::string accesses(const Operation& operation) {
  std::string text;
  for_each_access(operation, [&](AccessKind kind, GlobalAddress at, std::uint64_t bytes) {
    const char* const name = kind == AccessKind::read ? "r" : kind == AccessKind::write ? "w" : "a";
    text += fmt::format("{}{} {}:{}+{}", text.empty() ? "" : " ", name, at.device, at.offset_bytes,
                        bytes);
  });
  return text;
}

GmBox rows(std::uint32_t device, std::uint64_t offset, std::int64_t count, std::int64_t cols,
           std::int64_t stride) {
  GmBox box;
  box.base = {device, offset};
  box.shape = {1, 1, 1, count, cols};
  box.stride = {0, 0, 0, stride, 1};
  return box;
}

TEST(OperationAccesses, RowsWithoutAGapAreOnePiece) {
  EXPECT_EQ(accesses(TLoad{rows(1, 64, 4, 8, 8), {}}), "r 1:64+128");
  EXPECT_EQ(accesses(TStore{{}, rows(0, 0, 3, 8, 16)}), "w 0:0+32 w 0:64+32 w 0:128+32");
  EXPECT_EQ(accesses(TStore{{}, rows(0, 0, 1, 8, 16), true}), "a 0:0+32");
  EXPECT_EQ(accesses(TLoad{rows(0, 0, 0, 8, 8), {}}), "");
  GmBox planes = rows(0, 0, 2, 8, 8);
  planes.shape[2] = 2;
  planes.stride[2] = 100;
  EXPECT_EQ(accesses(TLoad{planes, {}}), "r 0:0+64 r 0:400+64");
}

TEST(OperationAccesses, PaddingOfALoadIsNoData) {
  GmBox box = rows(1, 0, 1, 16, 16);
  box.dtype = DType::fp16;
  EXPECT_EQ(accesses(TLoad{box, {}, true, 15}), "r 1:0+2");
}

TEST(OperationAccesses, TransfersReadAndWrite) {
  const GmBox here = rows(0, 0, 2, 8, 8);
  const GmBox there = rows(1, 128, 2, 8, 8);
  EXPECT_EQ(accesses(TPut{there, here, {}, {}}), "r 0:0+64 w 1:128+64");
  EXPECT_EQ(accesses(TPut{there, here, {}, {}, true}), "r 0:0+64 a 1:128+64");
  EXPECT_EQ(accesses(TGet{here, there, {}, {}}), "r 1:128+64 w 0:0+64");
}

TEST(OperationAccesses, ARegionCopiedOntoItselfIsOnlyRead) {
  const GmBox here = rows(0, 0, 2, 8, 8);
  EXPECT_EQ(accesses(TGet{here, here, {}, {}}), "r 0:0+64");
  EXPECT_EQ(accesses(TPut{here, here, {}, {}}), "r 0:0+64");
  EXPECT_EQ(accesses(TPut{here, here, {}, {}, true}), "r 0:0+64 a 0:0+64");
}

TEST(OperationAccesses, SingleElements) {
  ScalarRead read;
  read.gm = {2, 8};
  read.dtype = DType::int64;
  EXPECT_EQ(accesses(read), "r 2:8+8");
  ScalarWrite write;
  write.gm = {2, 8};
  write.value.dtype = DType::int8;
  EXPECT_EQ(accesses(write), "w 2:8+1");
  EXPECT_EQ(accesses(ScalarRead{}), "");
}

TEST(OperationAccesses, SignalsAreNoData) {
  EXPECT_EQ(accesses(TNotify{}), "");
  EXPECT_EQ(accesses(TWait{}), "");
}

}  // namespace
}  // namespace a2a3::isa::operation_accesses_test
