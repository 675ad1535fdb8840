// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace a2a3::ir {

/// Holds every sum, difference, product, quotient and shift of two 64-bit integers.
__extension__ using WideInteger = __int128;

}  // namespace a2a3::ir
