// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>

#include <CLI/CLI.hpp>

#include "tools/check/check.hpp"
#include "tools/command.hpp"
#include "tools/kernel_options.hpp"
#include "tools/number_option.hpp"

namespace a2a3::tools {
namespace {

constexpr const char* kCheckHelp =
    "For every rank count and every value of --sizes the kernel runs untimed in many orders of "
    "its\n"
    "cores, with the check for races, then timed: at once on all ranks, and with late ranks. What\n"
    "fails in the same way at the same lines is one failure; it is made smaller (ranks, then "
    "--sizes,\n"
    "then seed or skew) and printed with the command that runs exactly that again.\n\n"
    "Exit status: the highest of all runs.\n\n"
    "Examples:\n"
    "  a2a3sim check examples/13_allgather.py --ranks 1..9 --seeds 20\n"
    "  a2a3sim check examples/13_allgather.py --mode builtin --sizes SIZE=1,17,64,1000 -j 2\n"
    "  a2a3sim check kernel.py --ranks 2,3,8 --sizes SIZE=1..1024 --sizes DTYPE=FP32,FP16\n"
    "  a2a3sim check kernel.py --json check.json --junit check.xml\n"
    "  a2a3sim check kernel.py --replay 0x5eed --ranks 3 --set SIZE=17";

}  // namespace

void add_check_command(CLI::App& program, Action& action) {
  const auto options = std::make_shared<CheckOptions>();
  CLI::App* check = program.add_subcommand(
      "check", "Run a kernel over rank counts, sizes, orders of its cores and skews");
  check->footer(kCheckHelp);
  add_kernel_options(*check, options->base, false);
  add_mode_option(*check, options->base);
  add_memory_option(*check, options->base);
  check->add_option("--ranks", options->ranks, "Rank counts: 2,4,8 or 1..9 (default 1..5)");
  CLI::Option* const seeds =
      check
          ->add_option("--seeds", options->seeds,
                       "How many orders of the cores, or their seeds: 20, or 5..9")
          ->capture_default_str();
  // allow_extra_args(false) as in add_kernel_options().
  check
      ->add_option("--sizes", options->sizes,
                   "NAME=LIST, values that a setting takes in turn: SIZE=1,17,1000, SIZE=1..8, "
                   "DTYPE=FP32,FP16; of several, every combination")
      ->allow_extra_args(false);
  check
      ->add_option("--skews", options->skews,
                   "Timed runs with late ranks, beside the one without, for each count and size")
      ->transform(whole_number<std::uint32_t>())
      ->capture_default_str();
  check->add_option("--max-skew", options->max_skew, "Latest start of a rank in them")
      ->capture_default_str();
  check->add_option("--replay", options->replay,
                    "Only the run with this seed, or 'timed'; takes --ranks, --set and --skew");
  check->add_option("--skew", options->base.skews, "With --replay timed: rank=R:TIME, as in run")
      ->allow_extra_args(false);
  add_data_options(*check, options->base);
  check->add_flag("--no-race-check", options->base.no_race_check,
                  "Do not look for accesses of memory that no synchronisation orders");
  check->add_option("--json", options->json, "Write the verdicts and failures as JSON");
  check->add_option("--junit", options->junit,
                    "Write them as JUnit's XML, a test case for each count and size");
  check->add_option("-j,--jobs", options->pool.jobs, "Runs at the same time (default all cores)")
      ->transform(job_number());
  check->add_flag("--progress", options->pool.progress,
                  "Say how far it has come also when stderr is no terminal");
  check->add_flag("--quiet", options->quiet, "Print nothing but failures and OK");
  check->add_option("--max-points", options->max_points, "Most runs")
      ->transform(whole_number<std::uint64_t>())
      ->capture_default_str()
      ->group(kLimitsGroup);
  add_run_limits(*check, options->base);
  check->callback([options, seeds, &action] {
    options->has_seeds = seeds->count() > 0;
    action = [options] {
      return options->replay.empty() ? check_kernel(*options) : replay_case(*options);
    };
  });
}

}  // namespace a2a3::tools
