// SPDX-License-Identifier: Apache-2.0
// What the check for races, signals and memory costs: processor time of a run with it as a multiple
// of the same run without it.
#include <algorithm>
#include <ctime>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

#include <benchmark/benchmark.h>

#include "a2a3/simulate.hpp"
#include "ir/check.hpp"
#include "ir/elaborate.hpp"
#include "ir/parser.hpp"
#include "ir/passes/pipeline.hpp"
#include "models/load_machine.hpp"

namespace a2a3::bench::race_check_bench {
namespace {

/// Processor time of this process: unlike wall time it does not count what others do meanwhile.
double processor_seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// An example with its inputs, ready to run.
struct CheckedExample {
  std::unique_ptr<ir::Module> module;
  models::MachineDescription machine;
  Inputs inputs;
  Options options;
};

CheckedExample load_example(const std::string& file, const std::string& entry, std::uint32_t ranks,
                            const std::map<std::string, std::string>& settings) {
  CheckedExample example;
  auto machine = models::load_machine("a2a3sim", A2A3_SOURCE_DIR);
  if (!machine.machine) throw std::runtime_error(machine.errors);
  example.machine = *machine.machine;
  example.options.ranks = ranks;

  std::ifstream stream(std::string(A2A3_SOURCE_DIR) + "/examples/" + file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  auto parsed = ir::parse_file(std::make_shared<ir::SourceFile>(file, text));
  ir::ElaborateOptions elaborate;
  elaborate.entry = entry;
  elaborate.world_size = ranks;
  elaborate.settings = settings;
  auto elaborated = ir::elaborate(std::move(parsed.file), elaborate);
  ir::Diagnostics all = std::move(parsed.diagnostics);
  all.append(std::move(elaborated.diagnostics));
  example.module = std::move(elaborated.module);
  if (example.module != nullptr) {
    all.append(ir::check(*example.module));
    if (!all.has_errors()) all.append(ir::run_passes(*example.module));
  }
  if (all.has_errors()) throw std::runtime_error(ir::format(all));

  for (const ir::Parameter& parameter : example.module->entry->parameters) {
    if (parameter.type.direction == ir::Direction::out) continue;
    std::vector<std::int64_t> shape;
    for (const ir::Dim& dim : parameter.type.shape)
      shape.push_back(dim.constant().value_or(ranks));
    isa::Array array(parameter.type.dtype, shape);
    for (std::int64_t i = 0; i < array.elements(); ++i)
      array.set(i, static_cast<double>(i % 97));
    example.inputs.emplace(parameter.name, std::move(array));
  }
  return example;
}

double run_seconds(CheckedExample& example, bool checks) {
  example.options.check_races = checks;
  const double begin = processor_seconds_now();
  const Result result = simulate(*example.module, example.machine, example.inputs, example.options);
  const double seconds = processor_seconds_now() - begin;
  const bool complete = !checks || result.race_check.state == RaceCheck::State::complete;
  if (result.outcome != Outcome::finished || !complete || !result.race_check.races.empty())
    throw std::runtime_error("the run is not right");
  return seconds;
}

/// The fastest run of each kind counts: others only had more to put up with.
void race_check(benchmark::State& state, CheckedExample example, Engine engine) {
  example.options.engine = engine;
  double with = std::numeric_limits<double>::infinity();
  double without = with;
  for ([[maybe_unused]] auto iteration : state) {
    without = std::min(without, run_seconds(example, false));
    with = std::min(with, run_seconds(example, true));
  }
  state.counters["ms_without"] = without * 1e3;
  state.counters["ms_with"] = with * 1e3;
  state.counters["ratio"] = with / without;
}

void race_check_16_putting_it_together_64(benchmark::State& state, Engine engine) {
  race_check(state,
             load_example("16_putting_it_together.py", "build_compose", 64, {{"ROOT_RANK", "0"}}),
             engine);
}
BENCHMARK_CAPTURE(race_check_16_putting_it_together_64, untimed, Engine::untimed)
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(race_check_16_putting_it_together_64, timed, Engine::timed)
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);

/// 4 Mi elements of FP32.
void race_check_10_allreduce_ring_16_mib_8(benchmark::State& state, Engine engine) {
  race_check(state, load_example("10_allreduce_ring.py", "build_ring", 8, {{"SIZE", "4194304"}}),
             engine);
}
BENCHMARK_CAPTURE(race_check_10_allreduce_ring_16_mib_8, untimed, Engine::untimed)
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(race_check_10_allreduce_ring_16_mib_8, timed, Engine::timed)
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace a2a3::bench::race_check_bench
