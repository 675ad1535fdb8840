// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "a2a3/hints.hpp"
#include "a2a3/line_table.hpp"
#include "a2a3/wait_cover.hpp"
#include "interp/launch_plan.hpp"
#include "isa/hints/delivery_check.hpp"
#include "isa/hints/signal_record.hpp"
#include "isa/hints/wait_check.hpp"

namespace a2a3 {

/// Lines with waits that are looked at: each costs as much as a check for races.
inline constexpr std::size_t kMostWaitLines = 32;

/// Watches a run of the reference executor for what it does for nothing.
class HintCheck {
 public:
  /// `order` is that of the plan; it and `signals`, which follows the same run, outlive this.
  /// `max_records` is Limits::max_race_records.
  HintCheck(const isa::TaskOrder& order, const isa::SignalRecord& signals,
            std::uint64_t max_records, std::function<ir::SourceLocation(isa::SourceId)> locate);
  HintCheck(const HintCheck&) = delete;
  HintCheck& operator=(const HintCheck&) = delete;

  [[nodiscard]] std::vector<isa::RunObserver*> observers() { return {&deliveries_, &waits_}; }
  /// Of a run that came to its end: who has to see it once more, from its begin. None when nothing
  /// is to be asked.
  [[nodiscard]] std::vector<isa::RunObserver*> second_look();
  /// Of a run that came to its end and was looked at a second time. What these of the plan's
  /// windows hold then counts as read: a later launch or a file gets it.
  [[nodiscard]] Hints hints(const interp::LaunchPlan& plan,
                            const std::function<bool(std::size_t window)>& is_read);

 private:
  const isa::TaskOrder& order_;
  const isa::SignalRecord& signals_;
  std::uint64_t max_records_;
  LineTable lines_;
  isa::DeliveryCheck deliveries_;
  isa::WaitCheck waits_;
  std::optional<WaitCover> cover_;  ///< of the second look
};

}  // namespace a2a3
