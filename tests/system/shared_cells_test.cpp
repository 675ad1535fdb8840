// SPDX-License-Identifier: Apache-2.0
// Races behind waits on cells that several ranks signal. They are found whichever credit comes
// first in the run, and credits that all come behind one write are as good as one.
#include <functional>
#include <initializer_list>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "edge_kernel.hpp"

namespace a2a3::test::shared_cells_test {
namespace {

using Body = std::vector<std::string>;

/// One behind the other.
Body behind(std::initializer_list<Body> parts) {
  Body lines;
  for (const Body& part : parts)
    lines.insert(lines.end(), part.begin(), part.end());
  return lines;
}

Body when(const std::string& head, const Body& lines) {
  Body block{head + ":"};
  for (const std::string& line : lines)
    block.push_back("    " + line);
  return block;
}

const Body kStage{"win = pl.store(pl.load(x, [0, 0], [1, 64]), [me, 0], win)"};
const Body kSlow =
    when("for i in pl.range(20)", {"y = pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], y)"});
const Body kAdd{notify("0", "0", 1, "AtomicAdd")};
const Body kAddInOwnRow{notify("0", "me", 1, "AtomicAdd")};
const Body kSet{notify("0", "0", 1, "Set")};

Body read(const std::string& peer, const std::string& row) {
  return {fmt::format("got = pld.tile.remote_load(win, peer={}, offsets=[{}, 0], shape=[1, 64])",
                      peer, row),
          "y = pl.store(got, [0, 0], y)"};
}

/// Rank 2 writes its row and signals, rank 1 signals later, rank 0 waits and reads.
Body late_credit(const Body& by_two, const Body& by_one, const Body& waits) {
  return behind({when("if me == 2", behind({kStage, by_two})), when("if me == 1", by_one),
                 when("if me == 0", behind({waits, read("2", "2")}))});
}

/// Rank 1's second credit waits for rank 3.
Body late_by_another(int expected) {
  return behind({when("if me == 2", behind({kStage, kAdd})),
                 when("if me == 1", behind({kAdd, {wait("1", 1, "Ge")}, kAdd})),
                 when("if me == 3", behind({kSlow, {notify("1", "1", 1, "AtomicAdd")}})),
                 when("if me == 0", behind({{wait("0", expected, "Ge")}, read("2", "2")}))});
}

/// Ranks 1 and 2 pass three rows each to rank 0.
Body rows(const Body& work, const Body& credit, const Body& waits) {
  const Body send =
      behind({work, {"win = pl.store(pl.load(x, [0, 0], [1, 64]), [k, 0], win)"}, credit});
  return behind({when("if me == 1 or me == 2", when("for k in pl.range(3)", send)),
                 when("if me == 0", when("for k in pl.range(3)",
                                         behind({waits, read("1", "k"), read("2", "k")})))});
}

const Body kBothRowsInOneCell{
    "pld.system.wait(cells, offsets=[0, 0], expected=2 * (k + 1), cmp=pld.WaitCmp.Ge)"};
const Body kEachRowInItsOwn{
    "pld.system.wait(cells, offsets=[1, 0], expected=k + 1, cmp=pld.WaitCmp.Ge)",
    "pld.system.wait(cells, offsets=[2, 0], expected=k + 1, cmp=pld.WaitCmp.Ge)"};

/// Rank 0 tells all, and all tell each other; all of it in one cell each.
Body gossip(bool writes_first) {
  const Body pass_on =
      when("for p in pl.range(1, n)", when("if p != me", {notify("p", "0", 1, "AtomicAdd")}));
  return behind(
      {when("if me == 0", writes_first ? behind({kStage, pass_on}) : behind({pass_on, kStage})),
       when("if me != 0", behind({{wait("0", 1, "Ge")}, pass_on, read("0", "0")}))});
}

/// Barriers of all ranks that count in one cell each, before the rows of all are read.
Body counted_barriers(const std::string& expected) {
  return when(
      "for k in pl.range(2)",
      behind(
          {{"win = pl.store(pl.load(x, [0, 0], [1, 64]), [k, 0], win)"},
           when("for p in pl.range(n)", when("if p != me", {notify("p", "0", 1, "AtomicAdd")})),
           {fmt::format("pld.system.wait(cells, offsets=[0, 0], expected={}, cmp=pld.WaitCmp.Ge)",
                        expected)},
           when("for q in pl.range(n)", read("q", "k"))}));
}

struct Case {
  std::string name;
  Body wrong;
  std::string write;  ///< part of the line
  Body right;
  int fewest_ranks = 3;
};

const std::vector<Case> kCases = {
    {"AnyCredit", late_credit(kAdd, behind({kSlow, kAdd}), {wait("0", 1, "Ge")}), "[me, 0], win)",
     late_credit(kAdd, behind({kSlow, kAdd}), {wait("0", 2, "Ge")})},
    {"TwoCreditsOfOne", late_credit(kAdd, behind({kAdd, kSlow, kAdd}), {wait("0", 2, "Ge")}),
     "[me, 0], win)", late_credit(kAdd, behind({kAdd, kSlow, kAdd}), {wait("0", 3, "Ge")})},
    {"AnySet", late_credit(kSet, behind({kSlow, kSet}), {wait("0", 1, "Ge")}), "[me, 0], win)",
     late_credit(kSet, behind({kSlow, {notify("0", "1", 1, "Set")}}), {wait("0", 1, "Ge")})},
    {"CreditThatWaitsForAThird", late_by_another(2), "[me, 0], win)", late_by_another(3), 4},
    {"RowsOfTwo", rows({}, kAdd, kBothRowsInOneCell), "[k, 0], win)",
     rows({}, kAddInOwnRow, kEachRowInItsOwn)},
    {"RowsOfTwoSlowly", rows(kSlow, kAdd, kBothRowsInOneCell), "[k, 0], win)",
     rows(kSlow, kAddInOwnRow, kEachRowInItsOwn)},
    {"Gossip", gossip(false), "[me, 0], win)", gossip(true), 2},
    {"CountedBarriers", counted_barriers("(n - 1) * (k + 1) - 1"), "[k, 0], win)",
     counted_barriers("(n - 1) * (k + 1)"), 2},
};

class SharedCells : public testing::TestWithParam<Case> {
 protected:
  /// On the timed engine, and on the untimed one round the cores and in drawn orders.
  static void for_each_order(const Body& body, int fewest_ranks,
                             const std::function<void(const Finished& run)>& check) {
    const std::string text = edge_kernel(body);
    for (int ranks = fewest_ranks; ranks <= 5; ++ranks) {
      for (const Body& how :
           {Body{}, Body{"--engine", "untimed"}, Body{"--engine", "untimed", "--seed", "1"},
            Body{"--engine", "untimed", "--seed", "2"}, Body{"--skew", "rank=1:50us"}}) {
        SCOPED_TRACE(fmt::format("{} ranks, {}\n{}", ranks, fmt::join(how, " "), text));
        check(run_edge(text, ranks, how));
      }
    }
  }
};

TEST_P(SharedCells, RaceIsFoundWithBothLines) {
  for_each_order(GetParam().wrong, GetParam().fewest_ranks, [](const Finished& run) {
    EXPECT_EQ(run.status, 4) << run.err;
    EXPECT_TRUE(contains(run.err, "error: race: "));
    EXPECT_TRUE(contains(run.err, GetParam().write));
    EXPECT_TRUE(contains(run.err, "pld.tile.remote_load("));
  });
}

TEST_P(SharedCells, RightKernelIsClean) {
  for_each_order(GetParam().right, GetParam().fewest_ranks, [](const Finished& run) {
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.err.find("race"), std::string::npos) << run.err;
  });
}

INSTANTIATE_TEST_SUITE_P(Kernels, SharedCells, testing::ValuesIn(kCases),
                         [](const auto& one) { return one.param.name; });

TEST(SharedCellsReport, IsNotDecidedWhenTheOrderTakesTooMuch) {
  const Finished run = run_edge(edge_kernel(counted_barriers("(n - 1) * (k + 1)")), 5,
                                {"--engine", "untimed", "--max-race-records", "40"});
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_TRUE(contains(run.err, "not decided whether there is a race"));
}

}  // namespace
}  // namespace a2a3::test::shared_cells_test
