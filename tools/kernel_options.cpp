// SPDX-License-Identifier: Apache-2.0
#include "tools/kernel_options.hpp"

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "ir/passes/pipeline.hpp"
#include "tools/load_kernel.hpp"

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
