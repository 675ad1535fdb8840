// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <limits>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace a2a3::tools {

/// For options that take a number: CLI11 would let -1 wrap around and read 010 as octal.
template <typename Number>
[[nodiscard]] CLI::Validator whole_number(Number most = std::numeric_limits<Number>::max()) {
  return {
      [most](std::string& text) -> std::string {
        Number value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size() || value < 0 || value > most) {
          return fmt::format("expected a whole number up to {}, got '{}'", most, text);
        }
        text = std::to_string(value);
        return {};
      },
      "", "whole number"};
}

}  // namespace a2a3::tools
