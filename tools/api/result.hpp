// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "a2a3/blocked.hpp"
#include "a2a3/cost.hpp"
#include "a2a3/explanation.hpp"
#include "a2a3/finding.hpp"
#include "a2a3/float_adds.hpp"
#include "a2a3/hints.hpp"
#include "a2a3/race.hpp"
#include "a2a3/signal_provenance.hpp"
#include "a2a3/traffic_part.hpp"
#include "a2a3/window_contents.hpp"
#include "interp/launch_plan.hpp"
#include "ir/diagnostic.hpp"
#include "isa/array.hpp"

namespace a2a3 {

enum class Outcome : std::uint8_t {
  finished,
  invalid,    ///< the run did not start: `diagnostics` says what is wrong with the input
  fault,      ///< a kernel did something it must not: see `diagnostics`
  deadlock,   ///< no core can run and at least one waits: see `blocked`
  over_limit  ///< an option of Options::limits was exceeded: see `diagnostics`
};

/// What a run gave. Whatever the outcome, everything known when it ended is here. Locations point
/// into the module's sources; the plan's tasks point to its functions: keep the module alive.
struct Result {
  Outcome outcome = Outcome::invalid;
  ir::Diagnostics diagnostics;  ///< errors and warnings of binding, planning and running
  interp::LaunchPlan plan;      ///< complete unless `outcome` is invalid
  /// Out and InOut parameters of the entry by name, all ranks together, as the devices left them.
  std::map<std::string, isa::Array> outputs;
  WindowContents windows;   ///< at the end, with Options::keep_windows
  bool over_limit = false;  ///< why it is invalid: one of Options::limits allows no more
  bool needs_data = false;  ///< why a run with Data::none ended in a fault
  std::uint64_t instructions = 0;
  RaceCheck race_check;                       ///< up to where the run ended
  std::vector<Finding> findings;              ///< of the other checks
  std::optional<SharedFloatAdds> float_adds;  ///< of a checked run that has some
  std::optional<Hints> hints;                 ///< of a run that finished, with Options::hints
  std::optional<SignalProvenance> signals;    ///< with Options::record_signals
  /// The timed engine finished; what `outcome` and `blocked` or `diagnostics` say is what the
  /// untimed one came to in its order of the cores.
  bool in_another_order = false;

  bool timed = false;                        ///< the engine measured: `end` and `cost` have meaning
  std::vector<sim::Picoseconds> rank_start;  ///< timed engine: when each rank begins
  sim::Picoseconds end = 0;                  ///< when the last core finished, or got stuck
  Cost cost;                                 ///< up to the end, also of a run that got stuck
  std::optional<Explanation> explanation;    ///< of a run that finished, with Options::explain
  /// Each call of a builtin collective: closed form and what was counted. Complete when the run
  /// finished.
  std::vector<TrafficPart> collectives;
  std::vector<sim::Traffic> other_traffic;  ///< by rank, beside that of the collectives
  std::vector<BlockedRank> blocked;         ///< on deadlock, by rank
  std::vector<WaitCycle> cycles;            ///< on deadlock
  std::vector<UnstartedLaunch> unstarted;   ///< on deadlock, by rank
};

}  // namespace a2a3
