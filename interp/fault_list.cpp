// SPDX-License-Identifier: Apache-2.0
#include "interp/fault_list.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "interp/id_list.hpp"

namespace a2a3::interp {
namespace {

bool at_same_place(const ir::SourceLocation& a, const ir::SourceLocation& b) {
  return a.file == b.file && a.line == b.line && a.column == b.column;
}

std::string named(const char* what, std::vector<std::uint32_t> ids) {
  std::ranges::sort(ids);
  const auto repeated = std::ranges::unique(ids);  // by several blocks
  ids.erase(repeated.begin(), repeated.end());
  return fmt::format("{}{} {}", what, ids.size() == 1 ? "" : "s", format_ids(ids));
}

}  // namespace

void FaultList::add(ir::Diagnostic fault, const FaultPlace& place) {
  auto known = std::ranges::find_if(faults_, [&](const Fault& other) {
    return at_same_place(other.diagnostic.location, fault.location) &&
           other.place.kernel == place.kernel && at_same_place(other.place.call, place.call);
  });
  if (known == faults_.end()) {
    faults_.push_back({std::move(fault), place, {}, {}, {}, true});
    known = faults_.end() - 1;
  } else if (known->diagnostic.message != fault.message) {
    known->alike = false;
  }
  known->devices.push_back(place.device);
  known->blocks.push_back(place.block);
  if (place.has_rank) known->ranks.push_back(place.rank);
}

void FaultList::append_to(ir::Diagnostics& diagnostics) const {
  for (const Fault& fault : faults_) {
    std::string text =
        fmt::format("in kernel \"{}\" on {}", fault.place.kernel, named("device", fault.devices));
    if (!fault.ranks.empty())
      text += fmt::format(" ({} of {})", named("rank", fault.ranks), fault.place.ranks);
    if (fault.place.blocks > 1)
      text += fmt::format(", {} of {}", named("block", fault.blocks), fault.place.blocks);
    if (!fault.alike)
      text += fmt::format("; the figures are those of device {}", fault.place.device);
    ir::Diagnostic& error = diagnostics.error(fault.diagnostic.location, fault.diagnostic.message);
    error.notes = fault.diagnostic.notes;
    error.notes.push_back({std::move(text), fault.place.call});
  }
}

}  // namespace a2a3::interp
