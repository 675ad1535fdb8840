// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "interp/kernel_run.hpp"
#include "interp/relaxed_memory.hpp"
#include "isa/memory.hpp"
#include "isa/order/run_observer.hpp"

namespace a2a3::interp {

struct BlockedWait {
  std::uint32_t device = 0;
  std::uint32_t core = 0;
  isa::SourceId source = 0;
  isa::TWait wait;
  std::int32_t value = 0;  ///< the cell's value at the end
  bool deferred = false;   ///< not the core but a task that it has ended waits
};

struct UntimedOptions {
  std::optional<std::uint64_t>
      seed;  ///< absent: round-robin; else a seeded choice of the next core
  /// Which core executes its next instruction: the place of one of these, indices into
  /// KernelRun::cores() in the order in which they came to be able to. Comes before `seed`.
  std::function<std::size_t(std::span<const std::size_t> ready)> choose = {};
  std::optional<RelaxedOrder> relaxed = {};  ///< absent: every effect at once; else by its seed
  std::uint64_t max_instructions = 1'000'000'000;
  /// Are told of everything that happens. What a relaxed machine lets land later they are told of
  /// when it is made. HappensBefore must have been made for the task_order() of the run's plan.
  std::vector<isa::RunObserver*> observers = {};
};

struct UntimedResult {
  enum class Outcome : std::uint8_t { finished, deadlock, fault, limit };
  Outcome outcome = Outcome::finished;
  std::vector<BlockedWait> blocked;
  std::uint64_t instructions = 0;
};

/// The reference executor: one instruction of one core at a time, every effect at once, no time. In
/// a relaxed order writes land later; the checks are told of them when they are made. Transfers of
/// the DMA engine are made at once all the same.
/// `gm` has the memory of each device (LaunchPlan::gm_bytes long), read and written in place;
/// `local_bytes` is CoreLimits::local_bytes() of the run.
[[nodiscard]] UntimedResult run_untimed(KernelRun& run, std::span<const std::span<std::byte>> gm,
                                        std::uint64_t local_bytes, const UntimedOptions& options);

}  // namespace a2a3::interp
