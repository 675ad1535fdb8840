// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace a2a3::ir::utf8 {

struct Decoded {
  char32_t code_point = 0;
  std::uint8_t bytes = 1;  ///< how many bytes it takes; 1 for an invalid one
  bool valid = false;
};

/// The code point at `offset`, which must lie inside the text.
[[nodiscard]] Decoded decode(std::string_view text, std::size_t offset);

/// Offset of the first byte that is not part of valid UTF-8; npos when there is none.
[[nodiscard]] std::size_t first_invalid(std::string_view text);

/// How many code points the text has; an invalid byte counts as one.
[[nodiscard]] std::uint32_t length(std::string_view text);

/// Columns a terminal needs: 0 for combining marks, 2 for wide East Asian characters, otherwise 1.
[[nodiscard]] int display_width(char32_t code_point);

/// True for what must not reach a terminal as it is: control characters except the tab, and the
/// marks that reorder text.
[[nodiscard]] bool is_control(char32_t code_point);

void append(std::string& text, char32_t code_point);

}  // namespace a2a3::ir::utf8
