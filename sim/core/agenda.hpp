// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <systemc>
#include <vector>

#include "sim/observer.hpp"

namespace a2a3::sim {

/// The moments at which a core, or a DMA engine, has to touch what it shares with others, and the
/// one event that wakes it for the next of them. `KindOfEntry` says what its owner does then.
template <typename KindOfEntry>
class AgendaOf {
 public:
  using Kind = KindOfEntry;

  struct Entry {
    Picoseconds time = 0;
    std::uint64_t number = 0;  ///< entries of equal time happen in the order of their making
    Kind kind{};
    std::uint32_t operation = 0;  ///< handle in the PipeSchedule, or stream of a DMA engine
  };

  sc_core::sc_event wake;

  /// Also from another owner's process.
  void add(Picoseconds time, Kind kind, std::uint32_t operation = 0) {
    heap_.push_back({time, ++made_, kind, operation});
    std::push_heap(heap_.begin(), heap_.end(), later);
    if (armed_ && heap_.front().number == made_) arm();
  }

  /// Takes the next entry that is due.
  [[nodiscard]] std::optional<Entry> take(Picoseconds now) {
    armed_ = false;
    if (heap_.empty() || heap_.front().time > now) return std::nullopt;
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Entry entry = heap_.back();
    heap_.pop_back();
    return entry;
  }

  /// Ends the owner's turn: `wake` comes at the next entry.
  void arm() {
    armed_ = true;
    if (heap_.empty()) return;
    const Picoseconds now = sc_core::sc_time_stamp().value();
    const Picoseconds wait = heap_.front().time > now ? heap_.front().time - now : 0;
    wake.notify(sc_core::sc_time::from_value(wait));
  }

 private:
  static bool later(const Entry& a, const Entry& b) {
    return a.time != b.time ? a.time > b.time : a.number > b.number;
  }

  std::vector<Entry> heap_;
  std::uint64_t made_ = 0;
  bool armed_ = false;
};

enum class CoreEntry : std::uint8_t {
  start,     ///< the launch reaches the core
  depart,    ///< a transfer or signal asks for its link
  memory,    ///< a transfer or signal is at its memory
  landing,   ///< a store of a relaxed machine is in memory; to the device `operation`
  reply,     ///< the bytes of a remote load are back
  access,    ///< a scalar access of global memory ends
  request,   ///< the DMA engine is asked for a transfer
  answer,    ///< the DMA engine has said when a transfer ends
  poll,      ///< a poll that may end the wait
  task_end,  ///< the task's last effect is in memory
  work,      ///< there may be a task for the idle core
  fault,     ///< the program's fault takes effect
};
/// That of a core.
using Agenda = AgendaOf<CoreEntry>;

}  // namespace a2a3::sim
