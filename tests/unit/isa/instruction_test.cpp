// SPDX-License-Identifier: Apache-2.0
#include "isa/instruction.hpp"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace a2a3::isa::instruction_test {
namespace {

TEST(Mnemonic, IsTheInstructionsName) {
  EXPECT_STREQ(mnemonic(TLoad{}), "TLOAD");
  EXPECT_STREQ(mnemonic(TCast{}), "TCVT");
  EXPECT_STREQ(mnemonic(TBinary{BinaryOp::maximum, {}, {}, {}}), "TMAX");
  EXPECT_STREQ(mnemonic(TBinaryScalar{BinaryOp::maximum, {}, {}, {}}), "TMAXS");
  EXPECT_STREQ(mnemonic(ScalarRead{{}, Tile{}, {}, nullptr}), "TGETVAL");
  EXPECT_STREQ(mnemonic(ScalarRead{GlobalAddress{}, {}, {}, nullptr}), "LOAD_SCALAR");
}

TEST(Mnemonic, TellsAllOperationsApart) {
  std::vector<Operation> operations{
      TLoad{},       TStore{},    TPut{},    TGet{},      TNotify{},   TWait{},      TDeferWait{},
      TCast{},       TMove{},     TRowSum{}, TMatmul{},   TFill{},     ScalarRead{}, ScalarWrite{},
      PipeBarrier{}, TaskBegin{}, TaskEnd{}, TPutAsync{}, TGetAsync{}, TWaitEvent{}};
  for (const UnaryOp op : {UnaryOp::exp, UnaryOp::ln, UnaryOp::sqrt, UnaryOp::relu})
    operations.push_back(TUnary{op, {}, {}});
  for (const BinaryOp op : {BinaryOp::add, BinaryOp::sub, BinaryOp::mul, BinaryOp::div,
                            BinaryOp::maximum, BinaryOp::minimum}) {
    operations.push_back(TBinary{op, {}, {}, {}});
    operations.push_back(TBinaryScalar{op, {}, {}, {}});
  }
  std::set<std::string> names;
  for (const Operation& operation : operations)
    names.insert(mnemonic(operation));
  EXPECT_EQ(names.size(), operations.size());
  EXPECT_EQ(std::variant_size_v<Operation>, 23U) << "list the new operation here";
}

}  // namespace
}  // namespace a2a3::isa::instruction_test
