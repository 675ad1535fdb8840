// SPDX-License-Identifier: Apache-2.0
#include "models/time/schedule_phases.hpp"

namespace a2a3::models {

TimeTerms SchedulePhases::copy(std::int64_t from, std::int64_t to, std::int64_t bytes,
                               std::int64_t chunk) const {
  return pull(0, 0, from, to, bytes, chunk);
}

TimeTerms SchedulePhases::barrier_behind_root(std::int64_t rank, const TimeTerms& staged) const {
  const std::int64_t root = size_.root;
  if (rank == root) return staged + costs_.credit_barrier(rank, ranks());
  const double wait = costs_.wait().seconds();
  double notified = 0;
  double landed = staged.seconds() + costs_.landing(root, rank);
  double waits_before = 0;
  for (std::int64_t peer = 0; peer < ranks(); ++peer) {
    if (peer != rank) notified += costs_.notify(rank, peer).seconds();
    if (peer != root && peer < rank) landed += costs_.notify(root, peer).seconds();
    if (peer != rank && peer < root) ++waits_before;
  }
  const double begin = notified + waits_before * wait;
  const double waits_behind = peers() - 1 - waits_before;
  const double end = costs_.wait_end(begin, landed) + waits_behind * wait;
  if (landed <= begin) return {.signals = end};
  TimeTerms terms = staged;
  terms.signals += end - staged.seconds();
  return terms;
}

TimeTerms SchedulePhases::pull(std::int64_t rank, std::int64_t peer, std::int64_t from,
                               std::int64_t to, std::int64_t bytes, std::int64_t chunk) const {
  return over_chunks(bytes, chunk, [&](std::int64_t at, std::int64_t part) {
    return costs_.remote_load(rank, peer, part, from + at) + costs_.flag() +
           costs_.store(part, to + at) + costs_.flag();
  });
}

TimeTerms SchedulePhases::push(std::int64_t rank, std::int64_t peer, std::int64_t from,
                               std::int64_t to, std::int64_t bytes, std::int64_t chunk) const {
  return over_chunks(bytes, chunk, [&](std::int64_t at, std::int64_t part) {
    return costs_.load(part, from + at) + costs_.flag() +
           costs_.remote_store(rank, peer, part, to + at) + costs_.flag();
  });
}

}  // namespace a2a3::models
