// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/crossover.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tools/sweep/compare_sizes.hpp"

namespace a2a3::tools {
namespace {

constexpr std::uint64_t kPercent = 100;

/// Negative: the first one is faster; nothing when that cannot be said.
std::optional<int> faster(const TimedPair& pair) {
  if (!pair.first || !pair.second || *pair.first == *pair.second) return {};
  return *pair.first < *pair.second ? -1 : 1;
}

}  // namespace

bool Bracket::is_narrow(std::uint64_t grain_bytes) const {
  return high - low <= std::max(low / kPercent, grain_bytes);
}

std::uint64_t Bracket::middle(std::uint64_t grain_bytes) const {
  const double mean = std::sqrt(static_cast<double>(low) * static_cast<double>(high));
  const std::uint64_t rounded = static_cast<std::uint64_t>(mean) / grain_bytes * grain_bytes;
  const std::uint64_t first = (low / grain_bytes + 1) * grain_bytes;
  const std::uint64_t last = (high - 1) / grain_bytes * grain_bytes;
  return std::clamp(rounded, std::min(first, last), last);
}

void Bracket::narrow(const TimedPair& middle) {
  if (!middle.first || !middle.second) {
    unresolved = true;
    return;
  }
  const std::optional<int> sign = faster(middle);
  const bool as_below = sign && (*sign < 0) == first_below;
  (as_below ? low : high) = middle.bytes;
}

std::vector<Bracket> brackets(const std::vector<TimedPair>& times) {
  std::vector<Bracket> found;
  std::uint64_t before = 0;
  int sign_before = 0;
  for (const TimedPair& pair : times) {
    const std::optional<int> sign = faster(pair);
    if (!sign) continue;
    if (sign_before != 0 && *sign != sign_before) {
      found.push_back({before, pair.bytes, sign_before < 0});
    }
    before = pair.bytes;
    sign_before = *sign;
  }
  return found;
}

std::string crossover_words(const std::string& first, const std::string& second,
                            const std::vector<TimedPair>& times,
                            const std::vector<Bracket>& changes) {
  const auto timed = [](const TimedPair& pair) { return pair.first && pair.second; };
  const auto begin = std::ranges::find_if(times, timed);
  if (begin == times.end())
    return fmt::format("{} and {}: no size at which both ran", first, second);
  const auto end = std::find_if(times.rbegin(), times.rend(), timed);
  const std::string range = begin->bytes == end->bytes
                                ? "at " + size_text(begin->bytes)
                                : fmt::format("at all sizes from {} to {}", size_text(begin->bytes),
                                              size_text(end->bytes));
  if (changes.empty()) {
    const auto decided =
        std::ranges::find_if(times, [](const TimedPair& p) { return faster(p).has_value(); });
    if (decided == times.end()) {
      return fmt::format("{} and {} take the same time {}", first, second, range);
    }
    const bool first_wins = faster(*decided) == -1;
    return fmt::format("{} is faster than {} {}", first_wins ? first : second,
                       first_wins ? second : first, range);
  }
  std::string text;
  for (const Bracket& change : changes) {
    const std::string size = change.unresolved
                                 ? fmt::format("some size from {} to {} (a run between failed)",
                                               size_text(change.low), size_text(change.high))
                                 : size_text(change.high);
    text += fmt::format("{} {}up to {}, ", change.first_below ? first : second,
                        text.empty() ? "is faster " : "", size);
  }
  return text + (changes.back().first_below ? second : first) + " from there on";
}

}  // namespace a2a3::tools
