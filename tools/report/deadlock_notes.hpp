// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "a2a3/blocked.hpp"
#include "a2a3/race.hpp"
#include "ir/diagnostic.hpp"

namespace a2a3::tools {

/// Blocked cores that are reported together.
using Waits = std::vector<const BlockedRank*>;

/// Their ranks, each once.
[[nodiscard]] std::vector<std::uint32_t> ranks_of(const Waits& waits);

/// "ranks 1-3"; of many that do not follow each other how many and the first ones.
[[nodiscard]] std::string short_rank_list(const std::vector<std::uint32_t>& ranks);

/// What may have overwritten a cell that is no notify, and what to do about it.
struct Overwriter {
  std::string name = "a write that is no notify, as pl.write,";
  std::string advice =
      "clear a cell before anybody can signal it, as a window begins with zeros, or take credits "
      "out with NotifyOp.AtomicAdd of a negative value";
};
/// With the hazards of the machine.
[[nodiscard]] Overwriter overwriter_of(const RaceCheck& check);

/// What the report of one line says below the waits themselves. `states` are the waits at the line,
/// equal ones together, of which only the first ones are looked at; `all` is every blocked core.
void add_causes(ir::Diagnostic& diagnostic, const std::vector<Waits>& states, const Waits& all,
                const Overwriter& overwriter);

}  // namespace a2a3::tools
