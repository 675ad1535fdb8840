// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ir/check/op_call.hpp"

/// Rules of collectives that are called in a host function, where they differ from those of kernels
/// (kernel_language 4.7).
namespace a2a3::ir {

/// The signal window: INT32, not the target (operand `target`, or -1), with the rank and columns of
/// the collective's HOST form. How many rows it needs is known when the comm domains are.
void check_host_signal(OpCall& call, std::size_t operand, int target, const std::string& name);

/// What holds for every collective in a host function, after its rule: whether it may stand in a
/// loop, dtypes, windows that are variables. Notes the call for the comm domains.
void check_host_form(OpCall& call);

}  // namespace a2a3::ir
