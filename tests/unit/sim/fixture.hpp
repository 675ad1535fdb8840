// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "isa/instruction_source.hpp"
#include "models/machine_description.hpp"
#include "sim/machine.hpp"

namespace a2a3::sim::test {

/// A machine with round numbers: 1 ns a cycle, 64 B a cycle for loads and 32 for stores, links of
/// 10 GB/s with 100 ns hops, memory fast enough not to matter.
inline models::MachineDescription round_machine() {
  models::MachineDescription machine;
  machine.name = "round";
  machine.vector_cores_per_device = 4;
  machine.core = {.clock_hz = 1e9,
                  .ub_bytes = 192u << 10,
                  .ub_reserved_bytes = 8u << 10,
                  .scalar_op_cycles = 1,
                  .load_startup_cycles = 200,
                  .load_bytes_per_cycle = 64,
                  .load_issue_cycles = 20,
                  .store_startup_cycles = 150,
                  .store_bytes_per_cycle = 32,
                  .store_issue_cycles = 20,
                  .unaligned_rate = 1,
                  .gm_alignment_bytes = 512,
                  .flag_cycles = 8,
                  .barrier_cycles = 4,
                  .vector_repeat_bytes = 256,
                  .vector_masked_cycles = 0,
                  .scalar_access_seconds = 250e-9,
                  .scalar_tile_cycles = 10,
                  .pipe_queue_depth = 8};
  const models::VectorCost cost{.slope_cycles = 2, .bias_cycles = 30};
  machine.vector = {cost, cost, cost, cost, cost, cost, cost, cost, cost, cost,
                    cost, cost, cost, cost, cost, cost, cost, cost, cost, cost};
  machine.cube = {.l1_bytes = 512u << 10,
                  .l0a_bytes = 64u << 10,
                  .l0b_bytes = 64u << 10,
                  .l0c_bytes = 128u << 10,
                  .l1_load_bytes_per_cycle = 64,
                  .feed_startup_cycles = 20,
                  .l0a_bytes_per_cycle = 512,
                  .l0b_bytes_per_cycle = 256,
                  .startup_cycles = 6,
                  .step_cycles = 1,
                  .fp32_step_cycles = 2,
                  .store_startup_cycles = 150,
                  .store_bytes_per_second = 32e9};
  machine.memory = {.capacity_bytes = std::uint64_t{1} << 30,
                    .read_bytes_per_second = 1e12,
                    .write_bytes_per_second = 1e12};
  machine.link = {.bytes_per_second = 10e9,
                  .hop_seconds = 100e-9,
                  .read_efficiency = 1.0,
                  .aiv_write_efficiency = 0.5,
                  .dma_read_efficiency = 0.8,
                  .dma_write_efficiency = 0.4,
                  .aiv_egress_bytes_per_second = 0,
                  .device_egress_bytes_per_second = 0,
                  .packet_payload_bytes = 512,
                  .packet_header_bytes = 38,
                  .request_bytes = 32,
                  .quantum_bytes = 4096};
  machine.signal = {.clean_seconds = 80e-9,
                    .dsb_seconds = 100e-9,
                    .poll_seconds = 200e-9,
                    .acquire_seconds = 50e-9,
                    .atomic_serial_seconds = 20e-9,
                    .atomic_line_bytes = 512,
                    .payload_bytes = 4};
  machine.sdma = {.startup_seconds = 2e-6,
                  .stream_bytes_per_second = 4e9,
                  .streams = 2,
                  .burst_bytes = 1024,
                  .window_bursts = 4};
  return machine;
}

inline constexpr Picoseconds kNs = 1000;

/// A fixed sequence of instructions. Source ids are their positions.
struct Program {
  std::vector<isa::Instruction> instructions;
  isa::FetchStatus end = isa::FetchStatus::done;

  Program() = default;
  Program(std::initializer_list<isa::Operation> operations) {
    for (const isa::Operation& operation : operations)
      add(operation);
  }
  Program& add(const isa::Operation& operation, std::uint32_t scalar_ops = 0) {
    instructions.push_back(
        {operation, static_cast<isa::SourceId>(instructions.size()), scalar_ops});
    return *this;
  }
};

class Script final : public isa::InstructionSource {
 public:
  explicit Script(Program program) : program_(std::move(program)) {}

  isa::Fetch next() override {
    if (next_ == program_.instructions.size()) return {program_.end, nullptr};
    return {isa::FetchStatus::instruction, &program_.instructions[next_++]};
  }

