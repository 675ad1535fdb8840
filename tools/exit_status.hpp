// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace a2a3::tools {

/// What the program returns to the shell.
enum class ExitStatus : int {
  ok = 0,
  wrong_input = 1,     ///< kernel, machine file, run file or options; also faults of the kernel
  wrong_result = 2,    ///< a golden does not match, or traffic is not that of its closed form
  deadlock = 3,        ///< cores wait for signals that never come
  finding = 4,         ///< race or protocol finding
  internal_fault = 5,  ///< a fault of this program
};

/// The worst of two: the one further down the list.
[[nodiscard]] constexpr ExitStatus worse(ExitStatus a, ExitStatus b) {
  return a < b ? b : a;
}

}  // namespace a2a3::tools
