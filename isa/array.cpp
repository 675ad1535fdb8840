// SPDX-License-Identifier: Apache-2.0
#include "isa/array.hpp"

#include <cmath>
#include <utility>

#include "isa/effect/convert.hpp"

namespace a2a3::isa {
namespace {

/// Modulo 2^64 of the nearest integer, ties away from zero; 0 for NaN and infinities.
std::int64_t wrapped(double value) {
  if (!std::isfinite(value)) return 0;
  const double integral = std::fmod(std::round(value), 0x1p64);
  const auto magnitude = static_cast<std::uint64_t>(std::fabs(integral));
  return static_cast<std::int64_t>(integral < 0 ? 0 - magnitude : magnitude);
}

std::int64_t product(const std::vector<std::int64_t>& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t dim : shape)
    elements *= dim;
  return elements;
}

}  // namespace

Array::Array(DType element, std::vector<std::int64_t> dims)
    : dtype(element),
      shape(std::move(dims)),
      bytes(static_cast<std::size_t>(product(shape) * size_of(element))) {}

std::int64_t Array::elements() const {
  return product(shape);
}

double Array::at(std::int64_t index) const {
  const Scalar scalar = load_scalar(dtype, bytes.data() + index * size_of(dtype));
  if (is_float(dtype)) return scalar.f;
  if (dtype == DType::uint64) return static_cast<double>(static_cast<std::uint64_t>(scalar.i));
  return static_cast<double>(scalar.i);
}

void Array::set(std::int64_t index, double value) {
  Scalar scalar{DType::fp32, 0, value};
  if (is_integer(dtype)) scalar = {DType::int64, wrapped(value), 0.0};
  store_scalar(scalar, dtype, bytes.data() + index * size_of(dtype));
}

}  // namespace a2a3::isa
