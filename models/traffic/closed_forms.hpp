// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/traffic/schedule.hpp"

/// The formulas behind the rows of schedules(). `_by_hand` are the kernels of the tutorial's steps,
/// the others what the calls in kernels are lowered to.
namespace a2a3::models::closed_form {

[[nodiscard]] ExpectedTraffic nothing(const ScheduleSize& size);
[[nodiscard]] ExpectedTraffic barrier_by_hand(const ScheduleSize& size);
[[nodiscard]] ExpectedTraffic broadcast_by_hand(const ScheduleSize& size);
/// Every rank reads as much from every other: allreduce mesh, and reduce_scatter of one row.
[[nodiscard]] ExpectedTraffic mesh_by_hand(const ScheduleSize& size);
[[nodiscard]] ExpectedTraffic two_phase_by_hand(const ScheduleSize& size);
[[nodiscard]] ExpectedTraffic ring_by_hand(const ScheduleSize& size);
/// One slice from and to every rank, the own one included: allgather, all_to_all.
[[nodiscard]] ExpectedTraffic exchange_by_hand(const ScheduleSize& size);

[[nodiscard]] ExpectedTraffic barrier(const ScheduleSize& size);
[[nodiscard]] ExpectedTraffic broadcast(const ScheduleSize& size);
[[nodiscard]] ExpectedTraffic mesh(const ScheduleSize& size);
[[nodiscard]] ExpectedTraffic ring(const ScheduleSize& size);
[[nodiscard]] ExpectedTraffic exchange(const ScheduleSize& size);
[[nodiscard]] ExpectedTraffic reduce_scatter(const ScheduleSize& size);
/// all_to_all_v: `size.elements` are those of a whole block.
[[nodiscard]] ExpectedTraffic exchange_counted(const ScheduleSize& size);

/// The host forms that differ: they move tiles of 256 elements.
[[nodiscard]] ExpectedTraffic host_broadcast(const ScheduleSize& size);
[[nodiscard]] ExpectedTraffic host_mesh(const ScheduleSize& size);
/// The rank count divides the elements.
[[nodiscard]] ExpectedTraffic host_ring(const ScheduleSize& size);

[[nodiscard]] double factor_none(std::int64_t ranks);
[[nodiscard]] double factor_allreduce(std::int64_t ranks);
[[nodiscard]] double factor_exchange(std::int64_t ranks);

}  // namespace a2a3::models::closed_form
