// SPDX-License-Identifier: Apache-2.0
#include "interp/kernel_run.hpp"

#include <map>
#include <utility>

#include "interp/kernel_core.hpp"

namespace a2a3::interp {

struct KernelRun::Impl {
  Impl(const LaunchPlan& plan, const CoreLimits& limits) : context(plan, limits) {}

  RunContext context;
  std::vector<std::unique_ptr<KernelCore>> owned;
  std::vector<Core> cores;
};

KernelRun::KernelRun(const ir::Module&, const LaunchPlan& plan, const CoreLimits& limits)
    : impl_(std::make_unique<Impl>(plan, limits)) {
  RunContext& context = impl_->context;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> by_core;
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    const Task& task = plan.tasks[i];
    context.task_programs.push_back(&context.programs.get(*task.kernel));
    context.task_sources.push_back(context.sources.intern(task.call));
    by_core[{task.device, task.core}].push_back(static_cast<std::uint32_t>(i));
  }
  for (auto& [place, tasks] : by_core) {
    impl_->owned.push_back(std::make_unique<KernelCore>(context, std::move(tasks)));
    impl_->cores.push_back({place.first, place.second, impl_->owned.back().get()});
  }
}

KernelRun::~KernelRun() = default;

const std::vector<KernelRun::Core>& KernelRun::cores() const {
  return impl_->cores;
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

}  // namespace a2a3::interp
