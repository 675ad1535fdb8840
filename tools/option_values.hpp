// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/diagnostic.hpp"
#include "sim/observer.hpp"

namespace a2a3::tools {

/// Most devices one run may have.
inline constexpr std::uint32_t kDefaultMaxDevices = 4096;

/// The parts of "1, 17,1000" between commas, spaces around each trimmed; one empty part for "".
[[nodiscard]] std::vector<std::string_view> comma_items(std::string_view text);

/// The device ids of `-d`: "0,1,2", "0-15", or a mixture. Rank r runs on the r-th of them. Errors:
/// anything that is no id or range, descending ranges, ids named twice, more than `max_devices`.
[[nodiscard]] std::vector<std::uint32_t> parse_devices(std::string_view text,
                                                       std::uint32_t max_devices,
                                                       ir::Diagnostics& diagnostics);

/// NAME<separator>VALUE of `--set SIZE=17`, `--input 'x: normal(seed=1)'`, `--dump y=y.npy`, spaces
/// around both trimmed; nothing, with an error that shows `example`, when it has another form.
[[nodiscard]] std::optional<std::pair<std::string, std::string>> parse_named(
    std::string_view option, std::string_view text, char separator, std::string_view example,
    ir::Diagnostics& diagnostics);

/// All texts of an option of that form by name; a name that comes twice is an error.
[[nodiscard]] std::map<std::string, std::string> parse_all_named(
    std::string_view option, const std::vector<std::string>& texts, char separator,
    std::string_view example, ir::Diagnostics& diagnostics);

}  // namespace a2a3::tools
