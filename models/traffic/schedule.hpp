// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace a2a3::models {

/// What a schedule works on, seen from one rank.
struct ScheduleSize {
  std::int64_t ranks = 1;
  std::int64_t rank = 0;
  /// Elements of one rank's target (allreduce, broadcast), or of the slice that one rank has for
  /// another (the other collectives).
  std::int64_t elements = 0;
  std::int64_t element_bytes = 4;
  std::int64_t root = 0;   ///< broadcast
  std::int64_t lanes = 1;  ///< cores per rank that share an allreduce in host form
  std::int64_t rows = 1;   ///< that are read one by one: of a rectangle that is no single run

  [[nodiscard]] std::int64_t bytes() const { return elements * element_bytes; }
  friend bool operator==(const ScheduleSize&, const ScheduleSize&) = default;
};

/// Traffic of one rank: payload bytes over links, payload addressed to itself, signals sent (as
/// many are received) and signals to itself. What is absent is not claimed.
struct ExpectedTraffic {
  std::optional<std::int64_t> received_bytes;
  std::optional<std::int64_t> sent_bytes;
  std::optional<std::int64_t> local_bytes;
  std::optional<std::int64_t> signals;
  std::optional<std::int64_t> clears;
  /// Of the received bytes those that the result needs; less than all of them where a schedule
  /// reads whole blocks. Nothing when only the data says it.
  std::optional<std::int64_t> useful_bytes;

  /// The sum; what one of both does not claim, the sum does not.
  ExpectedTraffic& operator+=(const ExpectedTraffic& other);
  friend bool operator==(const ExpectedTraffic&, const ExpectedTraffic&) = default;
};

/// Who wrote a schedule: it stands in the kernel as the tutorial builds it, or a call in a kernel
/// or in the host function was lowered.
enum class ScheduleForm : std::uint8_t { hand, in_core, host };

/// What ScheduleSize::elements counts.
enum class ScheduleData : std::uint8_t {
  none,    ///< nothing: a barrier
  target,  ///< one rank's data
  slices   ///< one of the P slices that a rank has, gets or sends
};

/// A collective's algorithm with the closed form of its traffic. Source: the traffic table of the
/// project's specification, P ranks, own rank r; tests hold every row against counted runs.
struct Schedule {
  std::string_view name;  ///< "allreduce.ring"
  ScheduleForm form = ScheduleForm::hand;
  std::string_view bytes;     ///< received and sent, in words: "(P-1)·N received and served"
  std::string_view messages;  ///< signals and clears in words
  std::string_view symbols;   ///< what N, C, K stand for
  ScheduleData data = ScheduleData::none;
  bool has_root = false;  ///< the root is a parameter
  ExpectedTraffic (*traffic)(const ScheduleSize& size);
  /// busbw / algbw for P ranks, the factor of NCCL-tests.
  double (*bus_factor)(std::int64_t ranks);

  /// "(P-1)·N received and served; P-1 signals; N: bytes of one rank's data".
  [[nodiscard]] std::string formula() const;
  /// What NCCL-tests calls the size of the collective: the whole buffer of one rank. 0 for a
  /// barrier, which has no bandwidth.
  [[nodiscard]] std::int64_t buffer_bytes(const ScheduleSize& size) const;
};

[[nodiscard]] std::span<const Schedule> schedules();
/// nullptr when there is none of that name and form.
[[nodiscard]] const Schedule* find_schedule(std::string_view name, ScheduleForm form);

/// "hand", "builtin", "host builtin".
[[nodiscard]] std::string_view form_name(ScheduleForm form);

/// First element of segment i when n elements are cut into `ranks` segments: floor(i * n / ranks),
/// rounded up to whole blocks of `grain` elements.
[[nodiscard]] std::int64_t segment_begin(std::int64_t n, std::int64_t ranks, std::int64_t i,
                                         std::int64_t grain = 1);

/// Where the bandwidths are defined, for reports.
inline constexpr std::string_view kBandwidthSource =
    "NCCL-tests, doc/PERFORMANCE.md: algbw = size / time, busbw = algbw x factor (allreduce "
    "2(P-1)/P, broadcast 1, others (P-1)/P)";

}  // namespace a2a3::models
