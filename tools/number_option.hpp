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
[[nodiscard]] CLI::Validator whole_number(Number most = std::numeric_limits<Number>::max(),
                                          Number least = 0) {
  return {[most, least](std::string& text) -> std::string {
            Number value = 0;
            const auto [end, error] =
                std::from_chars(text.data(), text.data() + text.size(), value);
            if (error != std::errc{} || end != text.data() + text.size() || value < least ||
                value > most) {
              return fmt::format("expected a whole number {}up to {}, got '{}'",
                                 least == 0 ? "" : fmt::format("from {} ", least), most, text);
            }
            text = std::to_string(value);
            return {};
          },
          "", "whole number"};
}

/// For -j: more processes than that no system starts.
inline constexpr unsigned kMostJobs = 65536;
[[nodiscard]] inline CLI::Validator job_number() {
  return whole_number<unsigned>(kMostJobs, 1);
}

}  // namespace a2a3::tools
