// SPDX-License-Identifier: Apache-2.0
#include "a2a3/simulate.hpp"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "a2a3/collective_parts.hpp"
#include "a2a3/cost_observers.hpp"
#include "a2a3/host_memory.hpp"
#include "a2a3/shared_cells.hpp"
#include "interp/id_list.hpp"
#include "interp/kernel_run.hpp"
#include "interp/untimed.hpp"
#include "models/skew.hpp"
#include "sim/machine.hpp"
#include "sim/observers/signal_log.hpp"

namespace a2a3 {
namespace {

std::uint64_t instruction_limit(const Options& options) {
  return options.limits.max_instructions.value_or(kInstructionsPerDevice * options.ranks);
}

/// One run between planning and result: what both engines share.
struct Run {
  const models::MachineDescription& machine;
  const Options& options;
  const interp::CoreLimits& limits;
  interp::KernelRun& kernels;
  std::vector<isa::Array>& tensors;
  Result& result;

  [[nodiscard]] Locate locate() const {
    return [this](isa::SourceId source) { return kernels.location(source); };
  }
  /// Shows where the cores were, those at one place together.
  void report_limit() const {
    result.outcome = Outcome::over_limit;
    std::vector<std::pair<ir::SourceLocation, std::vector<std::uint32_t>>> places;
    for (std::size_t c = 0; c < kernels.cores().size(); ++c) {
      const ir::SourceLocation at = kernels.position(c);
      auto known = std::ranges::find_if(places, [&](const auto& place) {
        return std::tuple(place.first.file, place.first.line, place.first.column) ==
               std::tuple(at.file, at.line, at.column);
      });
      if (known == places.end()) known = places.insert(known, {at, {}});
      const std::uint32_t rank = kernels.cores()[c].device;
      if (known->second.empty() || known->second.back() != rank) known->second.push_back(rank);
    }
    ir::Diagnostic& error = result.diagnostics.error(
        places.empty() ? ir::SourceLocation{} : places.front().first,
        fmt::format("the cores executed more than {} instructions; --max-instructions sets the "
                    "limit",
                    instruction_limit(options)));
    constexpr std::size_t kPlacesShown = 8;
    for (std::size_t i = 0; i < places.size() && i < kPlacesShown; ++i) {
      const auto& [at, ranks] = places[i];
      error.notes.push_back(
          {fmt::format("rank{} {} {} here", ranks.size() == 1 ? "" : "s", interp::format_ids(ranks),
                       ranks.size() == 1 ? "was" : "were"),
           i == 0 ? ir::SourceLocation{} : at});
    }
    if (places.size() > kPlacesShown)
      error.notes.push_back({fmt::format("and {} more places", places.size() - kPlacesShown), {}});
    error.notes.push_back({"a loop that never ends reaches any limit", {}});
  }
};

std::span<std::byte> host_bytes(std::vector<isa::Array>& tensors, const interp::HostCopy& copy) {
  return std::span(tensors[copy.parameter].bytes).subspan(copy.host_offset_bytes, copy.bytes);
}

/// When each rank starts.
std::vector<sim::Picoseconds> rank_starts(const Run& run) {
  std::vector<sim::Picoseconds> starts = models::launch_skew(run.machine.launch, run.options.ranks);
  for (const auto& [rank, later] : run.options.skew)
    if (rank < starts.size()) starts[rank] += later;
  return starts;
}

void collect_blocked(const Run& run, const std::vector<BlockedWaitSite>& sites,
                     const sim::SignalLog& log) {
  for (const BlockedWaitSite& site : sites) {
    BlockedRank blocked = describe_blocked(site, run.result.plan, log, run.locate());
    name_collective(blocked, run.result.plan, run.kernels.collectives(), run.locate());
    run.result.blocked.push_back(std::move(blocked));
  }
  const interp::LaunchPlan& plan = run.result.plan;
  for (const interp::StalledLaunch& stalled : run.kernels.stalled()) {
    const interp::Launch& launch = plan.launches[stalled.launch];
    const auto task = std::ranges::find(plan.tasks, stalled.launch, &interp::Task::launch);
    run.result.unstarted.push_back({launch.device, task->kernel->name, launch.blocks,
                                    stalled.waiting_blocks, run.machine.vector_cores_per_device,
                                    task->call});
  }
}

void run_timed(const Run& run) {
  const interp::LaunchPlan& plan = run.result.plan;
  run.result.rank_start = rank_starts(run);
  std::vector<sim::CoreProgram> programs;
  for (const interp::KernelRun::Core& core : run.kernels.cores()) {
    programs.push_back({core.device, core.core, core.source, run.result.rank_start[core.device]});
  }
  CostObservers costs(static_cast<std::uint32_t>(plan.gm_bytes.size()));
  sim::SignalLog signals;
  sim::Machine machine(run.machine, plan.gm_bytes, programs, &run.kernels.tasks(),
                       run.options.positions);
  costs.attach_to(machine);
  machine.attach(signals);
  for (sim::Observer* observer : run.options.observers)
    machine.attach(*observer);
  for (const interp::HostCopy& copy : plan.copies) {
    if (copy.copy_in) machine.write_gm(copy.device, host_bytes(run.tensors, copy));
  }
  if (run.options.windows != nullptr) {
    put_windows(plan, *run.options.windows,
                [&](isa::GlobalAddress at, std::span<const std::byte> bytes) {
                  machine.write_gm(at, bytes);
                });
  }

  const sim::RunReport report = machine.run({instruction_limit(run.options)});

  for (const interp::HostCopy& copy : plan.copies) {
    if (copy.copy_out) machine.read_gm(copy.device, host_bytes(run.tensors, copy));
  }
  if (run.options.keep_windows) {
    run.result.windows = take_windows(plan, [&](isa::GlobalAddress at, std::span<std::byte> bytes) {
      machine.read_gm(at, bytes);
    });
  }
  Result& result = run.result;
  result.timed = true;
  result.instructions = report.instructions;
  std::vector<sim::Picoseconds> rank_end(plan.gm_bytes.size(), 0);
  for (std::size_t i = 0; i < programs.size(); ++i) {
    sim::Picoseconds& end = rank_end[programs[i].device];
    end = std::max(end, report.core_end[i]);
    result.end = std::max(result.end, end);
  }
  result.cost = costs.cost(plan, run.locate(), rank_end);
  result.collectives = collective_parts(run.kernels.collectives(), costs.sources(),
                                        static_cast<std::uint32_t>(rank_end.size()), run.locate());
  result.other_traffic = other_traffic(result.cost, result.collectives);
  switch (report.outcome) {
    case sim::Outcome::finished:
      result.outcome = Outcome::finished;
      warn_of_shared_cells(signals, plan, run.locate(), result.diagnostics);
      return;
    case sim::Outcome::fault:
      result.outcome = Outcome::fault;
      return;
    case sim::Outcome::event_limit:
      run.report_limit();
      return;
    case sim::Outcome::deadlock:
      break;
  }
  result.outcome = Outcome::deadlock;
  std::vector<BlockedWaitSite> sites;
  for (const sim::BlockedCore& core : report.blocked) {
    sites.push_back(
        {core.device, core.core, core.source, core.wait, core.value, core.since, core.deferred});
  }
  collect_blocked(run, sites, signals);
}

void run_reference(const Run& run) {
  const interp::LaunchPlan& plan = run.result.plan;
  std::uint64_t total_bytes = 0;
  for (const std::uint64_t bytes : plan.gm_bytes)
    total_bytes += bytes;
  if (total_bytes > run.options.limits.max_tensor_bytes) {
    run.result.outcome = Outcome::over_limit;
    run.result.diagnostics.error(
        {}, fmt::format("the devices' memories hold {} bytes, more than the {} that "
                        "--max-tensor-bytes allows on the untimed engine",
                        total_bytes, run.options.limits.max_tensor_bytes));
    return;
  }
  std::vector<std::vector<std::byte>> gm;
  for (const std::uint64_t bytes : plan.gm_bytes)
    gm.emplace_back(bytes);
  const auto device_bytes = [&](const interp::HostCopy& copy) {
    return std::span(gm[copy.device.device]).subspan(copy.device.offset_bytes, copy.bytes);
  };
  for (const interp::HostCopy& copy : plan.copies) {
    if (copy.copy_in) {
      std::ranges::copy(host_bytes(run.tensors, copy), device_bytes(copy).begin());
    }
  }
  if (run.options.windows != nullptr) {
    put_windows(plan, *run.options.windows,
                [&](isa::GlobalAddress at, std::span<const std::byte> bytes) {
                  std::ranges::copy(
                      bytes, gm[at.device].begin() + static_cast<std::ptrdiff_t>(at.offset_bytes));
                });
  }

  sim::SignalLog signals;
  interp::UntimedOptions options{run.options.seed, instruction_limit(run.options), {}};
  options.on_notify = [&](const interp::KernelRun::Core& from, isa::SourceId source,
                          const isa::TNotify& notify, std::int32_t value) {
    const sim::Origin origin{.device = from.device, .core = from.core, .source = source};
    signals.on_signal_landed({.origin = origin, .notify = notify, .value = value});
  };
  const interp::UntimedResult report =
      interp::run_untimed(run.kernels, gm, run.limits.local_bytes(), options);

  for (const interp::HostCopy& copy : plan.copies) {
    if (copy.copy_out) {
      std::ranges::copy(device_bytes(copy), host_bytes(run.tensors, copy).begin());
    }
  }
  if (run.options.keep_windows) {
    run.result.windows = take_windows(plan, [&](isa::GlobalAddress at, std::span<std::byte> bytes) {
      std::ranges::copy(std::span(gm[at.device]).subspan(at.offset_bytes, bytes.size()),
                        bytes.begin());
    });
  }
  Result& result = run.result;
  result.instructions = report.instructions;
  switch (report.outcome) {
    case interp::UntimedResult::Outcome::finished:
      result.outcome = Outcome::finished;
      warn_of_shared_cells(signals, plan, run.locate(), result.diagnostics);
      return;
    case interp::UntimedResult::Outcome::fault:
      result.outcome = Outcome::fault;
      return;
    case interp::UntimedResult::Outcome::limit:
      run.report_limit();
      return;
    case interp::UntimedResult::Outcome::deadlock:
      break;
  }
  result.outcome = Outcome::deadlock;
  std::vector<BlockedWaitSite> sites;
  for (const interp::BlockedWait& core : report.blocked) {
    sites.push_back(
        {core.device, core.core, core.source, core.wait, core.value, std::nullopt, core.deferred});
  }
  collect_blocked(run, sites, signals);
}

}  // namespace

Result simulate(const ir::Module& module, const models::MachineDescription& machine,
                const Inputs& inputs, const Options& options) {
  Result result;
  if (options.ranks == 0 || (machine.devices != 0 && options.ranks > machine.devices)) {
    result.diagnostics.error(
        {}, fmt::format("{} ranks asked for; machine {} runs 1 to {}", options.ranks, machine.name,
                        machine.devices == 0 ? "any number" : std::to_string(machine.devices)));
    return result;
  }
  interp::BindOptions bind{options.ranks, options.settings, {}};
  for (const auto& [name, array] : inputs)
    bind.known_shapes[name] = array.shape;
  interp::BoundSignature signature = interp::bind_signature(module, bind);
  result.diagnostics.append(signature.diagnostics);
  if (result.diagnostics.has_errors()) return result;

  check_tensor_bytes(signature.parameters, options.limits.max_tensor_bytes, result.diagnostics);
  if (result.diagnostics.has_errors()) return result;
  std::vector<isa::Array> tensors = host_tensors(signature.parameters, inputs, result.diagnostics);
  if (result.diagnostics.has_errors()) return result;

  interp::PlanResult planned = interp::plan_launch(
      module, signature,
      {options.ranks, std::min(machine.memory.capacity_bytes, models::kMaxMemoryBytes),
       options.limits.max_host_steps});
  result.diagnostics.append(std::move(planned.diagnostics));
  if (result.diagnostics.has_errors()) return result;
  result.plan = std::move(planned.plan);

  const interp::CoreLimits limits{machine.core.ub_bytes - machine.core.ub_reserved_bytes,
                                  options.limits.max_steps,
                                  machine.vector_cores_per_device,
                                  machine.cube.l1_bytes,
                                  machine.cube.l0a_bytes,
                                  machine.cube.l0b_bytes,
                                  machine.cube.l0c_bytes};
  interp::KernelRun kernels(result.plan, limits);
  const Run run{machine, options, limits, kernels, tensors, result};
  if (options.engine == Engine::timed) {
    run_timed(run);
  } else {
    run_reference(run);
  }
  result.diagnostics.append(kernels.diagnostics());
  result.outputs = written_tensors(result.plan.parameters, std::move(tensors));
  return result;
}

}  // namespace a2a3
