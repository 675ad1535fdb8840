// SPDX-License-Identifier: Apache-2.0
#include "a2a3/engine_run.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "interp/id_list.hpp"

namespace a2a3 {

std::span<std::byte> host_bytes(std::vector<isa::Array>& tensors, const interp::HostCopy& copy) {
  return std::span(tensors[copy.parameter].bytes).subspan(copy.host_offset_bytes, copy.bytes);
}

void report_limit(const Run& run) {
  run.result.outcome = Outcome::over_limit;
  std::vector<std::pair<ir::SourceLocation, std::vector<std::uint32_t>>> places;
  for (std::size_t c = 0; c < run.kernels.cores().size(); ++c) {
    const ir::SourceLocation at = run.kernels.position(c);
    auto known = std::ranges::find_if(places, [&](const auto& place) {
      return std::tuple(place.first.file, place.first.line, place.first.column) ==
             std::tuple(at.file, at.line, at.column);
    });
    if (known == places.end()) known = places.insert(known, {at, {}});
    const std::uint32_t rank = run.kernels.cores()[c].device;
    if (known->second.empty() || known->second.back() != rank) known->second.push_back(rank);
  }
  ir::Diagnostic& error = run.result.diagnostics.error(
      places.empty() ? ir::SourceLocation{} : places.front().first,
      fmt::format("the cores executed more than {} instructions; --max-instructions sets the "
                  "limit",
                  run.instruction_limit()));
  constexpr std::size_t kPlacesShown = 8;
  for (std::size_t i = 0; i < places.size() && i < kPlacesShown; ++i) {
    const auto& [at, ranks] = places[i];
    error.notes.push_back(
        {fmt::format("{} {} here", interp::rank_list(ranks), ranks.size() == 1 ? "was" : "were"),
         i == 0 ? ir::SourceLocation{} : at});
  }
  if (places.size() > kPlacesShown)
    error.notes.push_back({fmt::format("and {} more places", places.size() - kPlacesShown), {}});
  error.notes.push_back({"a loop that never ends reaches any limit", {}});
}

void collect_blocked(const Run& run, const std::vector<BlockedWaitSite>& sites,
                     const sim::SignalLog& log,
                     std::function<std::int32_t(isa::GlobalAddress)> value_of) {
  const interp::RemainingRun remaining = run.kernels.remaining();
  Deadlock deadlock = describe_deadlock({run.result.plan, sites, run.kernels.cores(), remaining,
                                         log, std::move(value_of), run.locate()});
  for (BlockedRank& blocked : deadlock.blocked)
    name_collective(blocked, run.result.plan, run.kernels.collectives(), run.locate());
  run.result.blocked = std::move(deadlock.blocked);
  run.result.cycles = std::move(deadlock.cycles);
  const interp::LaunchPlan& plan = run.result.plan;
  for (const interp::StalledLaunch& stalled : run.kernels.stalled()) {
    const interp::Launch& launch = plan.launches[stalled.launch];
    const auto task = std::ranges::find(plan.tasks, stalled.launch, &interp::Task::launch);
    run.result.unstarted.push_back({launch.device, task->kernel->name, launch.blocks,
                                    stalled.waiting_blocks, run.machine.vector_cores_per_device,
                                    task->call});
  }
}

}  // namespace a2a3
