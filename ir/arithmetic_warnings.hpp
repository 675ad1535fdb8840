// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ir/diagnostic.hpp"
#include "ir/fold.hpp"
#include "ir/module.hpp"
#include "ir/wide_integer.hpp"
#include "isa/dtype.hpp"

namespace a2a3::ir {

/// `lhs // rhs` or `lhs % rhs` in a function for the device, rhs not 0.
struct DeviceDivision {
  bool is_modulo = false;
  std::int64_t lhs = 0;
  std::int64_t rhs = 0;
  isa::DType dtype = isa::DType::index;
  FunctionKind function = FunctionKind::kernel;  ///< or chip

  [[nodiscard]] bool has_negative_operand() const { return lhs < 0 || rhs < 0; }
};

/// Says that an operand is negative, what the device makes of it, and what Python would.
void warn_of_truncation(Diagnostics& diagnostics, const SourceLocation& where,
                        const DeviceDivision& division);

/// The integers that a kernel computes indices, ranks and counts with. The others are data, where
/// wrapping around may be meant.
[[nodiscard]] bool warns_of_wrapping(isa::DType dtype);

/// Says that the exact result of an operation is not what `dtype` holds of it.
void warn_of_wrapping(Diagnostics& diagnostics, const SourceLocation& where, WideInteger exact,
                      isa::DType dtype);

}  // namespace a2a3::ir
