// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace a2a3::models {

/// The number that the whole text is, in decimal digits; nothing for any other text, or a number
/// that `Number` cannot hold.
template <typename Number>
[[nodiscard]] std::optional<Number> whole_number(std::string_view text) {
  Number value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return {};
  return value;
}

}  // namespace a2a3::models
