// SPDX-License-Identifier: Apache-2.0
#include "a2a3/check_positions.hpp"

#include <gtest/gtest.h>

#include "a2a3/simulate.hpp"

namespace a2a3::check_positions_test {
namespace {

/// What simulate() says to these positions of a machine's ranks.
std::string said(const std::vector<std::uint32_t>& positions, std::uint32_t ranks,
                 std::uint32_t devices) {
  models::MachineDescription machine;
  machine.name = "m";
  machine.devices = devices;
  Options options;
  options.ranks = ranks;
  options.positions = positions;
  return format(simulate(ir::Module{}, machine, {}, options).diagnostics);
}

TEST(Positions, AreOneForEachRankAndAllDifferent) {
  EXPECT_EQ(said({3}, 2, 8), "error: 1 positions for 2 ranks: give one for each, or none\n");
  EXPECT_EQ(said({0, 1, 2}, 2, 8), "error: 3 positions for 2 ranks: give one for each, or none\n");
  EXPECT_EQ(said({3, 4, 3}, 3, 8), "error: rank 2 is at position 3, where rank 0 is already\n");
  EXPECT_EQ(said({3, 8}, 2, 8), "error: rank 1 is at position 8; machine m has positions 0 to 7\n");
}

TEST(Positions, MayBeAnyOfAMachineOfAnySize) {
  const auto errors = [](const std::vector<std::uint32_t>& positions, std::uint32_t devices) {
    models::MachineDescription machine;
    machine.devices = devices;
    ir::Diagnostics diagnostics;
    check_positions(positions, 2, machine, diagnostics);
    return format(diagnostics);
  };
  EXPECT_EQ(errors({}, 8), "");
  EXPECT_EQ(errors({7, 0}, 8), "");
  EXPECT_EQ(errors({1000, 5}, 0), "");
  EXPECT_NE(errors({1000, 5}, 8), "");
}

}  // namespace
}  // namespace a2a3::check_positions_test
