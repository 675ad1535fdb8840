// SPDX-License-Identifier: Apache-2.0
// A parameter that nothing reads is an error: each number of a machine description changes a time
// or a count of the workloads below, or it is a limit that planning and lowering enforce.
#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "models/instruction_timing.hpp"
#include "models/machine_fields.hpp"
#include "models/skew.hpp"
#include "sim/kernel/systemc_context.hpp"
#include "sim/network/fabric.hpp"
#include "unit/sim/fixture.hpp"

namespace a2a3::sim::machine_parameters_test {
namespace {

using namespace test;
using Signature = std::vector<std::uint64_t>;

/// Bounds that planning, lowering and the memories enforce: they change what is accepted, not how
/// long it takes.
const std::set<std::string> kLimits = {
    "devices",       "vector_cores_per_device", "core.ub_size",  "core.ub_reserved", "cube.l1_size",
    "cube.l0a_size", "cube.l0b_size",           "cube.l0c_size", "memory.capacity"};

/// What the machine is told of as addresses (Machine::zero_at_start).
const std::set<std::string> kFromOutside = {"hazards.zeroing"};

isa::Tile in(isa::MemorySpace space, std::int32_t rows, std::int32_t cols,
             isa::DType dtype = isa::DType::fp16) {
  isa::Tile result = tile(0, rows, cols, dtype);
  result.space = space;
  return result;
}

isa::ScalarRead scalar_read(std::uint32_t device) {
  static isa::Scalar value;
  isa::ScalarRead read;
  read.gm = isa::GlobalAddress{device, 16};
  read.result = &value;
  return read;
}

/// Pipe times of one operation of each kind, with rows that fill whole repeats and rows that do
/// not.
void instruction_times(const models::MachineDescription& machine, Signature& signature) {
  const isa::Tile l1 = in(isa::MemorySpace::l1, 64, 64);
  const isa::Tile l0a = in(isa::MemorySpace::l0a, 64, 64);
  const isa::Tile l0b = in(isa::MemorySpace::l0b, 64, 64);
  const isa::Tile l0c = in(isa::MemorySpace::l0c, 64, 64, isa::DType::fp32);
  isa::ScalarRead element_read;
  element_read.tile = tile(0, 1, 1);
  std::vector<isa::Operation> operations = {
      isa::TMove{l1, l0a, 0, 0, 0, 0, 64, 64, false},
      isa::TMove{l1, l0b, 0, 0, 0, 0, 64, 64, false},
      isa::TMatmul{l0a, l0b, l0c},
      isa::TMatmul{in(isa::MemorySpace::l0a, 64, 64, isa::DType::fp32),
                   in(isa::MemorySpace::l0b, 64, 64, isa::DType::fp32), l0c},
      isa::TLoad{box(0, 0, 64, 64, 0, isa::DType::fp16), l1},
      isa::TStore{l0c, box(0, 0, 64, 64, 0, isa::DType::fp32)},
      load(0, 0, 0, 8),
      load(0, 512, 0, 1024),
      load(0, 32, 0, 1024),
      store(0, 0, 0, 8),
      scalar_read(0),
      element_read,
      isa::PipeBarrier{}};
  for (const int cols : {64, 40}) {
    const isa::Tile vector = tile(0, 16, cols);
    for (const auto op : {isa::BinaryOp::add, isa::BinaryOp::sub, isa::BinaryOp::mul,
                          isa::BinaryOp::div, isa::BinaryOp::maximum, isa::BinaryOp::minimum}) {
      operations.emplace_back(isa::TBinary{op, vector, vector, vector});
      operations.emplace_back(isa::TBinaryScalar{op, vector, {}, vector});
    }
    operations.emplace_back(isa::TCast{vector, vector});
    for (const auto op :
         {isa::UnaryOp::exp, isa::UnaryOp::ln, isa::UnaryOp::sqrt, isa::UnaryOp::relu})
      operations.emplace_back(isa::TUnary{op, vector, vector});
    operations.emplace_back(isa::TFill{vector, {}});
    operations.emplace_back(isa::TMove{vector, vector, 0, 0, 0, 0, 16, cols, false});
    operations.emplace_back(isa::TRowSum{vector, vector, vector});
  }
  for (const isa::Operation& operation : operations) {
    const models::InstructionTime time = models::instruction_time(operation, machine);
    signature.insert(signature.end(), {time.startup_ps, time.transfer_ps, time.issue_ps});
  }
}

/// Two cores on each of six devices load from and store to their neighbours and across, add to
/// signals of one line, and wait.
void timed_run(const models::MachineDescription& machine, Signature& signature) {
  constexpr std::uint32_t kDevices = 6;
  std::vector<std::unique_ptr<Script>> scripts;
  std::vector<CoreProgram> programs;
  const auto starts = models::launch_skew(machine.launch, kDevices);
  for (std::uint32_t d = 0; d < kDevices; ++d) {
    for (std::uint32_t core = 0; core < 2; ++core) {
      Program program;
      const std::uint64_t own = 65536 * (1 + d);
      // Two signals at once, to lines of 512 bytes side by side, then to one line.
      program.add(notify((d + 1) % kDevices, 2048 + 512 * core));
      program.add(notify((d + 1) % kDevices, 1024 + 4 * core));
      program.add(notify((d + 2) % kDevices, 3072 + 4 * core, 1, isa::NotifyOp::set));
      program.add(scalar_read(d), 5);
      for (const std::uint32_t hop : {1u, 2u, 3u}) {
        const std::uint32_t peer = (d + hop) % kDevices;
        program.add(load(peer, own, core * 65536, 4096));
        program.add(store(core * 65536, peer, own, 4096));
        program.add(store(core * 65536, peer, own, 25));
        program.add(adds(core * 65536, 1, 4096));
        program.add(isa::PipeBarrier{});
        program.add(notify(peer, 4 * core));
      }
      for (int i = 0; i < 24; ++i)
        program.add(load(d, own, 131072 + 32 * static_cast<std::uint32_t>(i), 8));
      program.add(store(core * 65536, d, own + 32768, 4096));
      program.add(notify(d, 4 * core));
      program.add(wait(d, 4 * core, 4));
      scripts.push_back(std::make_unique<Script>(program));
      programs.push_back(
          {.device = d, .core = core, .source = scripts.back().get(), .start = starts[d]});
    }
  }
  Machine all(machine, std::vector<std::uint64_t>(kDevices, 1u << 20), programs);
  Recorder recorder;
  all.attach(recorder);
  const RunReport report = all.run();
  EXPECT_EQ(report.outcome, Outcome::finished);
  signature.insert(signature.end(), report.core_end.begin(), report.core_end.end());
  for (const PipeActivity& event : recorder.pipes)
    signature.insert(signature.end(), {event.begin, event.end});
  for (const SignalLanded& event : recorder.signals)
    signature.push_back(event.time);
  for (const MemoryAccess& event : recorder.accesses)
    signature.insert(signature.end(), {event.time, event.bytes});
  for (const LinkTransfer& event : recorder.links)
    signature.insert(signature.end(), {event.begin, event.end, event.header_bytes});
}

/// Blocks that the SDMA engines move, both ways, over near and far links, more than there are
/// streams.
void dma_blocks(const models::MachineDescription& machine, Signature& signature) {
  for (const std::uint32_t peer : {1u, 2u, 5u})
    for (const bool put : {true, false}) {
      Program program;
      const std::uint32_t blocks = machine.sdma.streams + 1;
      for (std::uint32_t event = 0; event < blocks; ++event) {
        const isa::GmBox own = box(0, 4096 + 65536 * event, 1, 16384);
        const isa::GmBox far = box(peer, 4096 + 65536 * event, 1, 16384);
        if (put)
          program.add(isa::TPutAsync{far, own, event});
        else
          program.add(isa::TGetAsync{own, far, event});
      }
      for (std::uint32_t event = 0; event < blocks; ++event)
        program.add(isa::TWaitEvent{event});
      Script script(program);
      Machine all(machine, std::vector<std::uint64_t>(6, 2u << 20),
                  {{.device = 0, .core = 0, .source = &script}});
      signature.push_back(all.run().end);
    }
}

Signature signature_of(const models::MachineDescription& machine) {
  Signature signature;
  instruction_times(machine, signature);
  timed_run(machine, signature);
  dma_blocks(machine, signature);
  return signature;
}

/// Machines that read all parameters between them.
std::vector<models::MachineDescription> machines() {
  models::MachineDescription torus = round_machine();
  torus.topology = models::Topology::torus;
  torus.devices = 6;
  torus.torus = {.rows = 2, .columns = 3};
  torus.link.aiv_egress_bytes_per_second = 4e9;
  torus.link.device_egress_bytes_per_second = 6e9;
  torus.launch.random_skew = {.kind = models::SkewKind::uniform, .seed = 1, .max_seconds = 1e-6};
  torus.core.unaligned_rate = 0.5;
  torus.memory.read_bytes_per_second = 20e9;
  torus.memory.write_bytes_per_second = 20e9;
  models::MachineDescription tiers = round_machine();
  tiers.topology = models::Topology::switched;
  tiers.switched = {.dies_per_package = 2,
                    .dies_per_node = 4,
                    .uplink_bytes_per_second = 16.5e9,
                    .package = {10e-9, 21e9, 20e9, 22e9, 23e9, 100e-9},
                    .node = {100e-9, 17e9, 16e9, 15e9, 14e9, 200e-9},
                    .cluster = {300e-9, 13e9, 12e9, 11e9, 10e9, 300e-9}};
  tiers.sdma.window_bursts = 1;
  tiers.launch.random_skew = {.kind = models::SkewKind::normal,
                              .seed = 1,
                              .mean_seconds = 2e-6,
                              .deviation_seconds = 0.5e-6};
  models::MachineDescription relaxed = round_machine();
  relaxed.relaxed = {models::MemoryOrder::relaxed, 1, 2e-6};
  relaxed.hazards.set_line_bytes = 64;
  return {round_machine(), torus, tiers, relaxed};
}

/// Another value that the field may have.
double changed(const models::MachineField& field, double value) {
  const bool whole =
      field.quantity == models::Quantity::count || field.quantity == models::Quantity::bytes;
  const bool cycles = field.quantity == models::Quantity::cycles;
  if (!field.words.empty() && !field.or_number)
    return value + 1 < static_cast<double>(field.words.size()) ? value + 1 : value - 1;
  if (value == 0) return std::max(field.low, std::min(field.high, whole || cycles ? 3.0 : 1e-7));
  const double other = whole ? 2 * value : 1.25 * value;
  return other <= field.high ? other : value / 2;
}

TEST(MachineParameters, EachIsRead) {
  std::vector<std::pair<models::MachineDescription, Signature>> base;
  for (const models::MachineDescription& machine : machines())
    base.emplace_back(machine, signature_of(machine));
  for (const models::MachineField& field : models::machine_fields()) {
    if (kLimits.contains(field.path) || kFromOutside.contains(field.path)) continue;
    if (field.path == "topology") continue;
    const bool matters = std::ranges::any_of(base, [&](const auto& one) {
      const auto& [machine, signature] = one;
      if (field.read_by != nullptr && !field.read_by(machine)) return false;
      models::MachineDescription other = machine;
      if (field.path.starts_with("torus.")) {
        // Rows and columns only change together: their product is the number of devices.
        std::swap(other.torus.rows, other.torus.columns);
        EXPECT_NE(field.get(other), field.get(machine));
      } else {
        field.set(other, changed(field, field.get(machine)));
      }
      return signature_of(other) != signature;
    });
    EXPECT_TRUE(matters) << "nothing reads " << field.path;
  }
}

TEST(MachineParameters, WhatAMachineDoesNotReadChangesNothing) {
  // The rows that `machine show` leaves out for a topology are those that change no time there.
  for (const models::MachineDescription& machine : machines()) {
    const Signature signature = signature_of(machine);
    for (const models::MachineField& field : models::machine_fields()) {
      if (field.read_by == nullptr || field.read_by(machine)) continue;
      models::MachineDescription other = machine;
      field.set(other, changed(field, field.get(machine)));
      EXPECT_EQ(signature_of(other), signature) << field.path;
    }
  }
}

TEST(MachineParameters, TheLimitsAreFields) {
  std::set<std::string> paths;
  for (const models::MachineField& field : models::machine_fields())
    paths.insert(field.path);
  for (const std::string& limit : kLimits)
    EXPECT_TRUE(paths.contains(limit)) << limit;
}

}  // namespace
}  // namespace a2a3::sim::machine_parameters_test
