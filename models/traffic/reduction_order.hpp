// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/diagnostic.hpp"
#include "isa/dtype.hpp"
#include "models/traffic/schedule.hpp"

namespace a2a3::models {

/// In which order a schedule adds up what the ranks have. In floating point the result depends on
/// it. Sources: the kernels of the tutorial's steps 08, 09, 10 and 14; the lowering of the calls
/// (kernel_language 4.6 and 4.7). Chunks and lanes change nothing: they cut along the elements.
struct ReductionOrder {
  enum class Kind : std::uint8_t {
    own_first,    ///< every rank for itself: its own value, then the others' in rank order
    owner_first,  ///< segment s on rank s alone: its own value, then the others' in rank order
    ring          ///< segment s starts on rank s + 1 and takes in one rank after the other up to s
  };
  std::string schedule;  ///< "allreduce.ring"
  ScheduleForm form = ScheduleForm::hand;
  Kind kind = Kind::own_first;
  std::int64_t grain = 1;     ///< segments begin at multiples of so many elements
  std::int64_t elements = 0;  ///< most of one rank that are added; 0: not known

  /// True when two ranks may add one element in different orders.
  [[nodiscard]] bool differs_between_ranks() const { return kind == Kind::own_first; }
  /// True when both add an element in the same order.
  [[nodiscard]] bool adds_like(const ReductionOrder& other) const;
};

/// Elements [begin, end) and the ranks whose values are added there, first to last.
struct ReductionSegment {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::vector<std::int64_t> ranks;
};

/// How rank `rank` of `ranks` comes by the sum of `elements` elements. Empty segments are left out.
[[nodiscard]] std::vector<ReductionSegment> reduction_segments(const ReductionOrder& order,
                                                               std::int64_t elements,
                                                               std::int64_t ranks,
                                                               std::int64_t rank);

/// The order of a schedule; nothing when there is none of that name, or it adds nothing.
[[nodiscard]] std::optional<ReductionOrder> reduction_order(std::string_view schedule,
                                                            ScheduleForm form, isa::DType dtype);

/// The schedules that add.
[[nodiscard]] const std::vector<std::string>& reduction_names();

/// A schedule that a program runs: the one it claims, or one that it calls.
struct ReductionUse {
  std::string schedule;
  ScheduleForm form = ScheduleForm::hand;
  std::int64_t elements = 0;  ///< of one rank that are added; 0: not known
  ir::SourceLocation call;    ///< unknown for a claim
};

/// The order in which a program adds values of a dtype: that of the one schedule it runs, or of the
/// schedule `named`. An error at `where` when there is none, or when there are several and `named`
/// does not tell them apart.
[[nodiscard]] std::optional<ReductionOrder> choose_reduction_order(
    const std::vector<ReductionUse>& uses, const std::string& named, isa::DType dtype,
    const ir::SourceLocation& where, ir::Diagnostics& diagnostics);

}  // namespace a2a3::models
