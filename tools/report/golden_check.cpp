// SPDX-License-Identifier: Apache-2.0
#include "tools/report/golden_check.hpp"

#include <fmt/format.h>

#include "interp/id_list.hpp"

namespace a2a3::tools {

std::string mismatch_report(const std::vector<GoldenCheck>& checks) {
  /// Ranks beyond these many are named but not described.
  constexpr std::size_t kRanksShown = 8;
  std::string text;
  for (const GoldenCheck& check : checks) {
    if (check.right()) continue;
    std::vector<std::uint32_t> ranks;
    for (const models::SliceMismatch& mismatch : check.mismatches)
      ranks.push_back(mismatch.rank);
    text += fmt::format("wrong result: {} is not {} on {} (compared: {})\n", check.output,
                        check.expression, interp::rank_list(ranks), check.comparison);
    for (std::size_t i = 0; i < check.mismatches.size() && i < kRanksShown; ++i) {
      text += "   " + models::format_mismatch(check.output, check.mismatches[i]) + "\n";
    }
    if (check.mismatches.size() > kRanksShown) {
      text += fmt::format("   and {} more ranks\n", check.mismatches.size() - kRanksShown);
    }
    if (check.note) text += ir::format(*check.note);
  }
  return text;
}

}  // namespace a2a3::tools
