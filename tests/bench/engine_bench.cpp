// SPDX-License-Identifier: Apache-2.0
// What the engine costs: host time per executed instruction as a multiple of one SC_THREAD wait,
// memory of an idle core, time to the first instruction.
#include <cstdint>
#include <ctime>
#include <fstream>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include <benchmark/benchmark.h>
#include <unistd.h>

#include "a2a3/cost_observers.hpp"
#include "isa/instruction_source.hpp"
#include "models/load_machine.hpp"
#include "sim/kernel/systemc_context.hpp"
#include "sim/machine.hpp"
#include "sim/observers/signal_log.hpp"

namespace a2a3::bench::engine_bench {
namespace {

/// Processor time of this process: unlike wall time it does not count what others do meanwhile.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

models::MachineDescription default_machine() {
  auto loaded = models::load_machine("a2a3sim", A2A3_SOURCE_DIR);
  if (!loaded.machine) throw std::runtime_error(loaded.errors);
  return *loaded.machine;
}

isa::GmBox row(std::uint32_t device, std::uint64_t offset_bytes, std::int64_t count) {
  isa::GmBox box{.base = {device, offset_bytes}, .dtype = isa::DType::fp32};
  box.shape = {1, 1, 1, 1, count};
  box.stride = {count, count, count, count, 1};
  return box;
}

isa::Tile tile(std::uint32_t offset_bytes, std::int32_t count) {
  return {.offset_bytes = offset_bytes,
          .dtype = isa::DType::fp32,
          .rows = 1,
          .cols = count,
          .valid_rows = 1,
          .valid_cols = count};
}

constexpr std::uint64_t kGmBytes = 64 << 10;
constexpr std::int32_t kElements = 64;
// Buffers lie side by side, as the interpreter lays them out.
constexpr std::uint32_t kRowBytes = kElements * 4;
constexpr std::uint64_t kCell = 0;
constexpr std::uint64_t kSend = 512;
constexpr std::uint64_t kInbox = kSend + kRowBytes;
constexpr std::uint64_t kResult = kInbox + kRowBytes;

/// Rank r sends to r + 1 and hears from r - 1, `iterations` times: load, add, store, put, notify,
/// wait, load what came, add, store.
class NeighbourExchange final : public isa::InstructionSource {
 public:
  NeighbourExchange(std::uint32_t rank, std::uint32_t ranks, int iterations)
      : iterations_(iterations) {
    const std::uint32_t right = (rank + 1) % ranks;
    const isa::Tile a = tile(0, kElements);
    const isa::Tile b = tile(kRowBytes, kElements);
    const isa::Tile stage = tile(2 * kRowBytes, kElements);
    const isa::Scalar one{isa::DType::fp32, 0, 1.0};
    add(isa::TLoad{row(rank, kSend, kElements), a});
    add(isa::TBinaryScalar{isa::BinaryOp::add, a, one, a});
    add(isa::TStore{a, row(rank, kSend, kElements)});
    add(isa::TPut{row(right, kInbox, kElements), row(rank, kSend, kElements), stage, {}, false});
    add(isa::TNotify{{right, kCell}, 1});
    add(isa::TWait{{rank, kCell}, 0});
    add(isa::TLoad{row(rank, kInbox, kElements), b});
    add(isa::TBinary{isa::BinaryOp::add, a, b, b});
    add(isa::TStore{b, row(rank, kResult, kElements)});
  }

  isa::Fetch next() override {
    if (position_ == loop_.size()) {
      position_ = 0;
      ++iteration_;
    }
    if (iteration_ == iterations_) return {isa::FetchStatus::done, nullptr};
    isa::Instruction& instruction = loop_[position_++];
    if (auto* wait = std::get_if<isa::TWait>(&instruction.operation))
      wait->expected = iteration_ + 1;
    return {isa::FetchStatus::instruction, &instruction};
  }

 private:
  void add(const isa::Operation& operation) {
    // Four scalar operations an instruction: address arithmetic and the loop.
    loop_.push_back({operation, static_cast<isa::SourceId>(loop_.size()), 4});
  }

  std::vector<isa::Instruction> loop_;
  std::size_t position_ = 0;
  int iteration_ = 0;
  int iterations_;
};

/// One core on each of `ranks` devices, the observers of every run attached.
struct Exchange {
  std::vector<std::unique_ptr<NeighbourExchange>> sources;
  CostObservers cost;
  sim::SignalLog signals;
  std::unique_ptr<sim::Machine> machine;

