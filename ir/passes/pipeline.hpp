// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ir/diagnostic.hpp"
#include "ir/module.hpp"

namespace a2a3::ir {

struct LoweringOptions {
  /// What tiles can use of a core's unified buffer (192 KiB less 8 KiB on a2): where a row does not
  /// fit beside the kernel's own tiles, collectives move it in chunks.
  std::int64_t ub_bytes = std::int64_t{184} * 1024;
};

/// A step from a checked module to one in simpler operations. Afterwards the module is checked
/// again.
struct LoweringPass {
  std::string_view name;
  std::string_view summary;
  void (*run)(Module& module, const LoweringOptions& options);
};

/// All passes, in the order in which they run.
[[nodiscard]] std::span<const LoweringPass> passes();

/// Runs the passes on a module without errors, up to and including `last` (all of them when it is
/// empty). What they leave is a module that ir::check accepted, whose statements are located at
/// those of the user that they stand for. Diagnostics are faults of ours: a lowered program that
/// does not check.
[[nodiscard]] Diagnostics run_passes(Module& module, const LoweringOptions& options = {},
                                     std::string_view last = {});

}  // namespace a2a3::ir