 private:
  Program program_;
  std::size_t next_ = 0;
};

inline isa::GmBox box(std::uint32_t device, std::uint64_t offset_bytes, std::int64_t rows,
                      std::int64_t cols, std::int64_t row_stride = 0,
                      isa::DType dtype = isa::DType::int32) {
  isa::GmBox result{.base = {device, offset_bytes}, .dtype = dtype, .shape = {1, 1, 1, rows, cols}};
  const std::int64_t stride = row_stride == 0 ? cols : row_stride;
  result.stride = {stride * rows, stride * rows, stride * rows, stride, 1};
  return result;
}

inline isa::Tile tile(std::uint32_t offset_bytes, std::int32_t rows, std::int32_t cols,
                      isa::DType dtype = isa::DType::int32) {
  return {.offset_bytes = offset_bytes,
          .dtype = dtype,
          .rows = rows,
          .cols = cols,
          .valid_rows = rows,
          .valid_cols = cols};
}

/// A load or store of one row of int32.
inline isa::TLoad load(std::uint32_t device, std::uint64_t gm, std::uint32_t ub, int count) {
  return {box(device, gm, 1, count), tile(ub, 1, count)};
}
inline isa::TStore store(std::uint32_t ub, std::uint32_t device, std::uint64_t gm, int count) {
  return {tile(ub, 1, count), box(device, gm, 1, count)};
}
inline isa::TBinaryScalar adds(std::uint32_t ub, std::int64_t addend, int count) {
  return {
      isa::BinaryOp::add, tile(ub, 1, count), {isa::DType::int32, addend, 0.0}, tile(ub, 1, count)};
}
inline isa::TFill fill(std::uint32_t ub, std::int64_t value, int count) {
  return {tile(ub, 1, count), {isa::DType::int32, value, 0.0}};
}
inline isa::TNotify notify(std::uint32_t device, std::uint64_t cell, std::int32_t value = 1,
                           isa::NotifyOp op = isa::NotifyOp::atomic_add) {
  return {{device, cell}, value, op};
}
inline isa::TWait wait(std::uint32_t device, std::uint64_t cell, std::int32_t expected = 1,
                       isa::WaitCmp cmp = isa::WaitCmp::ge) {
  return {{device, cell}, expected, cmp};
}

inline std::vector<std::int32_t> read_ints(const Machine& machine, std::uint32_t device,
                                           std::uint64_t offset_bytes, std::size_t count) {
  std::vector<std::int32_t> values(count);
  machine.read_gm({device, offset_bytes}, std::as_writable_bytes(std::span(values)));
  return values;
}
inline void write_ints(Machine& machine, std::uint32_t device, std::uint64_t offset_bytes,
                       const std::vector<std::int32_t>& values) {
  machine.write_gm({device, offset_bytes}, std::as_bytes(std::span(values)));
}

/// Keeps every event in the order of its coming.
class Recorder final : public Observer {
 public:
  std::vector<PipeActivity> pipes;
  std::vector<MemoryAccess> accesses;
  std::vector<LinkTransfer> links;
  std::vector<LocalTransfer> locals;
  std::vector<SignalLanded> signals;
  std::vector<WaitEnded> waits;

  void on_pipe_activity(const PipeActivity& event) override {
    pipes.push_back(event);
    pipes.back().operation = nullptr;
  }
  void on_memory_access(const MemoryAccess& event) override { accesses.push_back(event); }
  void on_link_transfer(const LinkTransfer& event) override { links.push_back(event); }
  void on_local_transfer(const LocalTransfer& event) override { locals.push_back(event); }
  void on_signal_landed(const SignalLanded& event) override { signals.push_back(event); }
  void on_wait_ended(const WaitEnded& event) override { waits.push_back(event); }

  /// The activities of one pipe of one device.
  [[nodiscard]] std::vector<PipeActivity> of(Pipe pipe, std::uint32_t device = 0) const {
    std::vector<PipeActivity> chosen;
    for (const PipeActivity& event : pipes)
      if (event.pipe == pipe && event.origin.device == device) chosen.push_back(event);
    return chosen;
  }
};

/// Programs on core 0 of devices 0, 1, ... and what came of running them.
struct Run {
  std::vector<std::unique_ptr<Script>> scripts;
  std::unique_ptr<Machine> machine;
  Recorder recorder;
  RunReport report;
};

inline std::unique_ptr<Run> make_run(
    const std::vector<Program>& programs_of_devices,
    const models::MachineDescription& description = round_machine(),
    const std::vector<Picoseconds>& start = {}, std::uint64_t gm_bytes = 1u << 20) {
  auto run = std::make_unique<Run>();
  std::vector<CoreProgram> programs;
  for (std::uint32_t d = 0; d < programs_of_devices.size(); ++d) {
    run->scripts.push_back(std::make_unique<Script>(programs_of_devices[d]));
    programs.push_back({.device = d,
                        .core = 0,
                        .source = run->scripts.back().get(),
                        .start = d < start.size() ? start[d] : 0});
  }
  run->machine = std::make_unique<Machine>(
      description, std::vector<std::uint64_t>(programs_of_devices.size(), gm_bytes), programs);
  run->machine->attach(run->recorder);
  return run;
}

inline std::unique_ptr<Run> run_programs(
    const std::vector<Program>& programs_of_devices,
    const models::MachineDescription& description = round_machine(),
    const std::vector<Picoseconds>& start = {}) {
  auto run = make_run(programs_of_devices, description, start);
  run->report = run->machine->run();
  return run;
}

}  // namespace a2a3::sim::test
