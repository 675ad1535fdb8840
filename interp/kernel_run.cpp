// SPDX-License-Identifier: Apache-2.0
#include "interp/kernel_run.hpp"

#include "interp/kernel_core.hpp"

namespace a2a3::interp {

struct KernelRun::Impl {
  Impl(const LaunchPlan& plan, const CoreLimits& limits) : context(plan, limits) {}

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

const CollectiveLog& KernelRun::collectives() const {
  return impl_->context.collectives;
}

}  // namespace a2a3::interp
