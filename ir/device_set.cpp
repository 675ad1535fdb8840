// SPDX-License-Identifier: Apache-2.0
#include "ir/device_set.hpp"

#include <algorithm>

namespace a2a3::ir {

void DeviceSet::add(Run run) {
  if (run.end && *run.end <= run.begin) return;
  runs_.push_back(run);
  std::sort(runs_.begin(), runs_.end(),
            [](const Run& a, const Run& b) { return a.begin < b.begin; });
  std::vector<Run> joined;
  for (const Run& next : runs_) {
    if (joined.empty() || (joined.back().end && *joined.back().end < next.begin)) {
      joined.push_back(next);
      continue;
    }
    std::optional<std::int64_t>& end = joined.back().end;
    if (!end || !next.end) {
      end.reset();
    } else {
      end = std::max(*end, *next.end);
    }
  }
  runs_ = std::move(joined);
}

void DeviceSet::add(const DeviceSet& other) {
  for (const Run& run : other.runs_)
    add(run);
}

Dim DeviceSet::count() const {
  Dim count(0);
  for (const Run& run : runs_)
    count = count + (run.end ? Dim(*run.end) : Dim::world_size()) - Dim(run.begin);
  return count;
}

std::string DeviceSet::to_string() const {
  std::string text;
  for (const Run& run : runs_) {
    text += (text.empty() ? "" : ", ") + std::to_string(run.begin);
    if (!run.end) {
      text += "-";
    } else if (*run.end > run.begin + 1) {
      text += "-" + std::to_string(*run.end - 1);
    }
  }
  return text.empty() ? "none" : text;
}

}  // namespace a2a3::ir
