// SPDX-License-Identifier: Apache-2.0
#include "interp/liveness.hpp"

#include <gtest/gtest.h>

namespace a2a3::interp::liveness_test {
namespace {

/// Builds programs over tile registers op by op.
class Builder {
 public:
  explicit Builder(int tiles) { program_.tile_names.resize(static_cast<std::size_t>(tiles)); }

  Builder& load(Register tile) {
    LoadSite site;
    site.tile = tile;
    add(OpCode::load).site = static_cast<std::uint32_t>(program_.loads.size());
    program_.loads.push_back(site);
    return *this;
  }
  Builder& store(Register tile) {
    StoreSite site;
    site.tile = tile;
    add(OpCode::store).site = static_cast<std::uint32_t>(program_.stores.size());
    program_.stores.push_back(site);
    return *this;
  }
  Builder& sum(Register dst, Register lhs, Register rhs) {
    BinarySite site;
    site.lhs = lhs;
    site.rhs = rhs;
    Op& op = add(OpCode::tile_binary);
    op.dst = dst;
    op.site = static_cast<std::uint32_t>(program_.binaries.size());
    program_.binaries.push_back(site);
    return *this;
  }
  Builder& branch(std::uint32_t target) {
    add(OpCode::branch_false).target = target;
    return *this;
  }
  Builder& jump(std::uint32_t target) {
    add(OpCode::jump).target = target;
    return *this;
  }
  Program finish() {
    add(OpCode::finish);
    insert_releases(program_);
    return std::move(program_);
  }

 private:
  Op& add(OpCode code) {
    program_.ops.emplace_back().code = code;
    return program_.ops.back();
  }
  Program program_;
};

std::vector<OpCode> codes(const Program& program) {
  std::vector<OpCode> result;
  for (const Op& op : program.ops)
    result.push_back(op.code);
  return result;
}

TEST(Liveness, ReleasesATileBehindItsLastUse) {
  const Program program = Builder(2).load(0).store(0).load(1).store(1).finish();
  EXPECT_EQ(codes(program), (std::vector{OpCode::load, OpCode::store, OpCode::release, OpCode::load,
                                         OpCode::store, OpCode::finish}));
  EXPECT_EQ(program.releases, (std::vector<std::vector<Register>>{{0}}));
}

TEST(Liveness, MarksOperandsThatDieInTheirOp) {
  // t0, t1 loaded; t2 = t0 + t1; t3 = t2 + t0; store t3
  const Program program = Builder(4).load(0).load(1).sum(2, 0, 1).sum(3, 2, 0).store(3).finish();
  EXPECT_FALSE(program.binaries[0].lhs_dies);
  EXPECT_TRUE(program.binaries[0].rhs_dies);
  EXPECT_TRUE(program.binaries[1].lhs_dies);
  EXPECT_TRUE(program.binaries[1].rhs_dies);
}

TEST(Liveness, AnAccumulatorDiesIntoItself) {
  // 0: load acc; 1: branch 5; 2: load t; 3: acc = acc + t; 4: jump 1; 5: store acc
  const Program program =
      Builder(2).load(0).branch(5).load(1).sum(0, 0, 1).jump(1).store(0).finish();
  EXPECT_TRUE(program.binaries[0].lhs_dies);
  EXPECT_TRUE(program.binaries[0].rhs_dies);
  // t is released before the jump back, acc is not.
  EXPECT_EQ(program.releases, (std::vector<std::vector<Register>>{{1}}));
  for (const Op& op : program.ops) {
    if (op.code == OpCode::branch_false) {
      EXPECT_EQ(program.ops[op.target].code, OpCode::store);
    }
    if (op.code == OpCode::jump) {
      EXPECT_EQ(program.ops[op.target].code, OpCode::branch_false);
    }
  }
}

TEST(Liveness, ReleasesOnThePathThatDoesNotUseTheTile) {
  // 0: load t; 1: branch 3; 2: store t; 3: load u; 4: store u
  const Program program = Builder(2).load(0).branch(3).store(0).load(1).store(1).finish();
  // Both paths meet at a release of t.
  const Op& branch = program.ops[1];
  ASSERT_EQ(branch.code, OpCode::branch_false);
  ASSERT_EQ(program.ops[branch.target].code, OpCode::release);
  EXPECT_EQ(program.releases[program.ops[branch.target].site], (std::vector<Register>{0}));
}

TEST(Liveness, ReleasesATileThatIsNeverRead) {
  const Program program = Builder(2).load(0).load(1).store(1).finish();
  EXPECT_EQ(codes(program), (std::vector{OpCode::load, OpCode::release, OpCode::load, OpCode::store,
                                         OpCode::finish}));
}

TEST(Liveness, LongProgramsTakeNoTablesOfOpsByTiles) {
  // Bits for every op and tile would take 2.5 GB.
  constexpr int kTiles = 100'000;
  Builder builder(kTiles);
  for (Register tile = 0; tile < kTiles; ++tile)
    builder.load(tile).store(tile);
  const Program program = builder.finish();
  ASSERT_EQ(program.releases.size(), static_cast<std::size_t>(kTiles) - 1);  // the last op ends all
  EXPECT_EQ(program.releases[77], std::vector<Register>{77});
}

}  // namespace
}  // namespace a2a3::interp::liveness_test
