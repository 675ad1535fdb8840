// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "isa/operand.hpp"
#include "property/isa_reference.hpp"

namespace a2a3::isa::reference {

/// A box with leading dimensions of 1..max_dim and 1..max_cols columns, the gaps between its lines
/// often zero, its outer dimensions sometimes in another order in memory than in the box.
inline GmBox random_strides(Random& random, GmBox box) {
  std::array<std::size_t, 4> order{3, 2, 1, 0};
  if (random.chance(20))
    std::swap(order[static_cast<std::size_t>(random.in(0, 3))],
              order[static_cast<std::size_t>(random.in(0, 3))]);
  std::int64_t extent = box.shape[4];
  if (random.chance(40)) extent += random.in(0, 7);
  for (const std::size_t d : order) {
    box.stride[d] = extent;
    extent *= box.shape[d];
    if (random.chance(25)) extent += random.in(0, 5);
    if (box.shape[d] == 1 && random.chance(50)) box.stride[d] = random.in(0, 1000);
  }
  box.base.device = static_cast<std::uint32_t>(random.in(0, 2));
  box.base.offset_bytes = static_cast<std::uint64_t>(random.in(0, 20) * size_of(box.dtype));
  return box;
}

inline GmBox random_box(Random& random, DType dtype, std::int64_t max_dim, std::int64_t max_cols) {
  GmBox box;
  box.dtype = dtype;
  for (std::size_t d = 0; d < 4; ++d)
    box.shape[d] = random.chance(50) ? 1 : random.in(1, max_dim);
  box.shape[4] = random.chance(20) ? 1 : random.in(1, max_cols);
  while (box.elements() * size_of(dtype) > 4000)
    box.shape[0] = box.shape[4] = 1;
  return random_strides(random, box);
}

/// visit(row, column, byte offset in the device's memory) for each element of the box.
template <class Visit>
void for_each_element(const GmBox& box, Visit&& visit) {
  std::int64_t row = 0;
  for (std::int64_t a = 0; a < box.shape[0]; ++a)
    for (std::int64_t b = 0; b < box.shape[1]; ++b)
      for (std::int64_t c = 0; c < box.shape[2]; ++c)
        for (std::int64_t d = 0; d < box.shape[3]; ++d, ++row)
          for (std::int64_t e = 0; e < box.shape[4]; ++e) {
            const std::int64_t element = a * box.stride[0] + b * box.stride[1] + c * box.stride[2] +
                                         d * box.stride[3] + e * box.stride[4];
            visit(row, e,
                  box.base.offset_bytes + static_cast<std::size_t>(element * size_of(box.dtype)));
          }
}

}  // namespace a2a3::isa::reference
