// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "isa/dtype.hpp"

namespace a2a3::models {

/// Why an element of an integer dtype cannot hold `value`, rounded to the nearest whole number:
/// "4294967297: INT32 holds -2147483648 to 2147483647". Empty when it can, and for the other
/// dtypes, which hold every value or round it.
[[nodiscard]] std::string misfit(double value, isa::DType dtype);

}  // namespace a2a3::models
