// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/compare_sizes.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "models/config/quantity.hpp"
#include "models/config/trim.hpp"
#include "models/config/whole_number.hpp"
#include "models/value_range.hpp"
#include "tools/option_values.hpp"

namespace a2a3::tools {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 46;

template <typename Number>
std::vector<Number> ascending(std::vector<Number> numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

/// A size from 1 byte up; nothing, with an error, for anything else.
std::optional<std::uint64_t> parse_size(std::string_view text, ir::Diagnostics& diagnostics) {
  std::string why;
  if (const auto plain = models::whole_number<std::uint64_t>(text)) {
    if (*plain >= 1 && *plain <= kMostBytes) return plain;
  } else {
    const models::ParsedQuantity size = models::parse_quantity(text, models::Quantity::bytes);
    if (size.error.empty() && size.value >= 1 && size.value <= static_cast<double>(kMostBytes)) {
      return static_cast<std::uint64_t>(size.value);
    }
    if (!size.error.empty()) why = ": " + size.error;
  }
  diagnostics.error({}, fmt::format("--bytes: '{}' is no size between 1 B and {}{}", text,
                                    size_text(kMostBytes), why));
  return {};
}

}  // namespace

std::vector<std::uint32_t> parse_rank_counts(std::string_view text, std::uint32_t most,
                                             ir::Diagnostics& diagnostics) {
  std::vector<std::uint32_t> counts;
  for (const std::string_view item : comma_items(text)) {
    const auto range = models::parse_range(item);
    const std::vector<std::string> numbers =
        range ? range->values : std::vector<std::string>{std::string(item)};
    if (range && !range->error.empty()) {
      diagnostics.error({}, fmt::format("--ranks: {}", range->error));
      continue;
    }
    for (const std::string& number : numbers) {
      const auto count = models::whole_number<std::uint32_t>(number);
      if (count && *count >= 1 && *count <= most) {
        counts.push_back(*count);
        continue;
      }
      diagnostics.error({}, fmt::format("--ranks: '{}' is no number of ranks from 1 to {} "
                                        "(--max-devices); write --ranks 2,4,8 or --ranks 2..16",
                                        number, most));
      break;
    }
  }
  return ascending(std::move(counts));
}

std::vector<std::uint64_t> parse_sizes(std::string_view text, ir::Diagnostics& diagnostics) {
  std::vector<std::uint64_t> sizes;
  for (const std::string_view item : comma_items(text)) {
    const std::size_t dots = item.find("..");
    const auto first = parse_size(models::trimmed(item.substr(0, dots)), diagnostics);
    if (!first) continue;
    if (dots == std::string_view::npos) {
      sizes.push_back(*first);
      continue;
    }
    const auto last = parse_size(models::trimmed(item.substr(dots + 2)), diagnostics);
    if (!last) continue;
    if (*first > *last) {
      diagnostics.error({}, fmt::format("--bytes: the range {} runs backwards", item));
    }
    for (std::uint64_t size = *first; size <= *last; size *= 2)
      sizes.push_back(size);
  }
  return ascending(std::move(sizes));
}

std::string size_text(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  constexpr std::uint64_t kNext = 1024;
  constexpr std::uint64_t kFourDigits = 10'000;
  std::size_t unit = 0;
  auto value = static_cast<double>(bytes);
  std::uint64_t rest = bytes;
  bool exact = true;
  while (unit + 1 < std::size(kUnits) && rest >= kNext &&
         (rest % kNext == 0 || rest >= kFourDigits || !exact)) {
    exact = exact && rest % kNext == 0;
    rest /= kNext;
    value /= static_cast<double>(kNext);
    ++unit;
  }
  if (exact) return fmt::format("{} {}", rest, kUnits[unit]);
  constexpr double kThreeDigits = 100;
  return value >= kThreeDigits ? fmt::format("{:.0f} {}", value, kUnits[unit])
                               : fmt::format("{:.3g} {}", value, kUnits[unit]);
}

}  // namespace a2a3::tools
