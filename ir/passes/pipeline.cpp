// SPDX-License-Identifier: Apache-2.0
#include "ir/passes/pipeline.hpp"

#include <algorithm>
#include <array>

#include "ir/check.hpp"
#include "ir/passes/lower_collectives.hpp"
#include "ir/passes/lower_host_collectives.hpp"
#include "ir/passes/lower_transfers.hpp"

namespace a2a3::ir {
namespace {

constexpr std::array kPasses{
    LoweringPass{"lower_host_collectives",
                 "Collectives in host functions become dispatches of kernels of their own.",
                 lower_host_collectives},
    LoweringPass{"lower_collectives",
                 "Collectives in kernels become notify, wait, put, get, remote_load and local "
                 "arithmetic.",
                 lower_collectives},
    LoweringPass{"lower_transfers",
                 "pld.tensor.put and get become staging tiles with pld.tile.put and get.",
                 lower_transfers},
};

}  // namespace

std::span<const LoweringPass> passes() {
  return kPasses;
}

Diagnostics run_passes(Module& module, const LoweringOptions& options, std::string_view last) {
  Diagnostics diagnostics;
  for (const LoweringPass& pass : kPasses) {
    pass.run(module, options);
    diagnostics = check(module);
    if (diagnostics.has_errors() || pass.name == last) break;
  }
  return diagnostics;
}

}  // namespace a2a3::ir
