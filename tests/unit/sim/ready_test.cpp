// SPDX-License-Identifier: Apache-2.0
// Not ready at N - 1, ready at N: for every module of the simulator, N computed from a shipped
// machine file. Who asks one unit of time too early waits that unit; who asks at N or later does
// not wait.
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "models/instruction_timing.hpp"
#include "models/load_machine.hpp"
#include "models/topology.hpp"
#include "sim/kernel/systemc_context.hpp"
#include "sim/network/fabric.hpp"
#include "sim/network/link.hpp"
#include "sim/time.hpp"
#include "unit/sim/fixture.hpp"

namespace a2a3::sim::ready_test {
namespace {

using namespace test;

/// 1000 integers fill no packet, quantum or repeat.
constexpr int kInts = 1000;
constexpr double kBytes = 4.0 * kInts;

models::MachineDescription shipped(const std::string& name) {
  return *models::load_machine(name, A2A3_SOURCE_DIR).machine;
}

/// Machines whose cycles are whole nanoseconds let scalar operations ask at an exact time.
class ReadyCycles : public testing::Test {
 protected:
  [[nodiscard]] Picoseconds cycles(double count) const {
    return to_picoseconds(count / machine.core.clock_hz);
  }
  [[nodiscard]] std::uint32_t cycle_of(Picoseconds time) const {
    return static_cast<std::uint32_t>(std::llround(static_cast<double>(time) / kNs));
  }
  /// `second` is issued `early` cycles before `ready`, behind `first`: when it begins on its pipe.
  [[nodiscard]] Picoseconds begin_of(const isa::Operation& first, const isa::Operation& second,
                                     Pipe pipe, Picoseconds ready, int early) const {
    Program program;
    program.add(first);
    program.add(second, static_cast<std::uint32_t>(static_cast<int>(cycle_of(ready)) - early));
    const auto run = run_programs({program, {}}, machine);
    return run->recorder.of(pipe).at(0).begin;
  }
  void expect_ready_at(const isa::Operation& first, const isa::Operation& second, Pipe pipe,
                       Picoseconds ready) const {
    EXPECT_EQ(begin_of(first, second, pipe, ready, 1), ready) << "waits one cycle";
    EXPECT_EQ(begin_of(first, second, pipe, ready, 0), ready);
    EXPECT_EQ(begin_of(first, second, pipe, ready, -1), ready + kNs) << "nothing to wait for";
  }

