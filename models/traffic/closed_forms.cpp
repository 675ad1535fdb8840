// SPDX-License-Identifier: Apache-2.0
#include "models/traffic/closed_forms.hpp"

#include <algorithm>

#include "isa/dtype.hpp"

namespace a2a3::models {
namespace {

/// The largest piece that a lowered collective moves at once.
constexpr std::int64_t kTrafficChunkBytes = 16 * 1024;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

std::int64_t ceil_to(std::int64_t a, std::int64_t grain) {
  return ceil_div(a, grain) * grain;
}

std::int64_t peers(const ScheduleSize& size) {
  return size.ranks - 1;
}

std::int64_t chunk_elements(const ScheduleSize& size) {
  return kTrafficChunkBytes / size.element_bytes;
}

/// Elements of FP16 in a block; remote reads of FP16 are whole blocks. FP32 has no such grain.
std::int64_t read_grain(const ScheduleSize& size) {
  return size.element_bytes == 2 ? isa::kBlockBytes / size.element_bytes : 1;
}

std::int64_t host_tiles(const ScheduleSize& size) {
  constexpr std::int64_t kTileElements = 256;
  return ceil_div(size.elements, kTileElements);
}

/// As many bytes received as sent, all of them useful.
ExpectedTraffic symmetric(std::int64_t bytes, std::int64_t local, std::int64_t signals,
                          std::int64_t clears) {
  return {bytes, bytes, local, signals, clears, bytes};
}

/// Bytes of a ring's segment, counted around: -1 is the last one.
std::int64_t segment_bytes(const ScheduleSize& size, std::int64_t segment, std::int64_t grain) {
  const std::int64_t i = (segment + size.ranks) % size.ranks;
  return (segment_begin(size.elements, size.ranks, i + 1, grain) -
          segment_begin(size.elements, size.ranks, i, grain)) *
         size.element_bytes;
}

/// Every rank reads all segments but one from its left neighbour, in each of two phases.
ExpectedTraffic around_the_ring(const ScheduleSize& size, std::int64_t grain, std::int64_t signals,
                                std::int64_t clears) {
  const auto segment = [&](std::int64_t i) { return segment_bytes(size, i, grain); };
  const std::int64_t received = 2 * size.bytes() - segment(size.rank - 1) - segment(size.rank);
  const std::int64_t sent = 2 * size.bytes() - segment(size.rank) - segment(size.rank + 1);
  return {received, sent, 0, signals, clears, received};
}

ExpectedTraffic from_the_root(const ScheduleSize& size, std::int64_t clears) {
  const std::int64_t q = peers(size);
  if (size.rank == size.root) return {0, q * size.bytes(), size.bytes(), q, clears, 0};
  return {size.bytes(), 0, 0, q, clears, size.bytes()};
}

}  // namespace

std::int64_t segment_begin(std::int64_t n, std::int64_t ranks, std::int64_t i, std::int64_t grain) {
  if (grain == 1) return i * n / ranks;
  return std::min(n, grain * ceil_div(i * n, grain * ranks));
}

namespace closed_form {

ExpectedTraffic nothing(const ScheduleSize& /*size*/) {
  return symmetric(0, 0, 0, 0);
}

ExpectedTraffic barrier_by_hand(const ScheduleSize& size) {
  return symmetric(0, 0, peers(size), 0);
}

ExpectedTraffic broadcast_by_hand(const ScheduleSize& size) {
  return from_the_root(size, 0);
}

ExpectedTraffic mesh_by_hand(const ScheduleSize& size) {
  return symmetric(peers(size) * size.bytes(), 0, peers(size), 0);
}

ExpectedTraffic two_phase_by_hand(const ScheduleSize& size) {
  // Own segment from every peer to reduce it, then every peer's reduced segment.
  const std::int64_t own = segment_bytes(size, size.rank, 1);
  return symmetric(peers(size) * own + size.bytes() - own, own, 2 * peers(size), 0);
}

ExpectedTraffic ring_by_hand(const ScheduleSize& size) {
  return around_the_ring(size, 1, 2 * peers(size) * peers(size), 0);
}

ExpectedTraffic exchange_by_hand(const ScheduleSize& size) {
  return symmetric(peers(size) * size.bytes(), size.bytes(), peers(size), 0);
}

ExpectedTraffic barrier(const ScheduleSize& size) {
  return symmetric(0, 0, peers(size), peers(size));
}

ExpectedTraffic broadcast(const ScheduleSize& size) {
  return from_the_root(size, peers(size));
}

ExpectedTraffic mesh(const ScheduleSize& size) {
  const std::int64_t q = peers(size);
  // A rectangle may be empty, and still has its two barriers.
  const std::int64_t chunks =
      std::max(std::int64_t{1}, ceil_div(size.elements, chunk_elements(size)));
  const std::int64_t row = ceil_to(size.elements / size.rows, read_grain(size));
  const std::int64_t read = size.rows * row * size.element_bytes;
  return {q * read, q * read, 0, q * (1 + chunks), q, q * size.bytes()};
}

ExpectedTraffic ring(const ScheduleSize& size) {
  const std::int64_t grain = read_grain(size);
  const std::int64_t longest =
      std::min(size.elements, ceil_div(size.elements, size.ranks) + grain - 1);
  const std::int64_t chunks = ceil_div(longest, chunk_elements(size));
  const std::int64_t rounds = 2 * peers(size);
  return around_the_ring(size, grain, 2 * chunks * rounds * peers(size), rounds * peers(size));
}

ExpectedTraffic exchange(const ScheduleSize& size) {
  return symmetric(peers(size) * size.bytes(), size.bytes(), peers(size), peers(size));
}

ExpectedTraffic reduce_scatter(const ScheduleSize& size) {
  return symmetric(peers(size) * size.bytes(), 0, 2 * peers(size), peers(size));
}

ExpectedTraffic exchange_counted(const ScheduleSize& size) {
  const std::int64_t moved = peers(size) * size.bytes();
  return {moved, moved, size.bytes(), 2 * peers(size), peers(size) + 1, {}};
}

ExpectedTraffic host_broadcast(const ScheduleSize& size) {
  ExpectedTraffic expected = from_the_root(size, peers(size));
  expected.signals = peers(size) * host_tiles(size);
  return expected;
}

ExpectedTraffic host_mesh(const ScheduleSize& size) {
  ExpectedTraffic expected = mesh(size);
  expected.signals = peers(size) * (size.lanes + host_tiles(size));
  expected.clears = peers(size) * size.lanes;
  return expected;
}

ExpectedTraffic host_ring(const ScheduleSize& size) {
  const std::int64_t messages = (2 * peers(size) + 1) * peers(size);
  return around_the_ring(size, 1, messages, messages);
}

double factor_none(std::int64_t /*ranks*/) {
  return 1;
}

double factor_exchange(std::int64_t ranks) {
  return static_cast<double>(ranks - 1) / static_cast<double>(ranks);
}

double factor_allreduce(std::int64_t ranks) {
  return 2 * factor_exchange(ranks);
}

}  // namespace closed_form
}  // namespace a2a3::models
