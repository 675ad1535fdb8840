// SPDX-License-Identifier: Apache-2.0
#include "tools/option_values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "models/config/quantity.hpp"

namespace a2a3::tools {
namespace {

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::optional<std::uint32_t> parse_id(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

/// The ids of "3" or "0-15" as [first, last].
std::optional<std::pair<std::uint32_t, std::uint32_t>> parse_range(std::string_view item) {
  const std::size_t dash = item.find('-');
  if (dash == std::string_view::npos) {
    const auto id = parse_id(item);
    if (!id) return {};
    return std::pair(*id, *id);
  }
  const auto first = parse_id(trim(item.substr(0, dash)));
  const auto last = parse_id(trim(item.substr(dash + 1)));
  if (!first || !last) return {};
  return std::pair(*first, *last);
}

}  // namespace

std::vector<std::uint32_t> parse_devices(std::string_view text, std::uint32_t max_devices,
                                         ir::Diagnostics& diagnostics) {
  std::vector<std::uint32_t> ids;
  std::set<std::uint32_t> seen;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view item = trim(text.substr(begin, comma - begin));
    begin = comma + 1;
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
    const std::string_view name = trim(text.substr(0, at));
    const std::string_view value = trim(text.substr(at + 1));
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

std::map<std::uint32_t, sim::Picoseconds> parse_skew(const std::vector<std::string>& texts,
                                                     std::uint32_t ranks,
                                                     ir::Diagnostics& diagnostics) {
  constexpr std::string_view kExample = "--skew rank=1:50us";
  constexpr std::string_view kPrefix = "rank=";
  constexpr double kPicosecondsPerSecond = 1e12;
  constexpr double kLongestSeconds = 1000;
  std::map<std::uint32_t, sim::Picoseconds> skew;
  for (const std::string& text : texts) {
    const auto parts = parse_named("--skew", text, ':', kExample, diagnostics);
    if (!parts) continue;
    const auto& [who, amount] = *parts;
    const auto rank = who.starts_with(kPrefix)
                          ? parse_id(trim(std::string_view(who).substr(kPrefix.size())))
                          : std::nullopt;
    if (!rank) {
      diagnostics.error({}, fmt::format("--skew '{}': expected {}", text, kExample));
      continue;
    }
    if (*rank >= ranks) {
      diagnostics.error(
          {}, fmt::format("--skew '{}': there is no rank {}, the run has {}", text, *rank, ranks));
      continue;
    }
    const models::ParsedQuantity delay = models::parse_quantity(amount, models::Quantity::time);
    if (!delay.error.empty() || delay.value < 0 || delay.value > kLongestSeconds) {
      const std::string why = delay.error.empty()
                                  ? fmt::format("a skew lies between 0 and {} s", kLongestSeconds)
                                  : delay.error;
      diagnostics.error({}, fmt::format("--skew '{}': {}", text, why));
      continue;
    }
    const auto picoseconds =
        static_cast<sim::Picoseconds>(std::llround(delay.value * kPicosecondsPerSecond));
    if (!skew.emplace(*rank, picoseconds).second) {
      diagnostics.error({}, fmt::format("--skew '{}': rank {} has a skew already", text, *rank));
    }
  }
  return skew;
}

}  // namespace a2a3::tools
