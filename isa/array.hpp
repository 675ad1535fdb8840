// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/dtype.hpp"

namespace a2a3::isa {

/// A dense row-major array on the host: an input, an output, a golden.
struct Array {
  DType dtype = DType::fp32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;

  Array() = default;
  /// Zero-filled.
  Array(DType element, std::vector<std::int64_t> dims);

  [[nodiscard]] std::int64_t elements() const;
  /// Element at a flat row-major index, widened to double (exact for every dtype but int64/uint64
  /// beyond 2^53).
  [[nodiscard]] double at(std::int64_t index) const;
  /// Stores a value: to a float dtype rounded once, to nearest even; to an integer rounded to
  /// nearest, ties away from zero, and wrapped around (NaN and infinities give 0); to boolean as
  /// not equal to zero.
  void set(std::int64_t index, double value);
};

}  // namespace a2a3::isa
