// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <type_traits>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "ir/parser.hpp"
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
    "  a2a3sim run examples/13_allgather.py -d 0-3 --skew rank=1:50us\n"
    "  a2a3sim run examples/13_allgather.py -d 0-3 --engine untimed --seed 7\n"
    "  a2a3sim run examples/13_allgather.py -d 0-3 --mode builtin --launches 3 --persistent";

/// The report of every launch is kept until the end.
constexpr std::uint32_t kMostLaunches = 100'000;

/// Sorts the texts of --compare: those with a name are for one output.
void take_comparisons(const std::vector<std::string>& texts, RunOptions& options) {
  for (const std::string& text : texts) {
    if (text.find(':') != std::string::npos) {
      options.output_compares.push_back(text);
    } else if (options.compare.empty()) {
      options.compare = text;
    } else {
      throw CLI::ValidationError(
          "--compare", fmt::format("'{}' and '{}' are both for all outputs: give one of them, or "
                                   "name the output, as in 'y: {}'",
                                   options.compare, text, text));
    }
  }
}

void add_program_options(CLI::App& run, RunOptions& options) {
  add_kernel_options(run, options);
  add_mode_option(run, options);
  // allow_extra_args(false) as in add_kernel_options().
  run.add_option("--input", options.inputs,
                 "'NAME: SPEC', SPEC one of constant(v), arange(start, step), arange_by_rank(), "
                 "normal(seed), uniform_int(seed, low, high), FILE.npy")
      ->allow_extra_args(false);
  run.add_option(
         "--golden", options.goldens,
         "'NAME: EXPR', what each rank's part of an output must be, or 'NAME: FILE.npy' with "
         "all ranks' parts (docs/goldens.md)")
      ->allow_extra_args(false);
  run.add_flag("!--no-goldens", options.check_goldens,
               "Compute no golden: time and traffic only, for large runs");
  run.add_option(
         "--traffic", options.traffic,
         "What the kernels move beside their calls of collectives: a schedule, as in "
         "allreduce.ring, or 'QUANTITY: FORMULA' for received, sent, local, signals, clears")
      ->allow_extra_args(false);
  run.add_option_function<std::vector<std::string>>(
         "--compare",
         [&options](const std::vector<std::string>& texts) { take_comparisons(texts, options); },
         "exact; tolerance(rtol=1e-5, atol=1e-6); replay: exact, and sums over the ranks are "
         "added in the order of the schedule that the program claims or calls, or of the one "
         "named, as in replay(allreduce.ring); 'NAME: COMPARISON' for one output")
      ->allow_extra_args(false);
}

void add_engine_options(CLI::App& run, RunOptions& options) {
  run.add_option(
         "--skew", options.skews,
         "rank=R:TIME, start a rank later, as in rank=1:50us; or all by a seeded distribution, "
         "'uniform(seed=1, max=10us)' or 'normal(seed=1, mean=5us, deviation=2us)'")
      ->allow_extra_args(false);
  run.add_option("--engine", options.engine, "timed, or untimed: result only, no times")
      ->check(CLI::IsMember({"timed", "untimed"}))
      ->capture_default_str();
  run.add_option("--seed", options.seed,
                 "Untimed engine: draw the order of the cores with this seed")
      ->transform(whole_number<std::uint64_t>());
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
  run.add_option("--dump", options.dumps, "NAME=FILE.npy, write a tensor after the run")
      ->allow_extra_args(false);
  run.add_option("--json", options.json, "Write the cost card and the verdict as JSON");
  run.add_flag("--print-plan", options.print_plan, "Print what the host function decided");
  run.add_flag("--quiet", options.quiet, "Print nothing but OK");
}

void add_limit_options(CLI::App& run, RunOptions& options) {
  const auto limit = [&](const char* name, auto& value, const char* help) {
    using Number = std::remove_reference_t<decltype(value)>;
    run.add_option(name, value, help)
        ->transform(whole_number<Number>())
        ->capture_default_str()
        ->group(kLimitsGroup);
  };
  limit("--max-devices", options.max_devices, "Most devices");
  limit("--max-tensor-bytes", options.run_limits.max_tensor_bytes,
        "Most bytes of the host function's tensors, and of one .npy file");
  limit("--max-golden-elements", options.golden_limits.max_elements,
        "Largest array while a golden is computed");
  limit("--max-golden-operations", options.golden_limits.max_operations,
        "Most elements computed, and products of matrix elements added, for one golden");
  run.add_option(
         "--max-instructions", options.run_limits.max_instructions,
         fmt::format("Most instructions, all cores together (by default {} for each device)",
                     kInstructionsPerDevice))
      ->transform(whole_number<std::uint64_t>())
      ->group(kLimitsGroup);
  limit("--max-steps", options.run_limits.max_steps, "Most scalar steps of one core");
  limit("--max-host-steps", options.run_limits.max_host_steps, "Most steps of the host function");
}

}  // namespace

void add_run_command(CLI::App& program, Action& action) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* run = program.add_subcommand(
      "run", "Run a kernel file on simulated devices, print its cost card, check its result");
  run->footer(kRunExamples);
  add_program_options(*run, *options);
  add_engine_options(*run, *options);
  add_launch_options(*run, *options);
  add_output_options(*run, *options);
  add_limit_options(*run, *options);
  run->callback([options, &action] { action = [options] { return run_kernel(*options); }; });
}

}  // namespace a2a3::tools
