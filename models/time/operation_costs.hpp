// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/machine_description.hpp"
#include "models/time/modelled_time.hpp"
#include "models/topology.hpp"

namespace a2a3::models {

/// What single operations of one core cost when nobody is in their way: the terms of
/// docs/timing_model.md. Bytes lie in one row; `offset` is that of its first byte from an aligned
/// address.
class OperationCosts {
 public:
  explicit OperationCosts(const MachineDescription& machine);

  [[nodiscard]] TimeTerms load(std::int64_t bytes, std::int64_t offset) const;
  [[nodiscard]] TimeTerms store(std::int64_t bytes, std::int64_t offset) const;
  /// Until the next load of the pipe can begin, when it need not wait for this one's bytes.
  [[nodiscard]] TimeTerms load_issue(std::int64_t bytes, std::int64_t offset) const;
  /// startup + two hops + bytes / link rate; a local load when both ranks are one.
  [[nodiscard]] TimeTerms remote_load(std::int64_t rank, std::int64_t from, std::int64_t bytes,
                                      std::int64_t offset) const;
  /// startup + bytes / rate of link or egress + two hops; a local store when both ranks are one.
  [[nodiscard]] TimeTerms remote_store(std::int64_t rank, std::int64_t to, std::int64_t bytes,
                                       std::int64_t offset) const;
  /// A tile added to another one.
  [[nodiscard]] TimeTerms add(std::int64_t bytes) const;
  /// The padding of a tile filled.
  [[nodiscard]] TimeTerms fill(std::int64_t tile_bytes) const;
  /// An operation that waits for one on another pipe.
  [[nodiscard]] TimeTerms flag() const { return {.startup = flag_}; }
  /// A full barrier behind a pending flag, and one on idle pipes.
  [[nodiscard]] TimeTerms barrier_after_flag() const { return {.startup = flag_ + barrier_}; }
  [[nodiscard]] TimeTerms barrier() const { return {.startup = barrier_}; }
  /// barrier + clean + message there and back + clean + dsb + barrier.
  [[nodiscard]] TimeTerms notify(std::int64_t rank, std::int64_t to) const;
  /// From the begin of a notify until its message has landed.
  [[nodiscard]] double landing(std::int64_t rank, std::int64_t to) const;
  /// When a wait that begins at one time for what lands at another is over: it polls at intervals
  /// from its begin, at least once.
  [[nodiscard]] double wait_end(double begin, double landed) const;
  /// A wait for what has landed already.
  [[nodiscard]] TimeTerms wait() const;
  /// One credit to each peer, one from each: (P-1) (notify + wait), and the serialised atomics.
  [[nodiscard]] TimeTerms credit_barrier(std::int64_t rank, std::int64_t ranks) const;

 private:
  struct Path {
    double hops = 0;  ///< there and back
    double bytes_per_second = 0;
  };
  [[nodiscard]] Path path(std::int64_t from, std::int64_t to, LinkUse use) const;
  [[nodiscard]] double cycles(double count) const { return count / machine_.core.clock_hz; }
  [[nodiscard]] double core_time(std::int64_t bytes, double bytes_per_cycle,
                                 std::int64_t offset) const;
  [[nodiscard]] TimeTerms vector(const VectorCost& cost, std::int64_t bytes) const;

  const MachineDescription& machine_;
  double flag_;
  double barrier_;
};

}  // namespace a2a3::models
