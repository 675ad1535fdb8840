// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "isa/order/vector_clock.hpp"

namespace a2a3::isa {

/// What is known of the order of tasks before they run.
struct TaskOrder {
  struct Task {
    Thread thread = 0;  ///< tasks of one thread run one after the other, in this order
    std::uint32_t launch = 0;
  };
  std::vector<Task> tasks;
  /// By launch: those that are complete before a task of it begins.
  std::vector<std::vector<std::uint32_t>> after;
  std::vector<std::uint32_t> device_of_thread;
};

}  // namespace a2a3::isa
