// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/shard.hpp"

#include <charconv>

namespace a2a3::tools {

std::optional<Shard> parse_shard(std::string_view text) {
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto [slash, index_error] = std::from_chars(text.data(), end, shard.index);
  if (index_error != std::errc{} || slash == end || *slash != '/') return {};
  const auto [rest, count_error] = std::from_chars(slash + 1, end, shard.count);
  if (count_error != std::errc{} || rest != end) return {};
  if (shard.index == 0 || shard.index > shard.count) return {};
  return shard;
}

}  // namespace a2a3::tools
