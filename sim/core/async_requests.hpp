// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/observer.hpp"

namespace a2a3::sim {

/// The asynchronous transfers that one core has asked for, by event.
class AsyncRequests {
 public:
  /// Asked for at `now`; what ends later can still be waited for.
  void add(std::uint32_t event, Picoseconds now) { ++of(event, now).open; }
  void complete(std::uint32_t event, Picoseconds end) {
    Event& one = *std::find_if(events_.begin(), events_.end(),
                               [&](const Event& other) { return other.number == event; });
    --one.open;
    one.end = std::max(one.end, end);
    last_end_ = std::max(last_end_, end);
  }

  /// When all requests of the event were complete, 0 if there were none; nothing while one is not.
  [[nodiscard]] std::optional<Picoseconds> end_of(std::uint32_t event) const {
    const auto found = std::find_if(events_.begin(), events_.end(),
                                    [&](const Event& one) { return one.number == event; });
    if (found == events_.end()) return 0;
    return found->open == 0 ? std::optional(found->end) : std::nullopt;
  }
  /// The same of all events.
  [[nodiscard]] std::optional<Picoseconds> end() const {
    const bool open =
        std::any_of(events_.begin(), events_.end(), [](const Event& one) { return one.open != 0; });
    return open ? std::nullopt : std::optional(last_end_);
  }

 private:
  struct Event {
    std::uint32_t number = 0;
    std::uint32_t open = 0;
    Picoseconds end = 0;
  };

  /// The entry of an event that nothing can wait for any more serves the next number, so that there
  /// are no more than are under way at once.
  Event& of(std::uint32_t event, Picoseconds now) {
    Event* closed = nullptr;
    for (Event& one : events_) {
      if (one.number == event) return one;
      if (one.open == 0 && one.end <= now) closed = &one;
    }
    if (closed == nullptr) closed = &events_.emplace_back();
    *closed = {.number = event};
    return *closed;
  }

  std::vector<Event> events_;
  Picoseconds last_end_ = 0;
};

}  // namespace a2a3::sim
