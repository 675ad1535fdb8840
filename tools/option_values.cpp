// SPDX-License-Identifier: Apache-2.0
#include "tools/option_values.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "models/config/trim.hpp"
#include "models/config/whole_number.hpp"

namespace a2a3::tools {
namespace {

/// The ids of "3" or "0-15" as [first, last].
std::optional<std::pair<std::uint32_t, std::uint32_t>> parse_range(std::string_view item) {
  const std::size_t dash = item.find('-');
  if (dash == std::string_view::npos) {
    const auto id = models::whole_number<std::uint32_t>(item);
    if (!id) return {};
    return std::pair(*id, *id);
  }
  const auto first = models::whole_number<std::uint32_t>(models::trimmed(item.substr(0, dash)));
  const auto last = models::whole_number<std::uint32_t>(models::trimmed(item.substr(dash + 1)));
  if (!first || !last) return {};
  return std::pair(*first, *last);
}

}  // namespace

std::vector<std::string_view> comma_items(std::string_view text) {
  std::vector<std::string_view> items;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    items.push_back(models::trimmed(text.substr(begin, comma - begin)));
    begin = comma + 1;
  }
  return items;
}

std::vector<std::uint32_t> parse_devices(std::string_view text, std::uint32_t max_devices,
                                         ir::Diagnostics& diagnostics) {
  std::vector<std::uint32_t> ids;
  std::set<std::uint32_t> seen;
  for (const std::string_view item : comma_items(text)) {
    const auto range = parse_range(item);
    if (!range) {
      diagnostics.error({}, fmt::format("-d {}: '{}' is neither a device id nor a range of ids; "
                                        "write -d 0,1,2 or -d 0-15",
                                        text, item));
      return {};
    }
    const auto [first, last] = *range;
    if (first > last) {
      diagnostics.error({}, fmt::format("-d {}: the range {} runs backwards", text, item));
      return {};
    }
    if (std::uint64_t{last} - first + 1 + ids.size() > max_devices) {
      diagnostics.error({}, fmt::format("-d {}: more than {} devices; --max-devices raises the "
                                        "limit",
                                        text, max_devices));
      return {};
    }
    for (std::uint64_t id = first; id <= last; ++id) {
      const auto device = static_cast<std::uint32_t>(id);
      if (!seen.insert(device).second) {
        diagnostics.error({}, fmt::format("-d {}: device {} is named twice", text, device));
        return {};
      }
      ids.push_back(device);
    }
  }
  return ids;
}

std::optional<std::pair<std::string, std::string>> parse_named(std::string_view option,
                                                               std::string_view text,
                                                               char separator,
                                                               std::string_view example,
                                                               ir::Diagnostics& diagnostics) {
  const std::size_t at = text.find(separator);
  if (at != std::string_view::npos) {
    const std::string_view name = models::trimmed(text.substr(0, at));
    const std::string_view value = models::trimmed(text.substr(at + 1));
    if (!name.empty() && !value.empty()) return std::pair(std::string(name), std::string(value));
  }
  diagnostics.error({}, fmt::format("{} '{}': expected {}", option, text, example));
  return {};
}

std::map<std::string, std::string> parse_all_named(std::string_view option,
                                                   const std::vector<std::string>& texts,
                                                   char separator, std::string_view example,
                                                   ir::Diagnostics& diagnostics) {
  std::map<std::string, std::string> all;
  for (const std::string& text : texts) {
    auto named = parse_named(option, text, separator, example, diagnostics);
    if (named && !all.insert(*named).second) {
      diagnostics.error({}, fmt::format("{} '{}': {} is given twice", option, text, named->first));
    }
  }
  return all;
}

}  // namespace a2a3::tools
