// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "ir/source.hpp"
#include "isa/instruction.hpp"

namespace a2a3::interp {

/// Where the operands of a run have been warned of: once is enough.
class Warned {
 public:
  /// False when the place was entered before.
  bool enter(isa::SourceId source) {
    if (source >= sources_.size()) sources_.resize(source + 1, false);
    if (sources_[source]) return false;
    sources_[source] = true;
    return true;
  }
  /// False when the line was entered before, whichever place on it.
  bool enter_line(const ir::SourceLocation& where) {
    return lines_.emplace(where.file, where.line).second;
  }

 private:
  std::vector<bool> sources_;
  std::set<std::pair<const ir::SourceFile*, std::uint32_t>> lines_;
};

}  // namespace a2a3::interp
