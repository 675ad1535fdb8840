// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/module.hpp"
#include "isa/dtype.hpp"

namespace a2a3::interp {

enum class Unified : std::uint8_t {
  equal,      ///< the dimension's value was known and is the actual one
  bound,      ///< the one unknown symbol of the dimension got its value
  different,  ///< no value of the unknown symbol fits, or the known value is another one
  ambiguous,  ///< several values of the unknown symbol fit
  unknown,    ///< more than one unknown, or one without a name: nothing learnt
};

/// Makes a dimension equal to an actual extent: `NR * 64` and 256 bind NR to 4.
Unified unify(const ir::Module& module, const ir::Dim& dim, std::int64_t actual,
              ir::DimBindings& bindings);

inline constexpr std::int64_t kMaxTensorBytes = std::int64_t{1} << 56;

/// Bytes of a dense tensor; nothing when a dimension is negative or the size is beyond
/// kMaxTensorBytes.
[[nodiscard]] std::optional<std::uint64_t> tensor_bytes(const std::vector<std::int64_t>& shape,
                                                        isa::DType dtype);

}  // namespace a2a3::interp
