// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "a2a3/blocked.hpp"
#include "a2a3/race.hpp"

namespace a2a3::tools {

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

/// Sets that would satisfy the wait if they added up.
[[nodiscard]] bool are_sets_taken_for_adds(const BlockedRank& blocked);
/// Nothing went to the cell and no rank is about to; what goes to its window is known.
[[nodiscard]] bool is_never_signalled(const BlockedRank& blocked);

/// What to do about a wait that never ends, in one sentence, from what the cells show.
[[nodiscard]] std::string advice_of_deadlock(const BlockedRank& blocked,
                                             const Overwriter& overwriter);

}  // namespace a2a3::tools
