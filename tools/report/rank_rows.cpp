// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rank_rows.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "interp/id_list.hpp"

namespace a2a3::tools {

void add_grouped(Table& table, const std::vector<RankRow>& rows, std::optional<std::string> title) {
  struct Group {
    std::vector<std::uint32_t> ranks;
    const std::vector<std::string>* cells = nullptr;
  };
  std::vector<Group> groups;
  for (const RankRow& row : rows) {
    const auto same =
        std::ranges::find_if(groups, [&](const Group& group) { return *group.cells == row.cells; });
    if (same == groups.end()) {
      groups.push_back({{row.rank}, &row.cells});
    } else {
      same->ranks.push_back(row.rank);
    }
  }
  for (const Group& group : groups) {
    std::vector<std::string> cells;
    if (title) {
      cells.push_back(*title);
      title->clear();
    }
    cells.push_back(interp::format_ids(group.ranks));
    cells.insert(cells.end(), group.cells->begin(), group.cells->end());
    table.add_row(std::move(cells));
  }
}

std::string microseconds(std::uint64_t picoseconds) {
  constexpr std::uint64_t kPerNanosecond = 1000;
  const std::uint64_t nanoseconds = (picoseconds + kPerNanosecond / 2) / kPerNanosecond;
  return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
}

}  // namespace a2a3::tools
