// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "tools/command.hpp"
#include "tools/kernel_options.hpp"
#include "tools/number_option.hpp"
#include "tools/run.hpp"
#include "tools/run_options.hpp"

namespace a2a3::tools {
namespace {

constexpr const char* kRunExamples =
    "A run file beside the kernel (NAME.yaml beside NAME.py) gives modes, inputs and goldens;\n"
    "options go over it. Without one, --entry, --set, --input and --golden say the same.\n\n"
    "Examples:\n"
    "  a2a3sim run examples/13_allgather.py -d 0,1,2,3\n"
    "  a2a3sim run examples/06_put_get.py --mode get -d 0-2 --set SIZE=17 --json result.json\n"
    "  a2a3sim run kernel.py --entry build --set n_ranks=4 -d 0-3 --input 'x: normal(seed=1)' \\\n"
    "      --golden 'y: concat(x)' --dump y=y.npy\n"
    "  a2a3sim run examples/13_allgather.py -d 0-3 --dump window=data --dump signal=credits.npy\n"
    "  a2a3sim run examples/13_allgather.py -d 0-3 --skew rank=1:50us\n"
    "  a2a3sim run examples/10_allreduce_ring.py -d 0-7 -p a2 --explain\n"
    "  a2a3sim run examples/13_allgather.py -d 0-2 --signals\n"
    "  a2a3sim run examples/host_all_to_all_v.py -d 0-2 --hints\n"
    "  a2a3sim run examples/13_allgather.py -d 0-3 --engine untimed --seed 7\n"
    "  a2a3sim run examples/13_allgather.py -d 0-3 --mode builtin --launches 3 --persistent";

/// The report of every launch is kept until the end.
constexpr std::uint32_t kMostLaunches = 100'000;

void add_engine_options(CLI::App& run, RunOptions& options) {
  run.add_option(
         "--skew", options.skews,
         "rank=R:TIME, start a rank later, as in rank=1:50us; or all by a seeded distribution, "
         "'uniform(seed=1, max=10us)' or 'normal(seed=1, mean=5us, deviation=2us)'")
      ->allow_extra_args(false);
  run.add_option("--engine", options.engine, "timed, or untimed: result only, no times")
      ->check(CLI::IsMember({"timed", "untimed"}))
      ->capture_default_str();
  run.add_option("--data", options.data,
                 "full; none: same times and traffic, but no payload moves and no result is "
                 "checked, for large runs; auto: none unless the kernel reads data")
      ->check(CLI::IsMember({kFullData, kNoData, kAutoData}))
      ->capture_default_str();
  run.add_option(
         "--seed", options.seed,
         "Untimed engine: draw the order of the cores with this seed; relaxed memory, either "
         "engine: draw what it reorders (default: the machine's seed)")
      ->transform(whole_number<std::uint64_t>());
  run.add_flag("--no-race-check", options.no_race_check,
               "Do not look for accesses of memory that no synchronisation orders");
}

void add_launch_options(CLI::App& run, RunOptions& options) {
  run.add_option(
         "--launches", options.launches,
         "Launch the program so many times; each launch gets its inputs one element further "
         "round, and its goldens are checked")
      ->transform(whole_number<std::uint32_t>(kMostLaunches))
      ->capture_default_str();
  run.add_flag("--persistent", options.persistent,
               "Windows keep their contents, credits included, from launch to launch; otherwise "
               "each launch begins with zeros");
}

void add_output_options(CLI::App& run, RunOptions& options) {
  run.add_option("--dump", options.dumps,
                 "NAME=FILE.npy, write a tensor of the host function or a window after the run, "
                 "whatever its verdict; a window is that of all ranks, [ranks, its shape]; "
                 "window=NAME is short for NAME=NAME.npy")
      ->allow_extra_args(false);
  run.add_option("--json", options.json, "Write the cost card and the verdict as JSON");
  run.add_flag("--explain", options.explain,
               "Say where the time went: the critical path, and what bound the run");
  run.add_flag("--hints", options.hints,
               "Say what the run did for nothing: bytes delivered twice or never read, waits that "
               "order nothing, notifies that no wait needs; the verdict stays as it is");
  run.add_flag("--signals", options.signals,
               "Say which notifies satisfied each wait, by line and number, and which waits passed "
               "on credit of an earlier round");
  run.add_flag("--print-plan", options.print_plan, "Print what the host function decided");
  run.add_flag("--quiet", options.quiet,
               "No cost card: print what is wrong, what other options ask for, and OK");
}

}  // namespace

void add_run_command(CLI::App& program, Action& action) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* run = program.add_subcommand(
      "run", "Run a kernel file on simulated devices, print its cost card, check its result");
  run->footer(kRunExamples);
  add_kernel_options(*run, *options);
  add_mode_option(*run, *options);
  add_memory_option(*run, *options);
  add_data_options(*run, *options);
  add_engine_options(*run, *options);
  add_launch_options(*run, *options);
  add_output_options(*run, *options);
  add_run_limits(*run, *options);
  add_report_limits(*run, *options);
  run->callback([options, &action] { action = [options] { return run_kernel(*options); }; });
}

}  // namespace a2a3::tools
