// SPDX-License-Identifier: Apache-2.0
#include "interp/id_list.hpp"

#include <cstddef>

namespace a2a3::interp {

std::string format_ids(const std::vector<std::uint32_t>& ids) {
  std::string text;
  for (std::size_t i = 0; i < ids.size();) {
    std::size_t end = i + 1;
    while (end < ids.size() && ids[end] == ids[end - 1] + 1)
      ++end;
    if (!text.empty()) text += ',';
    text += std::to_string(ids[i]);
    if (end - i > 1) text += (end - i == 2 ? "," : "-") + std::to_string(ids[end - 1]);
    i = end;
  }
  return text;
}

std::string rank_list(const std::vector<std::uint32_t>& ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + format_ids(ranks);
}

}  // namespace a2a3::interp
