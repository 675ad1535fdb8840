// SPDX-License-Identifier: Apache-2.0
#include "interp/kernel_run.hpp"

#include <algorithm>

#include "interp/kernel_core.hpp"

namespace a2a3::interp {

struct KernelRun::Impl {
  Impl(const LaunchPlan& plan, const CoreLimits& limits) : context(plan, limits) {}

  [[nodiscard]] RemainingRun look_ahead(const LookAheadLimits& limits);

  RunContext context;
  std::vector<std::unique_ptr<KernelCore>> owned;
  std::vector<Core> cores;
};

KernelRun::KernelRun(const LaunchPlan& plan, const CoreLimits& limits)
    : impl_(std::make_unique<Impl>(plan, limits)) {
  RunContext& context = impl_->context;
  for (const Task& task : plan.tasks) {
    context.task_programs.push_back(&context.programs.get(*task.kernel));
    context.task_sources.push_back(context.sources.intern(task.call));
  }
  for (std::uint32_t device = 0; device < plan.gm_bytes.size(); ++device) {
    for (std::uint32_t core = 0; core < context.scheduler.cores(device); ++core) {
      impl_->owned.push_back(std::make_unique<KernelCore>(context, device, core));
      impl_->cores.push_back({device, core, impl_->owned.back().get()});
    }
  }
}

KernelRun::~KernelRun() = default;

const std::vector<KernelRun::Core>& KernelRun::cores() const {
  return impl_->cores;
}

isa::TaskQueue& KernelRun::tasks() {
  return impl_->context.scheduler;
}

std::vector<StalledLaunch> KernelRun::stalled() const {
  return impl_->context.scheduler.stalled();
}

/// Copies of the cores run on. What they tell the run's context on the way is taken back.
RemainingRun KernelRun::Impl::look_ahead(const LookAheadLimits& limits) {
  const ir::Diagnostics diagnostics = context.diagnostics;
  const FaultList faults = context.faults;
  const bool over_limit = context.over_limit;
  const CollectiveLog collectives = context.collectives;
  const auto conventions = context.signal_conventions;
  const Warned warned = context.warned;

  const std::vector<std::uint32_t> undealt = context.scheduler.undealt();
  std::size_t parts = owned.size() + undealt.size();
  std::size_t signals = limits.signals;
  std::uint64_t steps = limits.steps;
  // Each takes an equal share of what those before it have left.
  const auto finish = [&](KernelCore& core) {
    const std::uint64_t before = core.steps();
    RemainingWork work = core.finish_task(signals / parts, steps / parts);
    signals -= std::min(signals, work.signals.size());
    steps -= std::min(steps, core.steps() - before);
    --parts;
    return work;
  };
  RemainingRun remaining;
  for (const auto& core : owned) {
    KernelCore copy(*core);
    remaining.cores.push_back(finish(copy));
  }
  for (const std::uint32_t task : undealt) {
    KernelCore core(context, context.plan.tasks[task].device, 0);
    core.begin(task);
    remaining.tasks.push_back({task, finish(core)});
  }

  context.diagnostics = diagnostics;
  context.faults = faults;
  context.over_limit = over_limit;
  context.collectives = collectives;
  context.signal_conventions = conventions;
  context.warned = warned;
  return remaining;
}

RemainingRun KernelRun::remaining(const LookAheadLimits& limits) const {
  return impl_->look_ahead(limits);
}

ir::SourceLocation KernelRun::location(isa::SourceId source) const {
  return impl_->context.sources.location(source);
}

ir::SourceLocation KernelRun::position(std::size_t core) const {
  return location(impl_->owned.at(core)->last_source());
}

ir::Diagnostics KernelRun::diagnostics() const {
  ir::Diagnostics all = impl_->context.diagnostics;
  impl_->context.faults.append_to(all);
  return all;
}

bool KernelRun::over_limit() const {
  return impl_->context.over_limit;
}

const CollectiveLog& KernelRun::collectives() const {
  return impl_->context.collectives;
}

}  // namespace a2a3::interp
