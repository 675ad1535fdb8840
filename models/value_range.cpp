// SPDX-License-Identifier: Apache-2.0
#include "models/value_range.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "models/config/trim.hpp"
#include "models/config/whole_number.hpp"

namespace a2a3::models {
namespace {

constexpr std::string_view kRangeForms = "write 2..16, 0..100 by 10 or 1..1024 times 2";

/// How a range goes on: "by 10", "times 2", or by 1.
struct RangeStep {
  bool multiplies = false;
  std::uint64_t amount = 1;

  [[nodiscard]] std::optional<std::uint64_t> after(std::uint64_t value) const {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    if (multiplies) {
      if (value > kMost / amount) return {};
      return value * amount;
    }
    if (value > kMost - amount) return {};
    return value + amount;
  }
};

/// The step behind the last value of a range; nothing when it is none.
std::optional<RangeStep> range_step(std::string_view text) {
  if (text.empty()) return RangeStep{};
  const std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos) return {};
  const std::string_view word = text.substr(0, blank);
  const auto amount = whole_number<std::uint64_t>(trimmed(text.substr(blank)));
  if (!amount || (word != "by" && word != "times")) return {};
  return RangeStep{word == "times", *amount};
}

}  // namespace

std::optional<ValueRange> parse_range(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return {};
  const auto first = whole_number<std::uint64_t>(trimmed(text.substr(0, dots)));
  if (!first) return {};
  ValueRange range;
  const std::string_view rest = trimmed(text.substr(dots + 2));
  const std::size_t blank = std::min(rest.find(' '), rest.size());
  const auto last = whole_number<std::uint64_t>(rest.substr(0, blank));
  const auto step = range_step(trimmed(rest.substr(blank)));
  if (!last || !step) {
    range.error = fmt::format("'{}' is no range of whole numbers; {}", text, kRangeForms);
    return range;
  }
  if (*first > *last) {
    range.error = fmt::format("the range {} runs backwards", text);
    return range;
  }
  const bool stands_still = step->multiplies ? step->amount < 2 || *first == 0 : step->amount == 0;
  if (stands_still) {
    range.error = fmt::format("the range {} never reaches its end; {}", text, kRangeForms);
    return range;
  }
  for (std::optional<std::uint64_t> value = first; value && *value <= *last;
       value = step->after(*value)) {
    if (range.values.size() == kLongestRange) {
      range.values.clear();
      range.error = fmt::format("the range {} has more than {} values", text, kLongestRange);
      return range;
    }
    range.values.push_back(std::to_string(*value));
  }
  return range;
}

}  // namespace a2a3::models
