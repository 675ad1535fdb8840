// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>

#include "interp/program.hpp"
#include "interp/source_table.hpp"
#include "ir/diagnostic.hpp"

namespace a2a3::interp {

/// Turns a checked function into a linear program with jumps, kill points included. Constructs that
/// have no program (pl.spmd, ...) are reported as errors.
[[nodiscard]] Program flatten(const ir::Function& function, SourceTable& sources,
                              ir::Diagnostics& diagnostics);

/// Flattens each function once, at its first use.
class ProgramCache {
 public:
  ProgramCache(SourceTable& sources, ir::Diagnostics& diagnostics)
      : sources_(sources), diagnostics_(diagnostics) {}
  const Program& get(const ir::Function& function);

 private:
  SourceTable& sources_;
  ir::Diagnostics& diagnostics_;
  std::map<const ir::Function*, std::unique_ptr<Program>> programs_;
};

}  // namespace a2a3::interp
