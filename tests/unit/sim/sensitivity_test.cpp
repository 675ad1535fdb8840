// SPDX-License-Identifier: Apache-2.0
// What the critical path says a parameter costs is what a run gains when the parameter gets
// cheaper: one that costs a little less takes off as much of its share, and half the cost of what
// most time went to takes off half of its share.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "fixture.hpp"
#include "sim/observers/critical_path.hpp"

namespace a2a3::sim::test::sensitivity_test {
namespace {

using Machine = models::MachineDescription;

/// Makes everything that a use stands for cost `share` of what it does.
struct Parameter {
  TimeUse use;
  const char* name;
  void (*scale)(Machine& machine, double share);
};

const std::array kParameters{
    Parameter{TimeUse::stream, "rate of the pipes",
              [](Machine& machine, double share) {
                machine.core.load_bytes_per_cycle /= share;
                machine.core.store_bytes_per_cycle /= share;
              }},
    Parameter{TimeUse::startup, "startups",
              [](Machine& machine, double share) {
                machine.core.load_startup_cycles *= share;
                machine.core.store_startup_cycles *= share;
              }},
    Parameter{TimeUse::issue, "issue costs",
              [](Machine& machine, double share) {
                machine.core.load_issue_cycles *= share;
                machine.core.store_issue_cycles *= share;
              }},
    Parameter{TimeUse::memory, "rate of the memory",
              [](Machine& machine, double share) {
                machine.memory.read_bytes_per_second /= share;
                machine.memory.write_bytes_per_second /= share;
              }},
    Parameter{TimeUse::link, "rate of the links",
              [](Machine& machine, double share) { machine.link.bytes_per_second /= share; }},
    Parameter{
        TimeUse::core_egress, "egress of a core",
        [](Machine& machine, double share) { machine.link.aiv_egress_bytes_per_second /= share; }},
    Parameter{TimeUse::device_egress, "egress of a device",
              [](Machine& machine, double share) {
                machine.link.device_egress_bytes_per_second /= share;
              }},
    Parameter{TimeUse::hop, "hops",
              [](Machine& machine, double share) { machine.link.hop_seconds *= share; }},
    Parameter{TimeUse::vector, "vector operations",
              [](Machine& machine, double share) {
                machine.vector.adds.slope_cycles *= share;
                machine.vector.adds.bias_cycles *= share;
              }},
    Parameter{TimeUse::flag, "flags",
              [](Machine& machine, double share) { machine.core.flag_cycles *= share; }},
    Parameter{TimeUse::barrier, "barriers",
              [](Machine& machine, double share) { machine.core.barrier_cycles *= share; }},
    Parameter{TimeUse::scalar, "scalar operations",
              [](Machine& machine, double share) {
                machine.core.scalar_op_cycles *= share;
                machine.core.scalar_tile_cycles *= share;
              }},
    Parameter{TimeUse::notify, "clean, dsb",
              [](Machine& machine, double share) {
                machine.signal.clean_seconds *= share;
                machine.signal.dsb_seconds *= share;
              }},
    Parameter{TimeUse::acquire, "acquire",
              [](Machine& machine, double share) { machine.signal.acquire_seconds *= share; }}};

struct Case {
  const char* name;
  TimeUse most;  ///< what most time goes to
  std::vector<Program> programs;
  Machine machine = round_machine();
  bool alone = true;  ///< nothing else takes nearly as long: half the cost is not held up by it
};

constexpr int kCount = 1024;  ///< int32 of one transfer: 4 KiB
constexpr std::uint32_t kBytes = 4 * kCount;
constexpr int kTransfers = 20;

Program loads(std::uint32_t device, int count = kCount) {
  Program program;
  for (int i = 0; i < kTransfers; ++i)
    program.add(load(device, std::uint64_t{kBytes} * i, kBytes * i, count), 1);
  return program;
}
Program stores(std::uint32_t device, int count = kCount) {
  Program program;
  for (int i = 0; i < kTransfers; ++i)
    program.add(store(kBytes * i, device, std::uint64_t{kBytes} * i, count), 1);
  return program;
}
/// Loads from one device and stores to another one; each store needs the bytes of a load.
Program copies(std::uint32_t from, std::uint32_t to) {
  Program program = loads(from);
  for (const isa::Instruction& one : stores(to).instructions)
    program.add(one.operation, one.scalar_ops);
  return program;
}
/// The same, one after the other through one tile.
Program serial_copies(std::uint32_t from, std::uint32_t to, int count) {
  Program program;
  for (int i = 0; i < kTransfers; ++i) {
    program.add(load(from, std::uint64_t{kBytes} * i, 0, count), 1);
    program.add(adds(0, 1, count));
    program.add(store(0, to, (std::uint64_t{1} << 19) + std::uint64_t{kBytes} * i, count));
  }
  return program;
}
/// A row is a command of its own.
isa::TLoad rows(int count) {
  isa::TLoad many = load(0, 0, 0, count * 64);
  many.src.shape = {1, 1, count, 1, 64};
  many.src.stride = {64 * 256, 64 * 256, 256, 256, 1};
  return many;
}

Machine with(void (*change)(Machine&)) {
  Machine machine = round_machine();
  change(machine);
  return machine;
}

std::vector<Case> cases() {
  const Machine slow_memory = with([](Machine& machine) {
    machine.memory.read_bytes_per_second = machine.memory.write_bytes_per_second = 4e9;
    machine.link.bytes_per_second = 40e9;
  });
  const Machine slow_vector = with(
      [](Machine& machine) { machine.vector.adds = {.slope_cycles = 50, .bias_cycles = 3000}; });
  Program vector;
  Program scalar;
  for (int i = 0; i < kTransfers; ++i) {
    vector.add(adds(0, 1, 64));
    scalar.add(adds(0, 1, 64), 500);
  }
  return {
      {"local loads", TimeUse::stream, {loads(0)}},
      {"local stores", TimeUse::stream, {stores(0)}},
      {"local copies", TimeUse::stream, {copies(0, 0)}},
      {"small loads", TimeUse::issue, {loads(0, 8)}, with([](Machine& machine) {
         machine.core.load_issue_cycles = 40;
       })},
      {"rows", TimeUse::startup, {{rows(16), adds(0, 1, 1024)}}},
      {"lists of rows", TimeUse::startup, {{rows(16), rows(17), rows(16)}}},
      {"serial copies", TimeUse::startup, {serial_copies(0, 0, 8)}},
      {"loads from a slow memory", TimeUse::memory, {loads(0)}, slow_memory},
      {"stores to a slow memory", TimeUse::memory, {stores(0)}, slow_memory},
      {"copies in a slow memory", TimeUse::memory, {copies(0, 0)}, slow_memory},
      {"loads from a slow far memory", TimeUse::memory, {loads(1), {}}, slow_memory},
      {"stores to a slow far memory", TimeUse::memory, {stores(1), {}}, slow_memory},
      {"remote loads", TimeUse::link, {loads(1), {}}},
      {"remote loads over a link nearly as fast as the pipe",
       TimeUse::link,
       {loads(1), {}},
       with([](Machine& machine) { machine.link.bytes_per_second = 55e9; }),
       false},
      {"remote loads over a link faster than the pipe",
       TimeUse::stream,
       {loads(1), {}},
       with([](Machine& machine) {
         machine.link.bytes_per_second = 500e9;
         machine.link.hop_seconds = 10e-9;
       })},
      {"remote stores", TimeUse::link, {stores(1), {}}},
      {"from peer to peer", TimeUse::link, {copies(1, 2), {}, {}}},
      {"egress of a core", TimeUse::core_egress, {stores(1), {}}, with([](Machine& machine) {
         machine.link.aiv_egress_bytes_per_second = 2e9;
       })},
      {"egress of a device", TimeUse::device_egress, {stores(1), {}}, with([](Machine& machine) {
         machine.link.device_egress_bytes_per_second = 2e9;
       })},
      {"far copies", TimeUse::hop, {serial_copies(1, 1, 8), {}}, with([](Machine& machine) {
         machine.link.hop_seconds = 2e-6;
       })},
      {"vector", TimeUse::vector, {vector}},
      {"vector between copies", TimeUse::vector, {serial_copies(0, 1, 64), {}}, slow_vector},
      {"scalar", TimeUse::scalar, {scalar}},
  };
}

struct Explained {
  Picoseconds end = 0;
  std::array<Picoseconds, kTimeUses> times{};

