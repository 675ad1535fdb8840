// SPDX-License-Identifier: Apache-2.0
#include "a2a3/shared_cells.hpp"

#include <set>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "a2a3/blocked.hpp"

namespace a2a3 {
namespace {

/// A Set by one rank and a signal by another one, on the same cell.
struct Clash {
  const sim::CellCredit* set = nullptr;
  const sim::CellCredit* other = nullptr;
};

/// The first clash among everything that landed on one cell of device `owner`.
Clash find_clash(std::span<const sim::CellCredit> credits, std::uint32_t owner) {
  for (const sim::CellCredit& set : credits) {
    if (set.op != isa::NotifyOp::set || set.from_device == owner) continue;
    for (const sim::CellCredit& other : credits) {
      if (other.from_device == set.from_device) continue;
      const bool is_reset = other.op == isa::NotifyOp::set && other.from_device == owner;
      if (!is_reset) return {&set, &other};
    }
  }
  return {};
}

}  // namespace

void warn_of_shared_cells(const sim::SignalLog& log, const interp::LaunchPlan& plan,
                          const std::function<ir::SourceLocation(isa::SourceId)>& locate,
                          ir::Diagnostics& diagnostics) {
  std::set<isa::SourceId> warned;
  for (std::uint32_t owner = 0; owner < plan.gm_bytes.size(); ++owner) {
    const std::vector<sim::CellCredit> credits = log.credits(owner);
    std::size_t begin = 0;
    for (std::size_t end = 1; end <= credits.size(); ++end) {
      if (end < credits.size() && credits[end].cell == credits[begin].cell) continue;
      const Clash clash = find_clash(std::span(credits).subspan(begin, end - begin), owner);
      begin = end;
      if (clash.set == nullptr || !warned.insert(clash.set->source).second) continue;
      const bool both_set = clash.other->op == isa::NotifyOp::set;
      auto& notes =
          diagnostics
              .warning(locate(clash.set->source),
                       fmt::format("{} on rank {} is set by rank {} and {} by rank {}: a Set wipes "
                                   "out what came before it",
                                   name_cell(plan, clash.set->cell).text(), owner,
                                   clash.set->from_device, both_set ? "set" : "added to",
                                   clash.other->from_device))
              .notes;
      if (clash.other->source != clash.set->source) {
        notes.push_back({"the other signal", locate(clash.other->source)});
      }
      notes.push_back({"use NotifyOp.AtomicAdd, or a cell for each rank", {}});
    }
  }
}

}  // namespace a2a3
