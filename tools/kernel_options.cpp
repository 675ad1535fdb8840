// SPDX-License-Identifier: Apache-2.0
#include "tools/kernel_options.hpp"

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "ir/parser.hpp"
#include "ir/passes/pipeline.hpp"
#include "tools/load_kernel.hpp"
#include "tools/number_option.hpp"
#include "tools/run_options.hpp"

namespace a2a3::tools {

void add_kernel_options(CLI::App& command, RunOptions& options) {
  command.add_option("FILE", options.file, "Kernel file in PyPTO's Python syntax")->required();
  command.add_option("-p,--platform", options.platform, "Machine: a shipped name or a YAML file")
      ->capture_default_str();
  command
      .add_option("-d,--device", options.devices,
                  "Device ids, rank by rank: 0,1,2 or 0-15 or a mixture")
      ->capture_default_str();
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

void add_pass_option(CLI::App& command, RunOptions& options) {
  std::vector<std::string> names{kNoPass};
  for (const ir::LoweringPass& pass : ir::passes())
    names.emplace_back(pass.name);
  command.add_option("--pass", options.last_pass, "Stop behind this pass")
      ->check(CLI::IsMember(names));
}

}  // namespace a2a3::tools
