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

}  // namespace a2a3::ir
