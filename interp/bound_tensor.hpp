// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "interp/launch_plan.hpp"
#include "isa/operand.hpp"

namespace a2a3::interp {

/// One number per dimension of a tensor; only the first `rank` count.
using Extents = std::array<std::int64_t, isa::kBoxDims>;

/// Where a window begins on each rank of its domain.
struct WindowPlaces {
  std::vector<isa::GlobalAddress> base;  ///< by rank
  /// The rank of a device; -1 when it is not in the domain.
  [[nodiscard]] std::int32_t rank_of(std::uint32_t device) const;
};

/// For each window of a plan.
[[nodiscard]] std::vector<WindowPlaces> window_places(const LaunchPlan& plan);

/// A tensor argument ready for address arithmetic: on one device, neighbours in the last dimension
/// side by side.
struct BoundTensor {
  isa::DType dtype = isa::DType::fp32;
  std::uint8_t rank = 0;
  Extents shape{};
  Extents stride{};  ///< in elements
  isa::GlobalAddress base;
  const WindowPlaces* places = nullptr;  ///< null for a plain tensor
  std::uint64_t window_offset_bytes = 0;
  std::int32_t own_rank = -1;  ///< in the window's domain
  const TensorArgument* argument = nullptr;

  [[nodiscard]] std::int32_t ranks() const {
    return places ? static_cast<std::int32_t>(places->base.size()) : 0;
  }
  /// The same tensor's first byte on a rank of the domain.
  [[nodiscard]] isa::GlobalAddress base_on(std::int64_t peer) const {
    isa::GlobalAddress address = places->base[static_cast<std::size_t>(peer)];
    address.offset_bytes += window_offset_bytes;
    return address;
  }
};

[[nodiscard]] BoundTensor bind_tensor(const TensorArgument& argument, std::uint32_t device,
                                      const std::vector<WindowPlaces>& places);

/// The first dimension in which [offset, offset + extent) leaves the tensor; -1 when none does.
[[nodiscard]] inline int dimension_outside(const BoundTensor& tensor, const Extents& offsets,
                                           const Extents& extents) {
  for (std::size_t d = 0; d < tensor.rank; ++d) {
    if (offsets[d] < 0 || extents[d] < 0 || offsets[d] > tensor.shape[d] ||
        extents[d] > tensor.shape[d] - offsets[d]) {
      return static_cast<int>(d);
    }
  }
  return -1;
}

/// "rows 4..5 of "data" on rank 2, which has 4 rows": what lies outside in dimension `d`.
[[nodiscard]] std::string describe_outside(const BoundTensor& tensor, int d, std::int64_t offset,
                                           std::int64_t extent, std::int64_t peer);

/// The box of `extents` elements at `offsets` of a tensor that begins at `base`.
[[nodiscard]] inline isa::GmBox make_box(const BoundTensor& tensor, isa::GlobalAddress base,
                                         const Extents& offsets, const Extents& extents) {
  isa::GmBox box;
  std::int64_t first = 0;
  const std::size_t lead = isa::kBoxDims - tensor.rank;
  for (std::size_t d = 0; d < tensor.rank; ++d) {
    first += offsets[d] * tensor.stride[d];
    box.shape[lead + d] = extents[d];
    box.stride[lead + d] = tensor.stride[d];
  }
  base.offset_bytes += static_cast<std::uint64_t>(first * isa::size_of(tensor.dtype));
  box.base = base;
  box.dtype = tensor.dtype;
  return box;
}

/// True when two boxes on one device have a byte in common. Exact.
[[nodiscard]] bool overlap(const isa::GmBox& a, const isa::GmBox& b);

}  // namespace a2a3::interp
