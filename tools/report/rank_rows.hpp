// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/report/table.hpp"

namespace a2a3::tools {

/// The row of one rank without its first cell.
struct RankRow {
  std::uint32_t rank = 0;
  std::vector<std::string> cells;
};

/// Adds the rows to the table, ranks with equal cells in one ("0-3"), in the order of each group's
/// first rank. `title` is a cell in front of the first of these rows, blank in the others.
void add_grouped(Table& table, const std::vector<RankRow>& rows,
                 std::optional<std::string> title = std::nullopt);

/// Microseconds with three decimals, exact to a nanosecond.
[[nodiscard]] std::string microseconds(std::uint64_t picoseconds);

}  // namespace a2a3::tools
