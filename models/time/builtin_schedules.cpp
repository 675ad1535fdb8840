// SPDX-License-Identifier: Apache-2.0
#include "isa/dtype.hpp"
#include "models/time/schedule_times.hpp"

namespace a2a3::models::schedule_time {
namespace {

/// What a put or get moves at once: the whole when the unified buffer holds it, else 16 KiB.
std::int64_t stage_bytes(const SchedulePhases& p, std::int64_t bytes, std::int64_t tiles) {
  const auto usable =
      static_cast<std::int64_t>(p.machine().core.ub_bytes - p.machine().core.ub_reserved_bytes);
  return tiles * bytes <= usable ? std::max<std::int64_t>(bytes, 1) : kTimeChunkBytes;
}

/// A put or get of `chunks` pieces has a barrier before and after it and, but for a put in one
/// piece, in each.
TimeTerms transfer_barriers(const SchedulePhases& p, std::int64_t bytes, std::int64_t stage,
                            bool is_put) {
  const std::int64_t chunks = (bytes + stage - 1) / stage;
  const std::int64_t inner = is_put && chunks == 1 ? 0 : chunks;
  return static_cast<double>(inner + 2) * p.costs().barrier();
}

TimeTerms rows_copied(const SchedulePhases& p, std::int64_t chunk) {
  const std::int64_t slice = p.size().bytes();
  TimeTerms sum;
  for (std::int64_t row = 0; row < p.ranks(); ++row)
    sum += p.copy(row * slice, row * slice, slice, chunk);
  return sum;
}

TimeTerms pushed_to_all(const SchedulePhases& p, bool own_row_for_each) {
  const std::int64_t slice = p.size().bytes();
  const std::int64_t stage = stage_bytes(p, slice, 1);
  const TimeTerms pushed = p.slowest([&](std::int64_t rank) {
    TimeTerms sum;
    for (std::int64_t peer = 0; peer < p.ranks(); ++peer) {
      const std::int64_t from = own_row_for_each ? peer * slice : 0;
      sum += p.push(rank, peer, from, rank * slice, slice, stage) +
             transfer_barriers(p, slice, stage, true);
    }
    return sum;
  });
  return pushed + p.barrier() + p.clears(p.peers()) + rows_copied(p, chunk_for(slice));
}

}  // namespace

TimeTerms mesh(const SchedulePhases& p) {
  const std::int64_t n = p.size().bytes();
  const std::int64_t chunk = chunk_for(n);
  const std::int64_t padded = n % chunk != 0 ? chunk : 0;
  const TimeTerms between = p.barrier();
  const auto end = [&](std::int64_t bytes, std::int64_t at) {
    return between + p.write_back(bytes, at);
  };
  return p.copy(0, 0, n, chunk) + p.barrier() + p.slowest([&](std::int64_t rank) {
    return p.reduce(rank, {0, n, chunk, padded}, p.all_peers(), end);
  }) + p.clears(p.peers()) +
         p.copy(0, 0, n, chunk);
}

TimeTerms ring(const SchedulePhases& p) {
  const ScheduleSize& size = p.size();
  const std::int64_t grain = size.element_bytes == 2 ? isa::kBlockBytes / size.element_bytes : 1;
  const std::int64_t longest =
      std::min(size.elements, (size.elements + size.ranks - 1) / size.ranks + grain - 1) *
      size.element_bytes;
  const std::int64_t chunk = chunk_for(longest);
  const auto subs = static_cast<double>((longest + chunk - 1) / chunk);
  const auto no_store = [](std::int64_t, std::int64_t) { return TimeTerms{}; };
  const auto segment = [&](std::int64_t i) {
    const std::int64_t at = (i + 2 * size.ranks) % size.ranks;
    const auto begin_of = [&](std::int64_t k) {
      return segment_begin(size.elements, size.ranks, k, grain) * size.element_bytes;
    };
    return Reduced{begin_of(at), begin_of(at + 1) - begin_of(at), chunk};
  };
  const auto store_of = [&](const Reduced& data) {
    return p.over_chunks(data.bytes, chunk, [&](std::int64_t at, std::int64_t bytes) {
      return p.costs().store(bytes, data.begin + at);
    });
  };
  const TimeTerms around = p.copy(0, 0, size.bytes(), chunk_for(size.bytes()));
  TimeTerms sum = around + around;
  for (std::int64_t step = 0; step + 1 < p.ranks(); ++step) {
    sum += p.slowest([&](std::int64_t rank) {
      const Reduced data = segment(rank - step - 2);
      return p.reduce(rank, data, p.left_peer(), no_store) + store_of(data);
    });
    sum += p.slowest([&](std::int64_t rank) {
      const Reduced data = segment(rank - step - 1);
      const std::int64_t left = (rank + p.ranks() - 1) % p.ranks();
      return store_of(data) +
             p.over_chunks(data.bytes, chunk, [&](std::int64_t at, std::int64_t bytes) {
               return p.costs().remote_load(rank, left, bytes, data.begin + at);
             });
    });
  }
  const double rounds = 2 * p.peers();
  return sum + 2 * subs * rounds * p.barrier() + p.clears(rounds * p.peers());
}

TimeTerms broadcast(const SchedulePhases& p) {
  const std::int64_t n = p.size().bytes();
  const std::int64_t chunk = chunk_for(n);
  const std::int64_t stage = stage_bytes(p, n, 1);
  const TimeTerms staged = p.copy(0, 0, n, chunk);
  return p.slowest([&](std::int64_t rank) {
    return p.barrier_behind_root(rank, staged) + p.pull(rank, p.size().root, 0, 0, n, stage);
  }) + transfer_barriers(p, n, stage, false) +
         p.clears(p.peers()) + p.copy(0, 0, n, chunk);
}

TimeTerms allgather(const SchedulePhases& p) {
  return pushed_to_all(p, false);
}

TimeTerms all_to_all(const SchedulePhases& p) {
  return pushed_to_all(p, true);
}

TimeTerms reduce_scatter(const SchedulePhases& p) {
  const std::int64_t slice = p.size().bytes();
  const std::int64_t chunk = chunk_for(slice);
  const std::int64_t stage = stage_bytes(p, slice, 2);
  const bool whole = stage >= slice;
  const auto end = [&](std::int64_t bytes, std::int64_t at) {
    return whole ? p.costs().store(bytes, at) : p.write_back(bytes, at);
  };
  return rows_copied(p, chunk) + 2 * p.barrier() + p.slowest([&](std::int64_t rank) {
    return p.reduce(rank, {rank * slice, slice, stage}, p.all_peers(), end) +
           p.copy(rank * slice, 0, slice, chunk);
  }) + p.clears(p.peers());
}

}  // namespace a2a3::models::schedule_time
