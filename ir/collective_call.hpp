// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "ir/node.hpp"
#include "ir/op.hpp"

/// What a checked call of a collective says.
namespace a2a3::ir {

/// An allreduce with mode="ring".
[[nodiscard]] bool is_ring(const Call& call);
/// The core_num of an allreduce; 1 for every other collective.
[[nodiscard]] std::int64_t lane_count(const Call& call);
/// The index of the operand of that name; the number of operands when there is none.
[[nodiscard]] std::size_t operand_index(const OpInfo& op, std::string_view name);

}  // namespace a2a3::ir
