// SPDX-License-Identifier: Apache-2.0
#include "a2a3/wait_cover.hpp"

#include <algorithm>

namespace a2a3 {

WaitCover::WaitCover(const isa::TaskOrder& order, std::uint64_t max_records,
                     const std::vector<std::uint32_t>& idle,
                     const isa::WithoutWaits::LineOf& line_of) {
  if (idle.size() < 2) return;
  std::vector<std::set<std::uint32_t>> all{{idle.begin(), idle.end()}};
  if (idle.size() > 2 && idle.size() * (idle.size() - 1) / 2 < kMost) {
    for (std::size_t i = 0; i < idle.size(); ++i) {
      for (std::size_t j = i + 1; j < idle.size(); ++j)
        all.push_back({idle[i], idle[j]});
    }
  }
  for (const std::set<std::uint32_t>& lines : all)
    sets_.push_back({lines, {order, max_records / all.size(), line_of, lines}});
}

std::vector<isa::RunObserver*> WaitCover::observers() {
  std::vector<isa::RunObserver*> all;
  for (Set& set : sets_)
    all.push_back(&set.without);
  return all;
}

std::vector<std::uint32_t> WaitCover::partners(std::uint32_t line) const {
  std::vector<std::uint32_t> found;
  for (const Set& set : sets_) {
    if (set.lines.size() != 2 || !set.lines.contains(line) || !set.lacks_order()) continue;
    found.push_back(*set.lines.begin() == line ? *set.lines.rbegin() : *set.lines.begin());
  }
  std::ranges::sort(found);
  return found;
}

bool WaitCover::not_all_at_once() const {
  return !sets_.empty() && sets_.front().lacks_order();
}

}  // namespace a2a3
