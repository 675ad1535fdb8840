// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program.hpp"

namespace a2a3::test {

using Bytes = std::uint64_t;

/// Runs an example, in a mode unless that is empty, and reads the file of --json. A test failure
/// when the run is not right.
[[nodiscard]] nlohmann::json run_card(const std::string& example, const std::string& mode,
                                      int ranks, const std::vector<std::string>& settings);

/// What one rank is expected to move.
struct Expected {
  Bytes received = 0;
  Bytes sent = 0;
  Bytes local = 0;
  Bytes signals = 0;  ///< sent, and as many received
  Bytes self_signals = 0;
};

void expect_rank(const nlohmann::json& card, int rank, const Expected& expected);
/// The same of every rank.
void expect_ranks(const nlohmann::json& card, const Expected& expected);
/// Totals, links and phases of a card add up.
void expect_balance(const nlohmann::json& card);

}  // namespace a2a3::test
