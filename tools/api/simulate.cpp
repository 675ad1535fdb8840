// SPDX-License-Identifier: Apache-2.0
#include "a2a3/simulate.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "a2a3/check_positions.hpp"
#include "a2a3/collective_parts.hpp"
#include "a2a3/cost_observers.hpp"
#include "a2a3/engine_run.hpp"
#include "a2a3/hint_times.hpp"
#include "a2a3/host_memory.hpp"
#include "a2a3/reference_run.hpp"
#include "a2a3/relaxed_run.hpp"
#include "interp/kernel_run.hpp"
#include "models/relaxed.hpp"
#include "models/skew.hpp"
#include "sim/machine.hpp"
#include "sim/observers/signal_log.hpp"

namespace a2a3 {
namespace {

/// When each rank starts.
std::vector<sim::Picoseconds> rank_starts(const Run& run) {
  std::vector<sim::Picoseconds> starts = models::launch_skew(run.machine.launch, run.options.ranks);
  if (run.machine.relaxed.order == models::MemoryOrder::relaxed) {
    models::RelaxedParameters relaxed = run.machine.relaxed;
    relaxed.seed = run.memory_seed();
    for (std::uint32_t rank = 0; rank < starts.size(); ++rank)
      starts[rank] += models::start_delay(relaxed, rank);
  }
  for (const auto& [rank, later] : run.options.skew)
    if (rank < starts.size()) starts[rank] += later;
  return starts;
}

void explain_run(const Run& run, const sim::Machine& machine, const sim::CauseLog& causes,
                 const std::vector<sim::CoreProgram>& programs, const sim::RunReport& report) {
  const auto last = std::ranges::max_element(report.core_end);
  if (last == report.core_end.end()) return;
  const sim::CoreProgram& core = programs[static_cast<std::size_t>(last - report.core_end.begin())];
  run.result.explanation =
      explain(causes, {core.device, core.core}, *last, machine.links(), run.machine, run.locate());
}

/// What the devices' memories hold when the ranks start.
void fill_memory(const Run& run, sim::Machine& machine) {
  const interp::LaunchPlan& plan = run.result.plan;
  const bool data = run.options.data == Data::full;
  if (!data) machine.leave_out_data();
  for (const interp::HostCopy& copy : plan.copies) {
    if (!copy.copy_in) continue;
    if (data)
      machine.write_gm(copy.device, host_bytes(run.tensors, copy));
    else
      machine.forget_gm(copy.device, copy.bytes);
  }
  if (run.options.windows != nullptr) {
    put_windows(plan, *run.options.windows,
                [&](isa::GlobalAddress at, std::span<const std::byte> bytes) {
                  machine.write_gm(at, bytes);
                });
  }
  if (const auto relaxed = relaxed_order(run)) {
    for (const interp::RelaxedOrder::Zeroing& one : relaxed->zeroings)
      machine.zero_at_start(one.address, one.bytes);
  }
}

/// Outputs, and windows where they are kept.
void take_outputs(const Run& run, sim::Machine& machine) {
  const interp::LaunchPlan& plan = run.result.plan;
  for (const interp::HostCopy& copy : plan.copies) {
    if (copy.copy_out && run.options.data == Data::full)
      machine.read_gm(copy.device, host_bytes(run.tensors, copy));
  }
  if (run.options.keep_windows) {
    run.result.windows = take_windows(plan, [&](isa::GlobalAddress at, std::span<std::byte> bytes) {
      machine.read_gm(at, bytes);
    });
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
  models::MachineDescription description = run.machine;
  description.relaxed.seed = run.memory_seed();
  sim::Machine machine(description, plan.gm_bytes, programs, &run.kernels.tasks(),
                       run.options.positions);
  costs.attach_to(machine);
  machine.attach(signals);
  std::optional<HintTimes> hint_times;
  if (run.result.hints) machine.attach(hint_times.emplace(*run.result.hints, run.locate()));
  for (sim::Observer* observer : run.options.observers)
    machine.attach(*observer);
  sim::CauseLog causes(run.options.limits.max_explain_records);
  if (run.options.explain) machine.attach_causes(causes);
  fill_memory(run, machine);
  const sim::RunReport report = machine.run({run.instruction_limit()});
  take_outputs(run, machine);
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
      if (run.options.explain) explain_run(run, machine, causes, programs, report);
      return;
    case sim::Outcome::fault:
      result.outcome = Outcome::fault;
      return;
    case sim::Outcome::data_needed:
      result.outcome = Outcome::fault;
      result.needs_data = true;
      result.diagnostics.error(run.kernels.location(report.data_needed),
                               "what the kernel reads here is data, of which --data none moves "
                               "nothing; --data full does");
      return;
    case sim::Outcome::event_limit:
      report_limit(run);
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
  collect_blocked(run, sites, signals, [&](isa::GlobalAddress cell) {
    std::int32_t value = 0;
    machine.read_gm(cell, std::as_writable_bytes(std::span(&value, 1)));
    return value;
  });
}

/// The run is wrong although this timing was good.
void enter(OtherOrder other, Result& result) {
  result.in_another_order = true;
  result.outcome = other.outcome;
  result.diagnostics.append(std::move(other.diagnostics));
  result.blocked = std::move(other.blocked);
  result.cycles = std::move(other.cycles);
  result.unstarted = std::move(other.unstarted);
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
  check_positions(options.positions, options.ranks, machine, result.diagnostics);
  if (result.diagnostics.has_errors()) return result;
  const bool without_times = options.engine == Engine::untimed;
  if (options.data == Data::none && (without_times || options.keep_windows || options.windows)) {
    result.diagnostics.error({},
                             fmt::format("--data none does not go with {}",
                                         without_times ? "the untimed engine, which has nothing "
                                                         "but data"
                                                       : "windows that keep their contents"));
    return result;
  }
  interp::BindOptions bind{options.ranks, options.settings, {}};
  for (const auto& [name, array] : inputs)
    bind.known_shapes[name] = array.shape;
  interp::BoundSignature signature = interp::bind_signature(module, bind);
  result.diagnostics.append(signature.diagnostics);
  if (result.diagnostics.has_errors()) return result;

  check_tensor_bytes(signature.parameters, options.limits.max_tensor_bytes, result.diagnostics);
  result.over_limit = result.diagnostics.has_errors();
  if (result.over_limit) return result;
  std::vector<isa::Array> tensors =
      host_tensors(signature.parameters, inputs, options.data, result.diagnostics);
  if (result.diagnostics.has_errors()) return result;

  interp::PlanResult planned = interp::plan_launch(
      module, signature,
      {options.ranks, std::min(machine.memory.capacity_bytes, models::kMaxMemoryBytes),
       options.limits.max_host_steps});
  result.diagnostics.append(std::move(planned.diagnostics));
  result.over_limit = planned.over_limit;
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
    OtherOrder other;
    if (options.check_races && options.data == Data::full) other = check_by_reference(run);
    run_timed(run);
    if (result.outcome == Outcome::finished && other.outcome != Outcome::finished)
      enter(std::move(other), result);
  } else {
    run_reference(run);
  }
  if (result.outcome == Outcome::fault && kernels.over_limit())
    result.outcome = Outcome::over_limit;
  result.diagnostics.append(kernels.diagnostics());
  if (options.data == Data::full)
    result.outputs = written_tensors(result.plan.parameters, std::move(tensors));
  return result;
}

}  // namespace a2a3
