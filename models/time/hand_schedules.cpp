// SPDX-License-Identifier: Apache-2.0
#include "isa/dtype.hpp"
#include "models/time/schedule_times.hpp"

namespace a2a3::models::schedule_time {
namespace {

/// Bytes of segment `i` of the data, and where it begins.
struct HandSegment {
  std::int64_t begin = 0;
  std::int64_t bytes = 0;
};

HandSegment hand_segment(const ScheduleSize& size, std::int64_t i) {
  const std::int64_t at = (i + size.ranks) % size.ranks;
  const std::int64_t begin = segment_begin(size.elements, size.ranks, at) * size.element_bytes;
  return {begin, segment_begin(size.elements, size.ranks, at + 1) * size.element_bytes - begin};
}

std::int64_t longest_segment(const ScheduleSize& size) {
  return (size.elements + size.ranks - 1) / size.ranks * size.element_bytes;
}

}  // namespace

std::int64_t chunk_for(std::int64_t bytes) {
  constexpr std::int64_t kBlock = isa::kBlockBytes;
  return std::min(kTimeChunkBytes, (bytes + kBlock - 1) / kBlock * kBlock);
}

TimeTerms mesh_by_hand(const SchedulePhases& p) {
  const std::int64_t n = p.size().bytes();
  const std::int64_t chunk = chunk_for(n);
  const auto end = [&](std::int64_t bytes, std::int64_t at) { return p.write_back(bytes, at); };
  return p.copy(0, 0, n, chunk) + p.barrier() + p.slowest([&](std::int64_t rank) {
    return p.reduce(rank, {.bytes = n, .chunk = chunk}, p.all_peers(), end);
  });
}

TimeTerms two_phase_by_hand(const SchedulePhases& p) {
  const std::int64_t chunk = chunk_for(longest_segment(p.size()));
  const auto end = [&](std::int64_t bytes, std::int64_t at) { return p.write_back(bytes, at); };
  const TimeTerms reduced = p.slowest([&](std::int64_t rank) {
    const HandSegment own = hand_segment(p.size(), rank);
    return p.reduce(rank, {own.begin, own.bytes, chunk}, p.all_peers(), end);
  });
  const TimeTerms gathered = p.slowest([&](std::int64_t rank) {
    TimeTerms sum;
    for (std::int64_t peer = 0; peer < p.ranks(); ++peer) {
      const HandSegment one = hand_segment(p.size(), peer);
      sum += p.pull(rank, peer, one.begin, one.begin, one.bytes, chunk);
    }
    return sum;
  });
  return p.copy(0, 0, p.size().bytes(), chunk) + 2 * p.barrier() + reduced + gathered;
}

TimeTerms ring_by_hand(const SchedulePhases& p) {
  const std::int64_t n = p.size().bytes();
  const std::int64_t chunk = chunk_for(longest_segment(p.size()));
  const auto end = [&](std::int64_t bytes, std::int64_t at) { return p.write_back(bytes, at); };
  TimeTerms sum = p.copy(0, 0, n, chunk) + p.copy(0, 0, n, chunk);
  for (std::int64_t step = 0; step + 1 < p.ranks(); ++step) {
    sum += p.slowest([&](std::int64_t rank) {
      const HandSegment one = hand_segment(p.size(), rank - step - 2 + p.ranks());
      return p.reduce(rank, {one.begin, one.bytes, chunk}, p.left_peer(), end);
    });
    sum += p.slowest([&](std::int64_t rank) {
      const HandSegment one = hand_segment(p.size(), rank - step - 1 + p.ranks());
      const std::int64_t left = (rank + p.ranks() - 1) % p.ranks();
      return p.pull(rank, left, one.begin, one.begin, one.bytes, chunk);
    });
  }
  return sum + 2 * p.peers() * p.barrier();
}

TimeTerms broadcast_by_hand(const SchedulePhases& p) {
  const std::int64_t n = p.size().bytes();
  const std::int64_t chunk = chunk_for(n);
  const double chunks = static_cast<double>((n + chunk - 1) / chunk);
  // The get has a barrier before and after it and in every chunk.
  const TimeTerms staged = p.copy(0, 0, n, chunk);
  return p.slowest([&](std::int64_t rank) {
    return p.barrier_behind_root(rank, staged) + p.pull(rank, p.size().root, 0, 0, n, chunk);
  }) + (chunks + 2) * p.costs().barrier();
}

TimeTerms allgather_by_hand(const SchedulePhases& p) {
  const std::int64_t slice = p.size().bytes();
  const std::int64_t chunk = chunk_for(slice);
  const TimeTerms staged =
      p.slowest([&](std::int64_t rank) { return p.copy(0, rank * slice, slice, chunk); });
  return staged + p.barrier() + p.slowest([&](std::int64_t rank) {
    TimeTerms sum;
    for (std::int64_t peer = 0; peer < p.ranks(); ++peer)
      sum += p.pull(rank, peer, peer * slice, peer * slice, slice, chunk);
    return sum;
  });
}

TimeTerms reduce_scatter_by_hand(const SchedulePhases& p) {
  const std::int64_t slice = p.size().bytes();
  const std::int64_t chunk = chunk_for(slice);
  TimeTerms staged;
  for (std::int64_t row = 0; row < p.ranks(); ++row)
    staged += p.copy(row * slice, row * slice, slice, chunk);
  return staged + p.barrier() + p.slowest([&](std::int64_t rank) {
    return p.reduce(rank, {rank * slice, slice, chunk}, p.all_peers(),
                    [&](std::int64_t bytes, std::int64_t at) {
                      return p.write_back(bytes, at - rank * slice);
                    });
  });
}

TimeTerms all_to_all_by_hand(const SchedulePhases& p) {
  const std::int64_t slice = p.size().bytes();
  const std::int64_t chunk = chunk_for(slice);
  const TimeTerms pushed = p.slowest([&](std::int64_t rank) {
    TimeTerms sum;
    for (std::int64_t peer = 0; peer < p.ranks(); ++peer)
      sum += p.push(rank, peer, peer * slice, rank * slice, slice, chunk);
    return sum;
  });
  TimeTerms copied;
  for (std::int64_t row = 0; row < p.ranks(); ++row)
    copied += p.copy(row * slice, row * slice, slice, chunk);
  return pushed + p.barrier() + copied;
}

}  // namespace a2a3::models::schedule_time