  Exchange(const models::MachineDescription& description, std::uint32_t ranks, int iterations)
      : cost(ranks) {
    std::vector<sim::CoreProgram> programs;
    for (std::uint32_t r = 0; r < ranks; ++r) {
      sources.push_back(std::make_unique<NeighbourExchange>(r, ranks, iterations));
      programs.push_back({r, 0, sources.back().get(), 1000 * r});
    }
    machine = std::make_unique<sim::Machine>(description,
                                             std::vector<std::uint64_t>(ranks, kGmBytes), programs);
    cost.attach_to(*machine);
    machine->attach(signals);
  }
};

/// Threads that wait again and again, each at times of its own.
class Waiters : public sc_core::sc_module {
 public:
  Waiters(const sc_core::sc_module_name& name, int threads, int waits)
      : sc_module(name), waits_(waits) {
    sc_core::sc_spawn_options options;
    for (int t = 0; t < threads; ++t)
      sc_core::sc_spawn([this, t] { wait_repeatedly(t); }, nullptr, &options);
  }

 private:
  void wait_repeatedly(int thread) const {
    for (int i = 0; i < waits_; ++i)
      sc_core::wait(sc_core::sc_time::from_value(1'000'000 + 997 * static_cast<unsigned>(thread)));
  }

  int waits_;
};

double seconds_per_thread_wait(int threads) {
  constexpr int kWaits = 2000;
  sim::SystemcContext context;
  const sim::SystemcContext::Entered entered(context);
  const Waiters waiters("waiters", threads, kWaits);
  const double begin = processor_seconds();
  sc_core::sc_start();
  return (processor_seconds() - begin) / (static_cast<double>(threads) * kWaits);
}

void instruction_cost(benchmark::State& state) {
  const auto ranks = static_cast<int>(state.range(0));
  constexpr int kIterations = 200;
  const models::MachineDescription description = default_machine();
  const double wait = seconds_per_thread_wait(ranks);
  double seconds = 0;
  double instructions = 0;
  double fetched = 0;
  for ([[maybe_unused]] auto iteration : state) {
    state.PauseTiming();
    auto exchange =
        std::make_unique<Exchange>(description, static_cast<std::uint32_t>(ranks), kIterations);
    state.ResumeTiming();
    const double begin = processor_seconds();
    const sim::RunReport report = exchange->machine->run();
    seconds += (processor_seconds() - begin);
    state.PauseTiming();
    if (report.outcome != sim::Outcome::finished) state.SkipWithError("the run did not finish");
    instructions += static_cast<double>(report.instructions);
    fetched += 9.0 * kIterations * ranks;
    exchange.reset();
    state.ResumeTiming();
  }
  state.counters["ns_per_instruction"] = seconds / instructions * 1e9;
  state.counters["ns_per_thread_wait"] = wait * 1e9;
  state.counters["waits_per_instruction"] = seconds / instructions / wait;
  state.counters["waits_per_kernel_instruction"] = seconds / fetched / wait;
}
BENCHMARK(instruction_cost)->Arg(256)->Unit(benchmark::kMillisecond);

/// Resident and anonymous memory of this process.
double resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  double total = 0;
  double resident = 0;
  statm >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

void idle_core_memory(benchmark::State& state) {
  constexpr std::uint32_t kCores = 48;
  const auto devices = static_cast<std::uint32_t>(state.range(0));
  const models::MachineDescription description = default_machine();
  double bytes = 0;
  for ([[maybe_unused]] auto iteration : state) {
    std::vector<std::unique_ptr<NeighbourExchange>> sources;
    std::vector<sim::CoreProgram> programs;
    for (std::uint32_t d = 0; d < devices; ++d)
      for (std::uint32_t c = 0; c < kCores; ++c) {
        sources.push_back(std::make_unique<NeighbourExchange>(d, devices, 0));
        programs.push_back({d, c, sources.back().get(), 0});
      }
    const double before = resident_bytes();
    sim::Machine machine(description, std::vector<std::uint64_t>(devices, kGmBytes), programs);
    benchmark::DoNotOptimize(machine.run());
    bytes = (resident_bytes() - before) / (kCores * devices);
  }
  state.counters["bytes_per_idle_core"] = bytes;
}
BENCHMARK(idle_core_memory)->Arg(64)->Iterations(1)->Unit(benchmark::kMillisecond);

/// From a machine description to the end of a run that does next to nothing.
void start_up(benchmark::State& state) {
  const auto ranks = static_cast<std::uint32_t>(state.range(0));
  const models::MachineDescription description = default_machine();
  for ([[maybe_unused]] auto iteration : state) {
    Exchange exchange(description, ranks, 1);
    benchmark::DoNotOptimize(exchange.machine->run());
  }
}
BENCHMARK(start_up)->Arg(4)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace a2a3::bench::engine_bench
