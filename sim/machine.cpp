// SPDX-License-Identifier: Apache-2.0
#include "sim/machine.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "sim/device.hpp"
#include "sim/kernel/systemc_context.hpp"
#include "sim/network/fabric.hpp"
#include "sim/probe.hpp"
#include "sim/run_control.hpp"

namespace a2a3::sim {

/// The builder: makes and binds all modules. The order of the members is that of their making;
/// modules go before the context they live in.
struct Machine::Impl {
  Impl(const models::MachineDescription& machine, const std::vector<std::uint64_t>& gm_bytes,
       std::vector<CoreProgram> core_programs, isa::TaskQueue* task_queue,
       std::vector<std::uint32_t> positions_of_ranks);
  ~Impl();

  void build(const std::vector<std::uint64_t>& gm_bytes);
  [[nodiscard]] std::span<std::byte> range(isa::GlobalAddress address, std::size_t bytes) const;
  void simulate();
  [[nodiscard]] Picoseconds standstill();
  [[nodiscard]] RunReport report();

  models::MachineDescription description;
  std::vector<CoreProgram> programs;
  isa::TaskQueue* tasks;
  std::vector<std::uint32_t> positions;
  Probe probe;
  RunControl control;
  bool has_run = false;
  SystemcContext context;
  std::unique_ptr<Fabric> fabric;
  std::vector<std::unique_ptr<Device>> devices;
  std::vector<VectorCore*> cores;  ///< by program
};

Machine::Impl::Impl(const models::MachineDescription& machine,
                    const std::vector<std::uint64_t>& gm_bytes,
                    std::vector<CoreProgram> core_programs, isa::TaskQueue* task_queue,
                    std::vector<std::uint32_t> positions_of_ranks)
    : description(machine),
      programs(std::move(core_programs)),
      tasks(task_queue),
      positions(std::move(positions_of_ranks)) {
  const SystemcContext::Entered entered(context);
  try {
    build(gm_bytes);
  } catch (...) {
    devices.clear();
    fabric.reset();
    throw;
  }
}

Machine::Impl::~Impl() {
  const SystemcContext::Entered entered(context);
  devices.clear();
  fabric.reset();
}

void Machine::Impl::build(const std::vector<std::uint64_t>& gm_bytes) {
  const auto device_count = static_cast<std::uint32_t>(gm_bytes.size());
  std::vector<std::uint32_t> at = positions;
  for (auto rank = static_cast<std::uint32_t>(at.size()); rank < device_count; ++rank)
    at.push_back(rank);
  fabric = std::make_unique<Fabric>("fabric", description, std::move(at), probe);
  for (std::uint32_t d = 0; d < device_count; ++d) {
    const std::string name = "device" + std::to_string(d);
    Device& device = *devices.emplace_back(
        std::make_unique<Device>(name.c_str(), d, gm_bytes[d], description, tasks, probe, control));
    device.sdma.links.bind(fabric->links);
    device.bus.to_fabric.bind(fabric->from_devices);
    fabric->to_devices.bind(device.bus.from_fabric);
  }
  for (const CoreProgram& program : programs) {
    VectorCore& core =
        devices.at(program.device)
            ->add_core({.device = program.device, .core = program.core, .start = program.start},
                       description, *program.source, probe, control);
    core.links.bind(fabric->links);
    cores.push_back(&core);
  }
}

std::span<std::byte> Machine::Impl::range(isa::GlobalAddress address, std::size_t bytes) const {
  const auto memory = devices.at(address.device)->memory.contents();
  if (address.offset_bytes > memory.size() || bytes > memory.size() - address.offset_bytes)
    throw std::out_of_range("host access of device " + std::to_string(address.device) +
                            " beyond its global memory");
  return memory.subspan(address.offset_bytes, bytes);
}

void Machine::Impl::simulate() {
  const SystemcContext::Entered entered(context);
  try {
    sc_core::sc_start();
  } catch (const sc_core::sc_report& fault) {
    throw std::runtime_error(std::string("SystemC: ") + fault.what());
  }
  if (control.internal_fault) std::rethrow_exception(control.internal_fault);
  if (!context.warnings().empty()) throw std::runtime_error(context.warnings().front());
}

/// When nothing could run any more: the last event, or what a core had ahead of it.
Picoseconds Machine::Impl::standstill() {
  const SystemcContext::Entered entered(context);
  Picoseconds end = sc_core::sc_time_stamp().value();
  for (VectorCore* core : cores)
    end = std::max(end, core->scalar_unit().end());
  return end;
}

RunReport Machine::Impl::report() {
  RunReport report;
  report.instructions = control.instructions;
  const Picoseconds last = standstill();
  for (VectorCore* core : cores) {
    ScalarUnit& scalar = core->scalar_unit();
    const auto blocked = control.stopped || scalar.finished() ? std::nullopt : scalar.blocked();
    if (blocked) scalar.give_up(last);
    report.core_end.push_back(scalar.end());
    if (scalar.finished() || blocked) report.end = std::max(report.end, scalar.end());
    if (control.stopped || scalar.finished()) continue;
    if (!blocked)
      throw std::logic_error("a core stopped without a wait: " + std::string(core->name()));
    report.blocked.push_back({.device = core->params().device,
                              .core = core->params().core,
                              .source = blocked->source,
                              .wait = blocked->wait,
                              .value = blocked->value,
                              .since = blocked->since});
  }
  for (const auto& device : devices) {
    if (control.stopped) break;
    for (const TaskBoard::Pending& one : device->tasks().pending()) {
      report.blocked.push_back({.device = one.origin.device,
                                .core = one.origin.core,
                                .source = one.origin.source,
                                .wait = {one.condition.cell, one.condition.expected},
                                .value = one.value,
                                .since = one.since,
                                .deferred = true});
    }
  }
  std::stable_sort(report.blocked.begin(), report.blocked.end(),
                   [](const BlockedCore& a, const BlockedCore& b) {
                     return a.device != b.device ? a.device < b.device : a.core < b.core;
                   });
  if (control.data_needed) {
    report.outcome = Outcome::data_needed;
    report.data_needed = control.data_needed->source;
  } else if (control.program_fault) {
    report.outcome = Outcome::fault;
  } else if (control.over_limit) {
    report.outcome = Outcome::event_limit;
  } else if (!report.blocked.empty()) {
    report.outcome = Outcome::deadlock;
  }
  return report;
}

Machine::Machine(const models::MachineDescription& description,
                 const std::vector<std::uint64_t>& gm_bytes, std::vector<CoreProgram> programs,
                 isa::TaskQueue* tasks, std::vector<std::uint32_t> positions)
    : impl_(std::make_unique<Impl>(description, gm_bytes, std::move(programs), tasks,
                                   std::move(positions))) {}

Machine::~Machine() = default;

void Machine::write_gm(isa::GlobalAddress address, std::span<const std::byte> source) {
  std::copy(source.begin(), source.end(), impl_->range(address, source.size()).begin());
}

void Machine::read_gm(isa::GlobalAddress address, std::span<std::byte> destination) const {
  const auto memory = impl_->range(address, destination.size());
  std::copy(memory.begin(), memory.end(), destination.begin());
}

void Machine::zero_at_start(isa::GlobalAddress address, std::uint64_t bytes) {
  (void)impl_->range(address, bytes);
  for (VectorCore* core : impl_->cores) {
    if (core->params().device == address.device) return core->zero_at_start(address, bytes);
  }
}

void Machine::leave_out_data() {
  impl_->control.moves_data = false;
}

void Machine::forget_gm(isa::GlobalAddress address, std::uint64_t bytes) {
  (void)impl_->range(address, bytes);
  impl_->devices.at(address.device)->memory.forget(address.offset_bytes, bytes);
}

void Machine::attach(Observer& observer) {
  impl_->probe.attach(observer);
}

void Machine::attach_causes(CauseObserver& observer) {
  impl_->probe.attach_causes(observer);
}

std::vector<LinkReport> Machine::links() const {
  std::vector<LinkReport> links;
  for (const Fabric::UsedLink& link : impl_->fabric->used_links())
    links.push_back({.from = link.from,
                     .to = link.to,
                     .payload_sent_bytes = link.statistics.payload_sent_bytes,
                     .payload_received_bytes = link.statistics.payload_received_bytes,
                     .header_bytes = link.statistics.header_bytes,
                     .messages_sent = link.statistics.messages_sent,
                     .messages_received = link.statistics.messages_received,
                     .busy = link.statistics.busy,
                     .peak_queue = link.statistics.peak_queue,
                     .rates = link.rates});
  return links;
}

RunReport Machine::run(const RunLimits& limits) {
  if (impl_->has_run) throw std::logic_error("a machine runs once");
  impl_->has_run = true;
  impl_->control.max_instructions = limits.max_instructions;
  if (!impl_->programs.empty()) impl_->simulate();
  return impl_->report();
}

}  // namespace a2a3::sim