  const models::MachineDescription machine = shipped("teaching");
  const models::LinkRates rates = models::link_rates(machine, 0, 1);
};

TEST_F(ReadyCycles, VectorCoreALoadAndItsFlag) {
  const Picoseconds ready =
      cycles(machine.core.load_startup_cycles + 4096 / machine.core.load_bytes_per_cycle +
             machine.core.flag_cycles);
  expect_ready_at(load(0, 0, 0, 1024), adds(0, 1, 1024), Pipe::vector, ready);
}

TEST_F(ReadyCycles, FabricAndDeviceBusARemoteLoad) {
  const double wire = 4096 / rates.rate(models::LinkUse::aiv_read);
  const Picoseconds ready = cycles(machine.core.load_startup_cycles) +
                            to_picoseconds(2 * rates.hop_seconds + wire) +
                            cycles(machine.core.flag_cycles);
  expect_ready_at(load(1, 0, 0, 1024), adds(0, 1, 1024), Pipe::vector, ready);
}

TEST_F(ReadyCycles, VectorPipeAnAddition) {
  const models::VectorCost& cost = machine.vector.adds;
  const Picoseconds ready = cycles(cost.slope_cycles * 4096 / machine.core.vector_repeat_bytes +
                                   cost.bias_cycles + machine.core.flag_cycles);
  expect_ready_at(adds(0, 1, 1024), store(0, 0, 0, 1024), Pipe::mte3, ready);
}

TEST_F(ReadyCycles, PipeScheduleTheNextLoadOfThePipe) {
  const Picoseconds ready = cycles(4096 / machine.core.load_bytes_per_cycle);
  Program program;
  for (const int early : {1, 0, -1}) {
    program = {load(0, 0, 0, 1024)};
    program.add(load(0, 8192, 8192, 8),
                static_cast<std::uint32_t>(static_cast<int>(cycle_of(ready)) - early));
    const auto run = run_programs({program}, machine);
    const Picoseconds begin = run->recorder.of(Pipe::mte2).at(1).begin;
    EXPECT_EQ(begin, early < 0 ? ready + kNs : ready) << early;
  }
}

TEST_F(ReadyCycles, ScalarUnitABarrierBehindAStore) {
  const Picoseconds stored =
      cycles(machine.core.store_startup_cycles + 4096 / machine.core.store_bytes_per_cycle);
  for (const int early : {1, 0, -1}) {
    Program program{store(0, 0, 0, 1024)};
    program.add(isa::PipeBarrier{},
                static_cast<std::uint32_t>(static_cast<int>(cycle_of(stored)) - early));
    program.add(load(0, 8192, 8192, 8));
    const auto run = run_programs({program}, machine);
    const Picoseconds end = stored + cycles(machine.core.barrier_cycles);
    EXPECT_EQ(run->recorder.of(Pipe::mte2).at(0).begin, early < 0 ? end + kNs : end) << early;
  }
}

/// Machines of any clock: ranks start at exact picoseconds.
class Ready : public testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] Picoseconds cycles(double count) const {
    return to_picoseconds(count / machine.core.clock_hz);
  }
  [[nodiscard]] Picoseconds hop() const { return to_picoseconds(rates.hop_seconds); }
  /// What rank 1 finds in its memory, sampled at `time`, while rank 0 does `sender`.
  [[nodiscard]] int sampled(const Program& sender, Picoseconds time) const {
    const Picoseconds startup = cycles(machine.core.load_startup_cycles);
    const Picoseconds late = 10'000 * kNs;  // the sampler's load has begun before it samples
    auto run = make_run({sender, {load(1, 4096, 0, 8), store(0, 1, 65536, 8)}}, machine,
                        {late, late + time - startup});
    write_ints(*run->machine, 0, 4096, std::vector<std::int32_t>(kInts, 7));
    EXPECT_EQ(run->machine->run().outcome, Outcome::finished);
    return read_ints(*run->machine, 1, 65536, 1)[0];
  }
  void expect_landing(const Program& sender, Picoseconds landing) const {
    EXPECT_EQ(sampled(sender, landing - 1), 0);
    EXPECT_EQ(sampled(sender, landing + 1), 7);
  }

  const models::MachineDescription machine = shipped(GetParam());
  const models::LinkRates rates = models::link_rates(machine, 0, 1);
};

TEST_P(Ready, GlobalMemoryARemoteStore) {
  const models::CoreParameters& core = machine.core;
  double seconds = kBytes / rates.rate(models::LinkUse::aiv_write);
  for (const double limit :
       {machine.link.aiv_egress_bytes_per_second, machine.link.device_egress_bytes_per_second}) {
    if (limit != 0) seconds = std::max(seconds, kBytes / limit);
  }
  // The tile's values come with a load, which the store waits for.
  const Picoseconds loaded = cycles(core.load_startup_cycles) +
                             cycles(kBytes / core.load_bytes_per_cycle) + cycles(core.flag_cycles);
  const Picoseconds landing =
      loaded + cycles(core.store_startup_cycles) + to_picoseconds(seconds) + hop();
  expect_landing({load(0, 4096, 0, kInts), store(0, 1, 4096, kInts)}, landing);
}

TEST_P(Ready, SdmaAPut) {
  const models::SdmaParameters& sdma = machine.sdma;
  ASSERT_LE(kBytes, static_cast<double>(sdma.burst_bytes)) << "one burst";
  const Picoseconds landing =
      to_picoseconds(sdma.startup_seconds) + to_picoseconds(rates.dma_overhead_seconds) +
      to_picoseconds(kBytes / sdma.stream_bytes_per_second) +
      to_picoseconds(kBytes / rates.rate(models::LinkUse::dma_write)) + hop();
  expect_landing(
      {isa::TPutAsync{box(1, 4096, 1, kInts), box(0, 4096, 1, kInts), 0}, isa::TWaitEvent{0}},
      landing);
}

