// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/observer.hpp"

namespace a2a3 {

/// When each rank was in which phase, which source lines ran there, and how long it waited.
class PhaseTimes : public sim::Observer {
 public:
  struct Phase {
    sim::Picoseconds begin = ~sim::Picoseconds{0};
    sim::Picoseconds end = 0;
    std::vector<sim::Picoseconds> waiting;  ///< by core
    std::vector<bool> sources;              ///< by SourceId: executed
    std::vector<std::uint32_t> tasks;       ///< in the order they ran
  };

  explicit PhaseTimes(std::size_t ranks) : ranks_(ranks) {}

  [[nodiscard]] const std::vector<Phase>& phases(std::size_t rank) const {
    return ranks_.at(rank).phases;
  }

  void on_pipe_activity(const sim::PipeActivity& activity) override;
  void on_wait_ended(const sim::WaitEnded& wait) override;
  void on_wait_stuck(const sim::WaitEnded& wait) override { on_wait_ended(wait); }

 private:
  struct Rank {
    std::vector<Phase> phases;
    sim::Origin last;  ///< of the event before: what it shares with the next one is known
  };
  Phase& at(const sim::Origin& origin, sim::Picoseconds begin, sim::Picoseconds end);

  std::vector<Rank> ranks_;
};

}  // namespace a2a3
