// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace a2a3::ir {

/// The value of an integer literal as written (`0x_ff`, `1_000`); nothing when it needs more than
/// 64 bits. The text must be one integer token.
[[nodiscard]] std::optional<std::uint64_t> integer_value(std::string_view text);

/// The value of a floating-point literal as written; too large ones are infinite, as in Python.
[[nodiscard]] double float_value(std::string_view text);

struct StringValue {
  std::string value;            ///< UTF-8
  std::string error;            ///< empty when the literal is fine
  std::size_t error_begin = 0;  ///< byte offset of the wrong escape in the literal
};

/// The value of a string literal with its prefix and quotes, escapes replaced.
[[nodiscard]] StringValue string_value(std::string_view text);

}  // namespace a2a3::ir
