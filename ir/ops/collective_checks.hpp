// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ir/check/op_call.hpp"

/// What the rules of the collectives share (kernel_language 4.5).
namespace a2a3::ir {

/// The call is a whole statement: an assignment's right side, an expression statement, or what is
/// returned. Lowering puts several statements in its place, and a HOST allreduce without a signal
/// gets one before it.
bool is_whole_statement(OpCall& call, const std::string& name);

/// The target: a window slice.
bool is_target(OpCall& call, std::size_t operand, const std::string& name);

/// The target has two dimensions, [NR, SIZE], NR and SIZE both written by `shape`.
bool is_two_dimensional(OpCall& call, std::size_t operand, const std::string& name,
                        const std::string& shape);

/// The signal window: INT32, not the target (operand `target`, or -1), two-dimensional.
bool is_signal(OpCall& call, std::size_t operand, int target, const std::string& name,
               const std::string& layout);
/// The same, of any rank.
bool is_signal_window(OpCall& call, std::size_t operand, int target, const std::string& name);

/// The layout that all collectives but the ring use: in kernels INT32 [NR, 1], in host functions
/// what 4.7 says. A column that only the launch knows passes; check_signal looks at it in the
/// lowered program.
void check_mesh_signal(OpCall& call, std::size_t operand, int target, const std::string& name);

/// The same where type deduction refuses a column that is not the constant 1, and where the rows
/// must be those of the target.
void check_strict_signal(OpCall& call, std::size_t operand, std::size_t target,
                         const std::string& name);

/// Two operands are the same parameter or the same window buffer.
[[nodiscard]] bool is_same_buffer(const OpCall& call, std::size_t a, std::size_t b);

/// An input and a target of one dtype; reports at the input.
bool same_dtype(OpCall& call, std::size_t input, std::size_t target, const std::string& name);

/// Two dimensions that are known and differ.
[[nodiscard]] bool provably_differ(const Dim& a, const Dim& b);

}  // namespace a2a3::ir
