// SPDX-License-Identifier: Apache-2.0
#include "interp/dispatch_order.hpp"

#include <utility>

namespace a2a3::interp {

void DispatchOrder::begin(std::uint32_t first_launch) {
  first_launch_ = first_launch;
  after_.clear();
}

void DispatchOrder::access(const Dependences::Range& range) {
  dependences_.access(static_cast<std::uint32_t>(last_launches_.size()), range, after_);
}

void DispatchOrder::end(std::vector<std::set<std::uint32_t>>& before) {
  std::set<std::uint32_t> earlier;
  for (const std::uint32_t dispatch : after_)
    earlier.insert(last_launches_[dispatch].begin(), last_launches_[dispatch].end());
  std::set<std::uint32_t> last;
  for (auto launch = first_launch_; launch < before.size(); ++launch) {
    const bool follows_own = !before[launch].empty() && *before[launch].rbegin() >= first_launch_;
    for (auto own = before[launch].lower_bound(first_launch_); own != before[launch].end(); ++own)
      last.erase(*own);
    last.insert(launch);
    if (!follows_own) before[launch].insert(earlier.begin(), earlier.end());
  }
  last_launches_.push_back(last.empty() ? std::move(earlier) : std::move(last));
}

}  // namespace a2a3::interp
