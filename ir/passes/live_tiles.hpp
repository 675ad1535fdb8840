// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "ir/module.hpp"

namespace a2a3::ir {

/// How much of the unified buffer a kernel's own tiles hold while a statement runs: the variables
/// that were assigned before it and are read behind it. An upper bound: paths are not told apart.
class LiveTiles {
 public:
  /// Looks at every call that is a statement of its own.
  explicit LiveTiles(const Function& function);

  [[nodiscard]] std::int64_t bytes_across(const Expr& call) const;

 private:
  std::map<const Expr*, std::int64_t> bytes_;
};

}  // namespace a2a3::ir
