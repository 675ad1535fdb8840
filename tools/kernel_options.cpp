// SPDX-License-Identifier: Apache-2.0
#include "tools/kernel_options.hpp"

#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "ir/parser.hpp"
#include "ir/passes/pipeline.hpp"
#include "tools/load_kernel.hpp"
#include "tools/number_option.hpp"
#include "tools/run_options.hpp"

namespace a2a3::tools {
namespace {

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

template <class Number>
void add_limit(CLI::App& command, const char* name, Number& value, const char* help) {
  command.add_option(name, value, help)
      ->transform(whole_number<Number>())
      ->capture_default_str()
      ->group(kLimitsGroup);
}

}  // namespace

void add_kernel_options(CLI::App& command, RunOptions& options, bool with_devices) {
  command.add_option("FILE", options.file, "Kernel file in PyPTO's Python syntax")->required();
  command.add_option("-p,--platform", options.platform, "Machine: a shipped name or a YAML file")
      ->capture_default_str();
  if (with_devices) {
    command
        .add_option("-d,--device", options.devices,
                    "Device ids, rank by rank: 0,1,2 or 0-15 or a mixture")
        ->capture_default_str();
  }
  command.add_option("--entry", options.entry, "Host function, program class or factory");
  // allow_extra_args(false): one value each time an option is given, so that what follows is not
  // taken for a second one.
  command
      .add_option(
          "--set", options.settings,
          "NAME=VALUE of a module constant, factory argument or dynamic dimension; a factory "
          "argument named like a rank count (n_ranks, nranks, P, world_size, ...) and "
          "without a default is the number of devices")
      ->allow_extra_args(false);
  command
      .add_option(
          "--host-allreduce", options.host_allreduce,
          "HOST allreduce with a signal: single-use, refused in loops; or self-clearing, as "
          "in newer compilers")
      ->check(CLI::IsMember({kSingleUse, kSelfClearing}))
      ->capture_default_str();
  add_file_limits(command, options.files);
}

void add_file_limits(CLI::App& command, FileLimits& limits) {
  command
      .add_option("--max-file-bytes", limits.max_file_bytes,
                  "Largest file that is read (default 4 MiB for a kernel, 1 MiB for YAML)")
      ->transform(whole_number<std::uint64_t>())
      ->group(kLimitsGroup);
  command
      .add_option("--max-nesting", limits.max_nesting,
                  "Deepest nesting of brackets and blocks (default 200 in a kernel, 64 in YAML; at "
                  "most 500)")
      ->transform(whole_number<std::uint32_t>())
      ->check(CLI::Range(std::uint32_t{0}, ir::kDeepestNesting))
      ->group(kLimitsGroup);
}

void add_mode_option(CLI::App& command, RunOptions& options) {
  command.add_option("--mode", options.mode, "Mode of the run file");
}

void add_memory_option(CLI::App& command, RunOptions& options) {
  command
      .add_option("--memory", options.memory,
                  "ordered, or relaxed: writes are in memory later, as far as nothing orders them, "
                  "drawn with --seed (default: as the machine says)")
      ->check(CLI::IsMember({kOrdered, kRelaxed}));
}

void add_data_options(CLI::App& command, RunOptions& options) {
  // allow_extra_args(false) as in add_kernel_options().
  command
      .add_option("--input", options.inputs,
                  "'NAME: SPEC', SPEC one of constant(v), arange(start, step), arange_by_rank(), "
                  "normal(seed), uniform_int(seed, low, high), FILE.npy")
      ->allow_extra_args(false);
  command
      .add_option("--golden", options.goldens,
                  "'NAME: EXPR', what each rank's part of an output must be, or 'NAME: FILE.npy' "
                  "with all ranks' parts (docs/goldens.md)")
      ->allow_extra_args(false);
  command.add_flag("!--no-goldens", options.check_goldens,
                   "Compute no golden: time and traffic only, for large runs");
  CLI::Option* const traffic =
      command
          .add_option("--traffic", options.traffic,
                      "What the kernels move beside their calls of collectives: a schedule, as in "
                      "allreduce.ring, or 'QUANTITY: FORMULA' for received, sent, local, signals, "
                      "clears")
          ->allow_extra_args(false);
  command
      .add_flag("!--no-traffic", options.check_traffic,
                "Hold the traffic against no claim of the run file")
      ->excludes(traffic);
  command
      .add_option_function<std::vector<std::string>>(
          "--compare",
          [&options](const std::vector<std::string>& texts) { take_comparisons(texts, options); },
          "exact; tolerance(rtol=1e-5, atol=1e-6); replay: exact, and sums over the ranks are "
          "added in the order of the schedule that the program claims or calls, or of the one "
          "named, as in replay(allreduce.ring); 'NAME: COMPARISON' for one output")
      ->allow_extra_args(false);
}

void add_run_limits(CLI::App& command, RunOptions& options) {
  const auto limit = [&](const char* name, auto& value, const char* help) {
    add_limit(command, name, value, help);
  };
  limit("--max-devices", options.max_devices, "Most devices");
  limit("--max-tensor-bytes", options.run_limits.max_tensor_bytes,
        "Most bytes of the host function's tensors, and of one .npy file");
  limit("--max-race-records", options.run_limits.max_race_records,
        "Most records that each check of a run keeps, about 100 bytes each");
  limit("--max-golden-elements", options.golden_limits.max_elements,
        "Largest array while a golden is computed");
  limit("--max-golden-operations", options.golden_limits.max_operations,
        "Most elements computed, and products of matrix elements added, for one golden");
  command
      .add_option(
          "--max-instructions", options.run_limits.max_instructions,
          fmt::format("Most instructions, all cores together (by default {} for each device)",
                      kInstructionsPerDevice))
      ->transform(whole_number<std::uint64_t>())
      ->group(kLimitsGroup);
  limit("--max-steps", options.run_limits.max_steps, "Most scalar steps of one core");
  limit("--max-host-steps", options.run_limits.max_host_steps, "Most steps of the host function");
}

void add_report_limits(CLI::App& command, RunOptions& options) {
  add_limit(command, "--max-signal-records", options.run_limits.max_signal_records,
            "Most waits, and notifies that they counted, of --signals");
  add_limit(command, "--max-explain-records", options.run_limits.max_explain_records,
            "Most records that --explain keeps, 60 bytes each");
}

void add_pass_option(CLI::App& command, RunOptions& options) {
  std::vector<std::string> names{kNoPass};
  for (const ir::LoweringPass& pass : ir::passes())
    names.emplace_back(pass.name);
  command.add_option("--pass", options.last_pass, "Stop behind this pass")
      ->check(CLI::IsMember(names));
}

}  // namespace a2a3::tools
