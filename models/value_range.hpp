// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace a2a3::models {

/// Most values that one range may stand for.
inline constexpr std::size_t kLongestRange = 100'000;

/// The values that a text stands for.
struct ValueRange {
  std::vector<std::string> values;
  std::string error;  ///< empty when the text is right
};

/// "2..5" is 2, 3, 4, 5; "0..30 by 10" adds; "1..64 times 2" multiplies. Whole numbers from 0 up,
/// the last one included when it is met. Nothing for a text that does not begin like a range.
/// Errors: ends that are no numbers or run backwards, steps that lead nowhere, too many values.
[[nodiscard]] std::optional<ValueRange> parse_range(std::string_view text);

}  // namespace a2a3::models
