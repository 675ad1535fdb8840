// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace a2a3::tools {

/// Part `index` of `count`, from 1: runs index - 1, index - 1 + count, ...
struct Shard {
  std::uint32_t index = 1;
  std::uint32_t count = 1;

  [[nodiscard]] bool has(std::size_t point) const { return point % count == index - 1; }
};

/// "2/8"; nothing when it is none, as 0/8 or 9/8.
[[nodiscard]] std::optional<Shard> parse_shard(std::string_view text);

}  // namespace a2a3::tools
