// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "interp/collective_log.hpp"
#include "interp/launch_plan.hpp"
#include "interp/remaining.hpp"
#include "interp/task_scheduler.hpp"
#include "isa/instruction_source.hpp"
#include "isa/memory.hpp"

namespace a2a3::interp {

struct CoreLimits {
  std::uint64_t ub_bytes = 184u << 10;      ///< usable unified buffer per core, from the machine
  std::uint64_t max_steps = 1'000'000'000;  ///< --max-steps: scalar steps per core
  std::uint32_t vector_cores = 48;          ///< per device, from the machine
  // The memories of the cube core, from the machine.
  std::uint64_t l1_bytes = 512u << 10;
  std::uint64_t l0a_bytes = 64u << 10;
  std::uint64_t l0b_bytes = 64u << 10;
  std::uint64_t l0c_bytes = 128u << 10;

  /// Size of a core's isa::LocalMemory.
  [[nodiscard]] std::uint64_t local_bytes() const {
    return isa::local_bytes({ub_bytes, l1_bytes, l0a_bytes, l0b_bytes, l0c_bytes});
  }
};

/// The cores of a launch plan as instruction sources. Kernels are flattened once and shared; a
/// core's own state is a program counter, its slots and its tile allocator.
class KernelRun {
 public:
  KernelRun(const LaunchPlan& plan, const CoreLimits& limits);
  ~KernelRun();

  struct Core {
    std::uint32_t device = 0;
    std::uint32_t core = 0;
    isa::InstructionSource* source = nullptr;
  };
  /// Every core that may get a task, ordered by device and core.
  [[nodiscard]] const std::vector<Core>& cores() const;
  /// What deals the tasks to these cores: the machine that runs them reports to it.
  [[nodiscard]] isa::TaskQueue& tasks();
  /// Launches with blocks that wait for nothing but a free core.
  [[nodiscard]] std::vector<StalledLaunch> stalled() const;

  /// What is left to do in a run that cannot go on: of the task of each core, and of each task that
  /// has not begun, the notifies and waits that would come if every wait ended.
  [[nodiscard]] RemainingRun remaining(const LookAheadLimits& limits = {}) const;

  /// Where an instruction came from.
  [[nodiscard]] ir::SourceLocation location(isa::SourceId source) const;
  /// Where the core of this index in cores() is: the instruction that it was given last.
  [[nodiscard]] ir::SourceLocation position(std::size_t core) const;
  /// Warnings, then faults of the run so far (bounds, UB overflow, peers outside the domain, ...),
  /// both in the order they occurred.
  [[nodiscard]] ir::Diagnostics diagnostics() const;
  /// A core came to the end of CoreLimits::max_steps, which is a fault.
  [[nodiscard]] bool over_limit() const;
  /// The collectives that the cores called so far.
  [[nodiscard]] const CollectiveLog& collectives() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace a2a3::interp