TEST_P(Ready, ScalarUnitAWaitForASignal) {
  const models::SignalParameters& signal = machine.signal;
  const Picoseconds landing = cycles(machine.core.barrier_cycles) +
                              to_picoseconds(signal.clean_seconds) +
                              to_picoseconds(4 / rates.rate(models::LinkUse::aiv_write)) + hop();
  const Picoseconds poll = to_picoseconds(signal.poll_seconds);
  const Picoseconds start = 1000 * kNs;
  for (const int late : {-1, 0}) {
    const Picoseconds begin = start + landing - 2 * poll + static_cast<Picoseconds>(late);
    const auto run = run_programs({{notify(1, 0)}, {wait(1, 0)}}, machine, {start, begin});
    const Picoseconds seen = run->recorder.waits.at(0).end - to_picoseconds(signal.acquire_seconds);
    EXPECT_EQ(seen, begin + (late < 0 ? 3 : 2) * poll)
        << "the second poll is just too early, or not";
  }
}

TEST_P(Ready, FabricAMessage) {
  SystemcContext context;
  const SystemcContext::Entered entered{context};
  Probe probe;
  Fabric fabric("fabric", machine, {0, 1}, probe);
  const Picoseconds arrival =
      to_picoseconds(kBytes / rates.rate(models::LinkUse::aiv_read)) + hop();
  const Transit transit = fabric.send({.kind = LinkTransfer::Kind::read_reply,
                                       .from = 0,
                                       .to = 1,
                                       .payload_bytes = static_cast<std::uint64_t>(kBytes)},
                                      {});
  EXPECT_FALSE(fabric.follow(transit.id, arrival - 1).arrived);
  EXPECT_TRUE(fabric.follow(transit.id, arrival).arrived);
}

TEST_P(Ready, LinkFreeForTheNext) {
  const auto bytes = static_cast<std::uint64_t>(kBytes);
  const Picoseconds wire = models::link_time_ps(bytes, rates.rate(models::LinkUse::aiv_read));
  for (const int late : {-1, 0, 1}) {
    Link link({machine.link.packet_payload_bytes, machine.link.quantum_bytes});
    static_cast<void>(link.send({.wire_time = wire, .payload_bytes = bytes, .mover = 1}));
    const Picoseconds ready = wire + static_cast<Picoseconds>(late);
    const Link::Ticket next =
        link.send({.ready = ready, .wire_time = wire, .payload_bytes = bytes, .mover = 2});
    EXPECT_EQ(link.look(next, ready).begin, std::max(ready, wire)) << late;
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, Ready, testing::Values("a2", "a3", "teaching"),
                         [](const testing::TestParamInfo<const char*>& one) {
                           return std::string(one.param);
                         });

/// Complete when its task has ended.
class OneTask final : public isa::TaskQueue {
 public:
  bool is_complete = false;
  void ended(std::uint32_t) override {}
  void complete(std::uint32_t task) override { is_complete = is_complete || task == 0; }
};

/// A program of its own, then nothing until task 0 is complete, then another one.
class Behind final : public isa::InstructionSource {
 public:
  Behind(const OneTask& tasks, Program before, Program behind)
      : tasks_(tasks), before_(std::move(before)), behind_(std::move(behind)) {}
  isa::Fetch next() override {
    const isa::Fetch own = before_.next();
    if (own.status == isa::FetchStatus::instruction) return own;
    if (!tasks_.is_complete) return {isa::FetchStatus::idle, nullptr};
    return behind_.next();
  }

 private:
  const OneTask& tasks_;
  Script before_;
  Script behind_;
};

TEST_F(ReadyCycles, TaskBoardATaskBehindAnother) {
  const Picoseconds ready =
      cycles(machine.core.store_startup_cycles + 4096 / machine.core.store_bytes_per_cycle);
  for (const int early : {1, 0, -1}) {
    OneTask tasks;
    Script first({isa::TaskBegin{0}, store(0, 0, 0, 1024), isa::TaskEnd{0}});
    // Asks for work at the end of a barrier of its own.
    Program busy;
    busy.add(isa::PipeBarrier{},
             static_cast<std::uint32_t>(static_cast<int>(cycle_of(ready)) - early) -
                 static_cast<std::uint32_t>(machine.core.barrier_cycles));
    Behind second(tasks, busy, {isa::TaskBegin{1}, load(0, 0, 0, 8), isa::TaskEnd{1}});
    Machine run(machine, {1u << 20}, {{0, 0, &first, 0}, {0, 1, &second, 0}}, &tasks);
    Recorder recorder;
    run.attach(recorder);
    EXPECT_EQ(run.run().outcome, Outcome::finished);
    EXPECT_EQ(recorder.of(Pipe::mte2).at(0).begin, early < 0 ? ready + kNs : ready) << early;
  }
}

}  // namespace
}  // namespace a2a3::sim::ready_test
