// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "a2a3/finding.hpp"
#include "interp/id_list.hpp"

namespace a2a3 {

std::vector<Finding> tile_findings(const isa::UndefinedElements& found,
                                   const FindingSources& sources) {
  std::vector<Finding> all;
  for (const isa::UndefinedUse& use : found.uses()) {
    Finding& finding = all.emplace_back();
    finding.kind = "undefined tile";
    finding.ranks.assign(use.devices.begin(), use.devices.end());
    finding.count = use.count;
    finding.place = fmt::format("[{}, {}]", use.row, use.col);
    finding.diagnostic.severity = ir::Severity::error;
    finding.diagnostic.location = sources.locate(use.source);
    const std::string ranks = interp::rank_list(finding.ranks);
    const char* const ending = finding.ranks.size() == 1 ? "s" : "";
    const isa::Tile& tile = use.tile;
    finding.diagnostic.message =
        use.is_read
            ? fmt::format(
                  "undefined tile: {} read{} element {} of a [{}, {}] tile, which nothing has "
                  "given a value",
                  ranks, ending, finding.place, tile.rows, tile.cols)
            : fmt::format(
                  "undefined tile: {} use{} {} of {} {}elements of a [{}, {}] tile that nothing "
                  "has given a value, the first at {}",
                  ranks, ending, use.elements, tile.valid_elements(),
                  tile.valid_elements() == tile.elements() ? "" : "valid ", tile.rows, tile.cols,
                  finding.place);
    finding.diagnostic.notes.push_back(
        {"pl.tile.create leaves a tile undefined, and so are the elements outside of a "
         "valid_shape: begin with pl.tile.full, or use the valid ones only",
         {}});
  }
  return all;
}

}  // namespace a2a3
