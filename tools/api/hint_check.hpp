// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "a2a3/hints.hpp"
#include "a2a3/line_table.hpp"
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
  /// `order` is that of the plan and outlives this; `max_records` is Limits::max_race_records.
  HintCheck(const isa::TaskOrder& order, std::uint64_t max_records,
            std::function<ir::SourceLocation(isa::SourceId)> locate);
  HintCheck(const HintCheck&) = delete;
  HintCheck& operator=(const HintCheck&) = delete;

  [[nodiscard]] std::vector<isa::RunObserver*> observers() {
    return {&signals_, &deliveries_, &waits_};
  }
  /// Of a run that came to its end. What these of the plan's windows hold then counts as read: a
  /// later launch or a file gets it.
  [[nodiscard]] Hints hints(const interp::LaunchPlan& plan,
                            const std::function<bool(std::size_t window)>& is_read);

 private:
  LineTable lines_;
  isa::SignalRecord signals_;
  isa::DeliveryCheck deliveries_;
  isa::WaitCheck waits_;
};

}  // namespace a2a3
