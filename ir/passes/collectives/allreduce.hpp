// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/passes/collectives/collective.hpp"

namespace a2a3::ir {

/// What the two schedules of allreduce share.
struct Reduction {
  std::string combine;                 ///< `pl.add`, ... by the op= operand
  std::optional<std::int64_t> length;  ///< elements of the target, when they are known
  std::int64_t element_bytes = 4;
  std::int64_t block = 8;  ///< elements of 32 bytes

  /// All but the length.
  static Reduction of(const Collective& collective);
  /// FLAT stands for the target as [1, LENGTH], LENGTH for its number of elements.
  static Reduction begin(Collective& collective);
};

}  // namespace a2a3::ir
