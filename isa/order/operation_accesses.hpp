// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "isa/order/access.hpp"

namespace a2a3::isa {

using VisitAccess =
    std::function<void(AccessKind kind, GlobalAddress address, std::uint64_t bytes)>;

/// The contiguous pieces of global memory that an operation reads and writes as data, reads first.
/// Left out: the cells of notifies and waits; what a load reads only to fill a block
/// (TLoad::padding_cols); the writes of a put or get that copies a region onto itself, which change
/// nothing.
void for_each_access(const Operation& operation, const VisitAccess& visit);

}  // namespace a2a3::isa
