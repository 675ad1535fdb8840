// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/time/operation_costs.hpp"
#include "models/traffic/schedule.hpp"

namespace a2a3::models {

/// What a rank reads and writes of a reduction: how many bytes, from where, in which pieces.
struct Reduced {
  std::int64_t begin = 0;  ///< bytes from an aligned address
  std::int64_t bytes = 0;
  std::int64_t chunk = 0;
  std::int64_t padded_tile = 0;  ///< bytes of a tile whose padding is filled; 0: none is
};

/// The phases that schedules are made of. Chunks follow each other without overlap: a tile is
/// loaded again when its store has read it.
class SchedulePhases {
 public:
  SchedulePhases(const ScheduleSize& size, const MachineDescription& machine)
      : size_(size), costs_(machine), machine_(machine) {}

  [[nodiscard]] const ScheduleSize& size() const { return size_; }
  [[nodiscard]] const OperationCosts& costs() const { return costs_; }
  [[nodiscard]] const MachineDescription& machine() const { return machine_; }
  [[nodiscard]] std::int64_t ranks() const { return size_.ranks; }
  [[nodiscard]] double peers() const { return static_cast<double>(size_.ranks - 1); }

  /// The phase of the rank that takes longest.
  template <typename Phase>
  [[nodiscard]] TimeTerms slowest(const Phase& phase) const {
    TimeTerms longest = phase(std::int64_t{0});
    for (std::int64_t rank = 1; rank < ranks(); ++rank) {
      const TimeTerms one = phase(rank);
      if (one.seconds() > longest.seconds()) longest = one;
    }
    return longest;
  }

  /// sum over chunks of load + flag + store + flag, all in own memory.
  [[nodiscard]] TimeTerms copy(std::int64_t from, std::int64_t to, std::int64_t bytes,
                               std::int64_t chunk) const;
  /// The same from a peer.
  [[nodiscard]] TimeTerms pull(std::int64_t rank, std::int64_t peer, std::int64_t from,
                               std::int64_t to, std::int64_t bytes, std::int64_t chunk) const;
  /// The same to a peer.
  [[nodiscard]] TimeTerms push(std::int64_t rank, std::int64_t peer, std::int64_t from,
                               std::int64_t to, std::int64_t bytes, std::int64_t chunk) const;
  /// Per chunk: issue of the own load + per peer (remote load + flag + add + flag) + end.
  template <typename Peers, typename End>
  [[nodiscard]] TimeTerms reduce(std::int64_t rank, const Reduced& data, const Peers& from_peers,
                                 const End& end_of_chunk) const;
  /// The peers of a rank, in order, with their number.
  [[nodiscard]] auto all_peers() const {
    return [this](std::int64_t rank, const auto& act) {
      for (std::int64_t peer = 0; peer < ranks(); ++peer) {
        if (peer != rank) act(peer);
      }
    };
  }
  /// Only the left neighbour.
  [[nodiscard]] auto left_peer() const {
    return [this](std::int64_t rank, const auto& act) { act((rank + ranks() - 1) % ranks()); };
  }
  /// store + flag: what a chunk ends with unless a barrier stands before the store.
  [[nodiscard]] TimeTerms write_back(std::int64_t bytes, std::int64_t offset) const {
    return costs_.store(bytes, offset) + costs_.flag();
  }
  [[nodiscard]] TimeTerms barrier() const {
    return slowest([this](std::int64_t rank) { return costs_.credit_barrier(rank, ranks()); });
  }
  /// What only the root does first, `staged`, and the barrier behind it, in which the others are
  /// meanwhile: until the rank has seen the credits of all.
  [[nodiscard]] TimeTerms barrier_behind_root(std::int64_t rank, const TimeTerms& staged) const;
  /// A rank's notifies to itself that take the credits back.
  [[nodiscard]] TimeTerms clears(double count) const { return count * costs_.notify(0, 0); }

  /// Sum of cost(offset, bytes) over the chunks of `bytes`. Chunks that are all aligned alike cost
  /// the same: the first one stands for the full ones.
  template <typename Cost>
  [[nodiscard]] TimeTerms over_chunks(std::int64_t bytes, std::int64_t chunk,
                                      const Cost& cost) const {
    TimeTerms sum;
    std::int64_t at = 0;
    if (chunk % static_cast<std::int64_t>(machine_.core.gm_alignment_bytes) == 0 &&
        bytes >= chunk) {
      const std::int64_t full = bytes / chunk;
      sum = static_cast<double>(full) * cost(std::int64_t{0}, chunk);
      at = full * chunk;
    }
    for (; at < bytes; at += chunk)
      sum += cost(at, std::min(chunk, bytes - at));
    return sum;
  }

 private:
  ScheduleSize size_;
  OperationCosts costs_;
  const MachineDescription& machine_;
};

template <typename Peers, typename End>
TimeTerms SchedulePhases::reduce(std::int64_t rank, const Reduced& data, const Peers& from_peers,
                                 const End& end_of_chunk) const {
  return over_chunks(data.bytes, data.chunk, [&](std::int64_t at, std::int64_t bytes) {
    const std::int64_t offset = data.begin + at;
    TimeTerms sum = ranks() == 1 ? costs_.load(bytes, offset) + costs_.flag()
                                 : costs_.load_issue(bytes, offset);
    const bool padded = data.padded_tile > 0 && bytes < data.padded_tile;
    const std::int64_t added = data.padded_tile > 0 ? data.padded_tile : bytes;
    from_peers(rank, [&](std::int64_t peer) {
      sum += costs_.remote_load(rank, peer, bytes, offset) + costs_.flag() + costs_.add(added) +
             costs_.flag();
      if (padded) sum += costs_.fill(data.padded_tile);
    });
    return sum + end_of_chunk(bytes, offset);
  });
}

}  // namespace a2a3::models
