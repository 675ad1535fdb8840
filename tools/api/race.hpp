// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "interp/launch_plan.hpp"
#include "ir/source.hpp"
#include "isa/order/access.hpp"
#include "isa/order/race_waits.hpp"

namespace a2a3::isa {
class HappensBefore;
}

namespace a2a3 {

/// One of the two accesses of a race.
struct RaceSite {
  std::uint32_t rank = 0;
  ir::SourceLocation location;
  isa::AccessKind kind = isa::AccessKind::read;
  bool is_signal = false;   ///< a notify to a cell that the other one accesses as data
  std::uint32_t task = 0;   ///< number in the plan
  std::uint32_t block = 0;  ///< of its launch
  bool is_zeroing = false;  ///< of a window by its owner, where that is late (hazards.zeroing)
};

/// The wait before the second access of a race that comes nearest to what is missing
/// (isa::RaceWait).
struct NearestWait {
  /// Signals of one line that satisfy it without the one that is missing.
  struct Credit {
    std::vector<std::uint32_t> ranks;  ///< ascending
    ir::SourceLocation location;
    isa::NotifyOp op = isa::NotifyOp::atomic_add;
    std::string cell;  ///< "" when they went to several ones
  };
  isa::RaceWait::Bond bond = isa::RaceWait::Bond::stranger;
  std::string cell;
  ir::SourceLocation location;
  std::int32_t expected = 0;
  bool exactly = false;
  std::vector<Credit> credits;
  std::int32_t initial = 0;  ///< of the cell
  bool holds_initially = false;
  std::vector<std::uint32_t> senders;  ///< ranks that signal the cell, ascending
  bool has_set = false;                ///< some with a Set
  std::uint32_t waits = 0;             ///< how many the rank has on the cell
  std::optional<std::int32_t> a_time;  ///< what all notifies for one of these waits bring together
};

/// Two lines of a kernel that access the same bytes, at least one of them writing, without
/// synchronisation between them: another timing can exchange them.
struct Race {
  isa::RaceKind kind = isa::RaceKind::write_write;
  RaceSite earlier;  ///< of the first race between the two lines; in other orders the later one
  RaceSite later;
  /// Both sides are tasks of one dispatch to one device: blocks of one launch, or of two launches.
  bool is_inside_device = false;
  bool is_one_launch = false;
  std::uint32_t owner = 0;  ///< the rank whose memory holds the bytes
  std::string window;       ///< window buffer, "" for a plain tensor
  std::string range;        ///< the bytes as the kernel names them: "data[2, 0:64]"
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;                   ///< of all races between the two lines
  std::vector<std::uint32_t> earlier_ranks;  ///< of all of them, ascending
  std::vector<std::uint32_t> later_ranks;
  std::vector<std::string> waited;  ///< the cells that the later rank had waited on
  bool is_turned = false;           ///< the program means the access of `later` to come first
  /// The cells that the rank of the second access had waited on, and the nearest of these waits.
  std::vector<std::string> second_waited;
  std::optional<NearestWait> wait;
  /// A wait of the reader's before the read that an earlier signal satisfies: its cell, else "".
  std::string idle_cell;
  ir::SourceLocation idle_wait;
};

/// What the check for races found out.
struct RaceCheck {
  enum class State : std::uint8_t {
    off,  ///< not asked for
    /// Limits::max_race_records was reached: there may be more races, or reads of bytes that have
    /// no value.
    undecided,
    /// The same limit was reached by the orders in which waits may hang: `races` are all races.
    too_many_orders,
    cut_off,  ///< the run did not finish: there may be more races behind where it ended
    complete  ///< `races` are all races of the run's synchronisation
  };
  State state = State::off;
  std::vector<Race> races;
  bool unfenced = false;             ///< hazards.fences: none
  std::uint64_t set_line_bytes = 0;  ///< hazards.set_line
  bool late_zeroing = false;         ///< hazards.zeroing: late
};

/// What was found, in the kernel's words.
[[nodiscard]] RaceCheck describe_races(
    const isa::HappensBefore& found, const interp::LaunchPlan& plan,
    const std::function<ir::SourceLocation(isa::SourceId)>& locate);

}  // namespace a2a3
