// SPDX-License-Identifier: Apache-2.0
#include "models/time/schedule_times.hpp"

namespace a2a3::models::schedule_time {
namespace {

constexpr std::int64_t kHostTile = 256;  ///< elements

std::int64_t tile_bytes(const SchedulePhases& p) {
  return kHostTile * p.size().element_bytes;
}

/// The kernels around the collective: host_collectives.py moves tiles as it does, host_rows.py and
/// host_ring.py 16 KiB.
TimeTerms around_rows(const SchedulePhases& p, std::int64_t rows_before, std::int64_t rows_after) {
  const std::int64_t slice = p.size().bytes();
  TimeTerms sum;
  for (std::int64_t row = 0; row < rows_before; ++row)
    sum += p.copy(row * slice, row * slice, slice, kTimeChunkBytes);
  for (std::int64_t row = 0; row < rows_after; ++row)
    sum += p.copy(row * slice, row * slice, slice, kTimeChunkBytes);
  return sum;
}

TimeTerms host_pushed(const SchedulePhases& p, bool own_row_for_each) {
  const std::int64_t slice = p.size().bytes();
  const std::int64_t tile = std::min(tile_bytes(p), std::max<std::int64_t>(slice, 1));
  const std::int64_t tiles = (slice + tile - 1) / tile;
  const double barriers = static_cast<double>(p.ranks() * ((tiles == 1 ? 0 : tiles) + 2));
  return p.slowest([&](std::int64_t rank) {
    TimeTerms sum;
    for (std::int64_t peer = 0; peer < p.ranks(); ++peer)
      sum += p.push(rank, peer, own_row_for_each ? peer * slice : 0, rank * slice, slice, tile);
    return sum;
  }) + barriers * p.costs().barrier() +
         p.barrier() + p.clears(p.peers());
}

}  // namespace

TimeTerms host_mesh(const SchedulePhases& p) {
  const std::int64_t n = p.size().bytes();
  const std::int64_t tile = tile_bytes(p);
  const std::int64_t tiles = (n + tile - 1) / tile;
  const std::int64_t lanes = std::max<std::int64_t>(p.size().lanes, 1);
  // The first lane has most tiles; all lanes work at the same time.
  const std::int64_t own = (tiles + lanes - 1) / lanes;
  const std::int64_t own_bytes = tiles <= lanes ? std::min(n, tile) : own * tile;
  const TimeTerms between = p.barrier();
  const auto end = [&](std::int64_t bytes, std::int64_t at) {
    return between + p.write_back(bytes, at);
  };
  return p.copy(0, 0, n, tile) + p.barrier() + p.slowest([&](std::int64_t rank) {
    const std::int64_t share = lanes == 1 ? n : own_bytes;
    return p.reduce(rank, {0, share, tile, n % tile != 0 ? tile : 0}, p.all_peers(), end);
  }) + p.clears(p.peers()) +
         p.copy(0, 0, n, tile);
}

TimeTerms host_ring(const SchedulePhases& p) {
  const std::int64_t share = p.size().bytes() / p.ranks();
  const std::int64_t tile = tile_bytes(p);
  const auto end = [&](std::int64_t bytes, std::int64_t at) { return p.write_back(bytes, at); };
  TimeTerms sum;
  for (std::int64_t row = 0; row < p.ranks(); ++row)
    sum += 2 * p.copy(row * share, row * share, share, kTimeChunkBytes);
  for (std::int64_t step = 0; step + 1 < p.ranks(); ++step) {
    const auto begin_of = [&](std::int64_t segment) {
      return (segment + 2 * p.ranks()) % p.ranks() * share;
    };
    sum += p.slowest([&](std::int64_t rank) {
      return p.reduce(rank, {begin_of(rank - step - 2), share, tile}, p.left_peer(), end);
    });
    sum += p.slowest([&](std::int64_t rank) {
      const std::int64_t begin = begin_of(rank - step - 1);
      return p.pull(rank, (rank + p.ranks() - 1) % p.ranks(), begin, begin, share, tile);
    });
  }
  const double barriers = 2 * p.peers() + 1;
  return sum + barriers * p.barrier() + p.clears(barriers * p.peers());
}

TimeTerms host_broadcast(const SchedulePhases& p) {
  const std::int64_t n = p.size().bytes();
  const std::int64_t tile = tile_bytes(p);
  const std::int64_t tiles = (n + tile - 1) / tile;
  // Behind the barrier of a tile the root copies the next one while the others read this one.
  const TimeTerms first = p.copy(0, 0, std::min(n, tile), tile);
  return 2 * p.copy(0, 0, n, tile) + static_cast<double>(tiles - 1) * p.barrier() +
         p.slowest([&](std::int64_t rank) {
           const TimeTerms begun = p.barrier_behind_root(rank, first);
           if (rank == p.size().root) return begun;
           return begun + p.pull(rank, p.size().root, 0, 0, n, tile);
         }) +
         p.clears(p.peers());
}

TimeTerms host_allgather(const SchedulePhases& p) {
  return around_rows(p, 1, p.ranks()) + host_pushed(p, false);
}

TimeTerms host_all_to_all(const SchedulePhases& p) {
  return around_rows(p, p.ranks(), p.ranks()) + host_pushed(p, true);
}

TimeTerms host_reduce_scatter(const SchedulePhases& p) {
  const std::int64_t slice = p.size().bytes();
  const auto end = [&](std::int64_t bytes, std::int64_t at) { return p.write_back(bytes, at); };
  return around_rows(p, p.ranks(), 0) + 2 * p.barrier() + p.slowest([&](std::int64_t rank) {
    return p.reduce(rank, {rank * slice, slice, tile_bytes(p)}, p.all_peers(), end) +
           p.copy(rank * slice, 0, slice, kTimeChunkBytes);
  }) + p.clears(p.peers());
}

}  // namespace a2a3::models::schedule_time
