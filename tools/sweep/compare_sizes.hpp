// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/diagnostic.hpp"

namespace a2a3::tools {

/// Rank counts of --ranks: "2,4,8", "2..16" or a mixture, ascending and distinct. Errors: anything
/// else, 0, more than `most`.
[[nodiscard]] std::vector<std::uint32_t> parse_rank_counts(std::string_view text,
                                                           std::uint32_t most,
                                                           ir::Diagnostics& diagnostics);

/// Sizes of --bytes: "17,1000,4 KiB", "1KiB..64MiB" (doubled from the first up to the last) or a
/// mixture, ascending and distinct. A number without a unit counts bytes.
[[nodiscard]] std::vector<std::uint64_t> parse_sizes(std::string_view text,
                                                     ir::Diagnostics& diagnostics);

/// "212 KiB", "1000 B": three digits at least, in the largest unit that leaves a whole number
/// or four digits.
[[nodiscard]] std::string size_text(std::uint64_t bytes);

}  // namespace a2a3::tools
