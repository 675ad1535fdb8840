// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/time/schedule_phases.hpp"

/// The formulas behind modelled_time(), one per schedule. q = P - 1; N: bytes of one rank's data;
/// S: bytes of a slice; barrier: the credit barrier of docs/timing_model.md.
namespace a2a3::models::schedule_time {

/// The largest piece that a kernel of ours, or a lowered one, moves at once.
inline constexpr std::int64_t kTimeChunkBytes = 16 * 1024;

/// What a kernel moves at once of a piece: 16 KiB, or the whole in blocks of 32 bytes.
[[nodiscard]] std::int64_t chunk_for(std::int64_t bytes);

// The kernels of the tutorial's steps.
/// copy(N) + barrier + sum over chunks (issue + q (remote load + add) + store)
[[nodiscard]] TimeTerms mesh_by_hand(const SchedulePhases& phases);
/// copy(N) + barrier + reduce(N / P) + barrier + pull(N / P) from every rank
[[nodiscard]] TimeTerms two_phase_by_hand(const SchedulePhases& phases);
/// copy(N) + q (barrier + reduce(N / P) from the left) + q (barrier + pull(N / P)) + copy(N)
[[nodiscard]] TimeTerms ring_by_hand(const SchedulePhases& phases);
/// barrier behind copy(N) of the root + get(N)
[[nodiscard]] TimeTerms broadcast_by_hand(const SchedulePhases& phases);
/// copy(S) + barrier + pull(S) from every rank
[[nodiscard]] TimeTerms allgather_by_hand(const SchedulePhases& phases);
/// P copy(S) + barrier + reduce(S)
[[nodiscard]] TimeTerms reduce_scatter_by_hand(const SchedulePhases& phases);
/// push(S) to every rank + barrier + P copy(S)
[[nodiscard]] TimeTerms all_to_all_by_hand(const SchedulePhases& phases);

// Calls in kernels, with the staging and the copy of the result around them.
/// copy(N) + barrier + C (reduce a chunk + barrier + store) + q clears + copy(N)
[[nodiscard]] TimeTerms mesh(const SchedulePhases& phases);
/// copy(N) + 2q K (2 barriers + a chunk from the left) + 2q q clears + copy(N)
[[nodiscard]] TimeTerms ring(const SchedulePhases& phases);
/// barrier behind copy(N) of the root + get(N) + q clears + copy(N)
[[nodiscard]] TimeTerms broadcast(const SchedulePhases& phases);
/// put(S) to every rank + barrier + q clears + P copy(S)
[[nodiscard]] TimeTerms allgather(const SchedulePhases& phases);
[[nodiscard]] TimeTerms all_to_all(const SchedulePhases& phases);
/// P copy(S) + barrier + reduce(S) + barrier + q clears + copy(S)
[[nodiscard]] TimeTerms reduce_scatter(const SchedulePhases& phases);

// Calls in host functions, with a kernel before and behind: tiles of 256 elements.
/// copy(N) + barrier + T / L (reduce a tile + barrier + store) + q clears + copy(N)
[[nodiscard]] TimeTerms host_mesh(const SchedulePhases& phases);
/// copy(N) + q (barrier + reduce) + q (barrier + pull) + barrier + (2q + 1) q clears + copy(N)
[[nodiscard]] TimeTerms host_ring(const SchedulePhases& phases);
/// copy(N) + T barriers + pull(N) + q clears + copy(N)
[[nodiscard]] TimeTerms host_broadcast(const SchedulePhases& phases);
[[nodiscard]] TimeTerms host_allgather(const SchedulePhases& phases);
[[nodiscard]] TimeTerms host_all_to_all(const SchedulePhases& phases);
[[nodiscard]] TimeTerms host_reduce_scatter(const SchedulePhases& phases);

}  // namespace a2a3::models::schedule_time
