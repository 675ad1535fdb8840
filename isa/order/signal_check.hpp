// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "isa/order/access.hpp"
#include "isa/order/cell_waits.hpp"
#include "isa/order/chunks.hpp"
#include "isa/order/per_thread.hpp"
#include "isa/order/run_observer.hpp"
#include "isa/order/short_list.hpp"

namespace a2a3::isa {

enum class SignalFault : std::uint8_t {
  lost_credit,   ///< nothing orders a Set and another thread's add to the cell: the add may be lost
  missed_value,  ///< a wait never ends on some timing: a signal that nothing orders behind it takes
                 ///< the value away, or may be the last Set (CellWaits)
  stale_credit,  ///< a wait cannot block: what an earlier wait on the cell asked for satisfies it
  left_before,   ///< a wait cannot block: the run found the cell with the value already
  excess_credit,  ///< the cell ends with more than any wait on it has asked for, and one device has
                  ///< sent a credit twice
  competing_sets,  ///< nothing orders two Sets of different values
  cleared_read,    ///< a plain read of a cell out of which its device has taken all credits
  joint_hang       ///< waits that each end when the others do get stuck together in some order
};

/// All faults of one kind between two lines.
struct SignalFinding {
  /// A wait or a notify.
  struct Side {
    std::uint32_t device = 0;
    SourceId source = 0;
    std::int32_t value = 0;  ///< set, added or waited for
  };
  SignalFault fault = SignalFault::lost_credit;
  GlobalAddress cell;  ///< of the first one
  /// lost_credit, competing_sets: the Set; missed_value, stale_credit, left_before: the wait;
  /// excess_credit: the notify that came twice; cleared_read: the read, with no value.
  Side subject;
  /// lost_credit: the add; competing_sets: the other Set; missed_value: the signal; stale_credit:
  /// the earlier wait; excess_credit: the notify before it, its value the most that was asked for;
  /// cleared_read: the notify
  /// that took the last credits out.
  Side other;
  std::int32_t cell_value = 0;  ///< missed_value, excess_credit
  bool exactly = false;         ///< the wait asks for exactly its value, else for at least it
  std::uint64_t count = 0;
  std::set<std::uint32_t> devices;  ///< of the subject
  /// joint_hang: the waits, the subject's first, and what the cells are then.
  struct Stuck {
    Side wait;
    GlobalAddress cell;
    std::int32_t cell_value = 0;
    bool exactly = false;
  };
  std::vector<Stuck> stuck;
};

/// Which signals the waits on each cell live from, and which signals may undo each other on another
/// timing.
class SignalCheck {
 public:
  struct Notify : CellWaits::Signal {
    CellChange cell;
    std::uint64_t accesses = 0;  ///< of memory, of the sender's thread before it
  };
  using Wait = CellWaits::Wait;
  struct Place {
    std::uint32_t number = 0;  ///< of the cell, from 0 without gaps
    GlobalAddress address;
  };
  /// A notify takes effect; `clock` is what its sender knew.
  void notify(const Place& cell, const Notify& notify, const VectorClock& clock);
  /// A wait ends and finds `value`; `clock` is what its thread knew before.
  void wait(const Place& cell, const Wait& wait, std::int32_t value, const VectorClock& clock);
  /// The condition of a task is met, likewise.
  void meet(const Place& cell, const Wait& condition, std::int32_t value);
  /// Something but a wait reads the cell, or something but a notify writes it.
  void read(const Place& cell, std::uint32_t device, SourceId source);
  void write(const Place& cell) { this->cell(cell).cleared.reset(); }

  /// Whether waits may hang together, see CellWaits::is_contested.
  [[nodiscard]] bool is_contested() const {
    for (const Cell& cell : cells_) {
      if (cell.waits.is_contested()) return true;
    }
    return false;
  }
  [[nodiscard]] std::size_t records() const { return records_; }
  /// Ordered by kind and lines; those of the end only when the run is over.
  [[nodiscard]] std::vector<SignalFinding> findings(bool run_is_over) const {
    return findings(run_is_over, [](const CellWaits::Wait&, std::uint32_t) { return true; });
  }
  /// `can_hang(wait, number of its cell)` says which waits may be missed values.
  using CanHang = std::function<bool(const CellWaits::Wait&, std::uint32_t)>;
  [[nodiscard]] std::vector<SignalFinding> findings(bool run_is_over,
                                                    const CanHang& can_hang) const;

 private:
  /// What is kept of a notify.
  struct Sent : CellWaits::Signal {
    std::uint64_t accesses = 0;
  };
  /// The threads of a device one behind the other.
  struct DeviceAndThreadOf {
    std::pair<std::uint32_t, Thread> operator()(const Sent& sent) const {
      return {sent.device, sent.by.thread};
    }
  };
  struct Cell {
    GlobalAddress address;
    std::int32_t value = 0;
    std::int32_t initial = 0;  ///< before the first signal, once that came
    /// By a Set, a negative add or something that is no signal: how many had landed then.
    std::optional<std::uint64_t> lowered;
    std::optional<std::int32_t> most_expected;
    PerThread<Sent, ShortList<Sent>, DeviceAndThreadOf> adds;  ///< the last one of each thread
    PerThread<Sent> sets;
    CellWaits waits;
    std::optional<SignalFinding::Side> twice;  ///< an add that its device had sent already
    SourceId first = 0;                        ///< where it had
    /// The last signal, when its own device has brought the cell back to 0 with it.
    std::optional<SignalFinding::Side> cleared;
  };
  using Key = std::tuple<SignalFault, SourceId, SourceId>;
  Cell& cell(const Place& place);
  void enter_missed(std::map<Key, SignalFinding>& findings, const CanHang& can_hang) const;
  void end(Cell& cell, const Wait& wait, std::int32_t value);
  [[nodiscard]] std::vector<const Cell*> exceeded_cells() const;
  /// The earlier add of its device that nothing tells it from; null when there is none.
  [[nodiscard]] const Sent* repeated(const Cell& cell, const Sent& add,
                                     const VectorClock& clock) const;
  static SignalFinding& enter(std::map<Key, SignalFinding>& findings, SignalFault fault,
                              GlobalAddress cell, const SignalFinding::Side& subject,
                              const SignalFinding::Side& other);

  Chunks<Cell> cells_;  ///< by number
  std::map<Key, SignalFinding> findings_;
  std::vector<std::uint32_t> last_wait_;  ///< by thread: the index of the last one; 0: none
  std::size_t records_ = 0;
};

}  // namespace a2a3::isa
