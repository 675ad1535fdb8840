// SPDX-License-Identifier: Apache-2.0
#include "isa/hints/wait_check.hpp"

#include <array>

#include <gtest/gtest.h>

namespace a2a3::isa::wait_check_test {
namespace {

using Use = WaitLine::Use;

/// Task r runs on device r. Every source is a line; all signals go to one cell of device 1, and all
/// accesses to one word of it.
class WaitLines : public testing::Test {
 protected:
  explicit WaitLines(std::size_t max_lines = 8)
      : check_({{{0, 0}, {1, 1}, {2, 2}}, {{}, {}, {}}, {0, 1, 2}}, 1000, max_lines,
               [](SourceId source) { return source; }) {
    for (std::uint32_t task = 0; task < 3; ++task)
      check_.on_begin({task, task, 0, 0});
  }
  void access(std::uint32_t task, AccessKind kind) {
    check_.on_access({task, task, index_.at(task), 1}, kind, {1, 64}, 4);
  }
  void notify(std::uint32_t task) {
    check_.on_notify({task, task, index_.at(task)++, 2}, {kCell, 1, NotifyOp::atomic_add},
                     {value_, value_ + 1});
    ++value_;
  }
  void wait(SourceId source, std::int32_t expected) {
    check_.on_wait({1, 1, ++index_.at(1), source}, {kCell, expected, WaitCmp::ge}, value_);
  }
  [[nodiscard]] std::vector<Use> uses() const {
    std::vector<Use> all;
    for (const WaitLine& line : check_.lines())
      all.push_back(line.use);
    return all;
  }

  static constexpr GlobalAddress kCell{1, 0};
  WaitCheck check_;
  std::array<std::uint32_t, 3> index_{};
  std::int32_t value_ = 0;
};

TEST_F(WaitLines, AreNeededWhenWithoutThemThereIsARace) {
  access(0, AccessKind::write);
  notify(0);
  wait(10, 1);
  access(1, AccessKind::read);
  notify(0);
  wait(11, 2);
  EXPECT_EQ(uses(), (std::vector<Use>{Use::needed, Use::idle}));
  EXPECT_EQ(check_.lines()[1].waits, 1U);
  EXPECT_EQ(check_.lines()[1].devices, std::set<std::uint32_t>{1});
}

TEST_F(WaitLines, OfWhichEitherIsEnoughAreBothIdle) {
  access(0, AccessKind::write);
  notify(0);
  notify(0);
  wait(10, 1);
  wait(11, 2);
  access(1, AccessKind::read);
  EXPECT_EQ(uses(), (std::vector<Use>{Use::idle, Use::idle}));
}

TEST_F(WaitLines, AreNotDecidedWhenSeveralThreadsSignalTheCell) {
  notify(0);
  wait(10, 1);
  EXPECT_EQ(uses(), std::vector<Use>{Use::idle});
  notify(2);
  EXPECT_EQ(uses(), std::vector<Use>{Use::undecided});
}

TEST_F(WaitLines, AreNotDecidedWhenTheRunHasARace) {
  access(0, AccessKind::write);
  access(1, AccessKind::read);
  notify(0);
  wait(10, 1);
  EXPECT_EQ(uses(), std::vector<Use>{Use::undecided});
}

/// When the whole run is not decided, nothing is followed any more, but the waits are counted.
TEST_F(WaitLines, AreCountedWhenTheyAreNotDecided) {
  notify(0);
  wait(10, 1);
  notify(2);
  wait(10, 2);
  wait(11, 2);
  EXPECT_EQ(uses(), (std::vector<Use>{Use::undecided, Use::undecided}));
  EXPECT_EQ(check_.lines()[0].waits, 2U);
  EXPECT_EQ(check_.lines()[1].waits, 1U);
}

class OneLine : public WaitLines {
 protected:
  OneLine() : WaitLines(1) {}
};

TEST_F(OneLine, FurtherOnesAreLeftOut) {
  notify(0);
  wait(10, 1);
  wait(11, 1);
  wait(10, 1);
  EXPECT_EQ(uses(), (std::vector<Use>{Use::idle, Use::left_out}));
  EXPECT_EQ(check_.lines()[0].waits, 2U);
}

}  // namespace
}  // namespace a2a3::isa::wait_check_test