  [[nodiscard]] double time(TimeUse use) const {
    return static_cast<double>(times[static_cast<std::size_t>(use)]);
  }
};

Explained explained(const std::vector<Program>& programs, const Machine& machine) {
  CauseLog log(1'000'000);
  auto run = make_run(programs, machine);
  run->machine->attach_causes(log);
  const auto ends = run->machine->run().core_end;
  const auto last = std::ranges::max_element(ends);
  Explained result{.end = *last};
  const CauseLog::CoreKey core{static_cast<std::uint32_t>(last - ends.begin()), 0};
  for (const PathSegment& segment : critical_path(log, core, *last))
    result.times[static_cast<std::size_t>(segment.use)] += segment.to - segment.from;
  return result;
}

/// What the run gains when the parameter costs `share` of what it does.
double gain(const Case& one, const Parameter& parameter, double share, Picoseconds end) {
  Machine machine = one.machine;
  parameter.scale(machine, share);
  return static_cast<double>(end) - static_cast<double>(explained(one.programs, machine).end);
}

TEST(Sensitivity, ALittleLessOfAnyCostGainsItsShare) {
  constexpr double kLess = 0.99;
  for (const Case& one : cases()) {
    const Explained all = explained(one.programs, one.machine);
    for (const Parameter& parameter : kParameters) {
      SCOPED_TRACE(std::string(one.name) + ", " + parameter.name);
      EXPECT_NEAR(gain(one, parameter, kLess, all.end), (1 - kLess) * all.time(parameter.use),
                  2e-4 * static_cast<double>(all.end) + 100);
    }
  }
}

TEST(Sensitivity, HalfTheCostOfWhatMostTimeWentToGainsHalfItsShare) {
  for (const Case& one : cases()) {
    const Explained all = explained(one.programs, one.machine);
    for (const Parameter& parameter : kParameters) {
      if (parameter.use != one.most || !one.alone) continue;
      SCOPED_TRACE(one.name);
      EXPECT_EQ(std::ranges::max_element(all.times) - all.times.begin(),
                static_cast<std::ptrdiff_t>(one.most));
      EXPECT_NEAR(gain(one, parameter, 0.5, all.end), all.time(parameter.use) / 2,
                  0.05 * static_cast<double>(all.end));
    }
  }
}

/// Two ranks that answer each other: notifies, flights, polls and acquires make all of the time.
TEST(Sensitivity, HalfTheCostOfSignalsGainsHalfTheirShare) {
  std::vector<Program> programs(2);
  for (int i = 1; i <= kTransfers; ++i) {
    programs[0].add(notify(1, 64)).add(wait(0, 64, i));
    programs[1].add(wait(1, 64, i)).add(notify(0, 64));
  }
  const Explained all = explained(programs, round_machine());
  const double signals = all.time(TimeUse::notify) + all.time(TimeUse::hop) +
                         all.time(TimeUse::link) + all.time(TimeUse::poll) +
                         all.time(TimeUse::acquire);
  EXPECT_GT(signals, 0.95 * static_cast<double>(all.end));
  Machine machine = round_machine();
  machine.core.barrier_cycles /= 2;
  machine.signal.clean_seconds /= 2;
  machine.signal.dsb_seconds /= 2;
  machine.signal.poll_seconds /= 2;
  machine.signal.acquire_seconds /= 2;
  machine.link.hop_seconds /= 2;
  const double gained =
      static_cast<double>(all.end) - static_cast<double>(explained(programs, machine).end);
  EXPECT_NEAR(gained, signals / 2, 0.05 * static_cast<double>(all.end));
}

/// One's own transfers are no contention, however many are under way.
TEST(Sensitivity, OnlyOthersAreWaitedFor) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    const Explained all = explained(one.programs, one.machine);
    EXPECT_EQ(all.time(TimeUse::link_wait), 0);
    EXPECT_EQ(all.time(TimeUse::memory_wait), 0);
  }
  Machine machine = round_machine();
  machine.memory.read_bytes_per_second = 4e9;
  const Explained shared = explained({{}, loads(0), loads(0), loads(0)}, machine);
  EXPECT_NEAR(shared.time(TimeUse::memory_wait) / static_cast<double>(shared.end), 2.0 / 3, 0.05);
  const Explained crossed = explained({{}, loads(0), loads(0), loads(0)}, round_machine());
  EXPECT_EQ(crossed.time(TimeUse::link_wait), 0);  // a link for each
}

}  // namespace
}  // namespace a2a3::sim::test::sensitivity_test
