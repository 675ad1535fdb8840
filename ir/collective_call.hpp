// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ir/node.hpp"
#include "ir/op.hpp"

/// What a checked call of a collective says.
namespace a2a3::ir {

/// An allreduce with mode="ring".
[[nodiscard]] bool is_ring(const Call& call);
/// The core_num of an allreduce; 1 for every other collective.
[[nodiscard]] std::int64_t lane_count(const Call& call);

/// The largest piece that the mesh schedule of a kernel moves at once.
inline constexpr std::int64_t kMeshChunkBytes = 16 * 1024;

/// The tile that takes the valid part of a two-dimensional slice: rows padded to whole blocks.
struct ValidRectangle {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  isa::DType dtype = isa::DType::fp32;
  [[nodiscard]] std::int64_t bytes() const;
};
/// An extent that only the run knows is at most the slice's; nothing when that one is not known
/// either.
[[nodiscard]] std::optional<ValidRectangle> valid_rectangle(const Type& slice);

}  // namespace a2a3::ir
