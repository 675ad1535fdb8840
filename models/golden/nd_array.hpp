// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/array.hpp"

namespace a2a3::models {

using Shape = std::vector<std::int64_t>;

/// A dense row-major array of doubles: a value of the golden language. A scalar has no dimensions.
struct NdArray {
  Shape shape;
  std::vector<double> data;

  NdArray() = default;
  NdArray(Shape dims, std::vector<double> values)
      : shape(std::move(dims)), data(std::move(values)) {}
  static NdArray scalar(double value) { return {{}, {value}}; }

  [[nodiscard]] std::int64_t elements() const { return static_cast<std::int64_t>(data.size()); }
};

/// Product of the dimensions, saturated at the largest int64; 0 for a negative dimension.
[[nodiscard]] std::int64_t element_count(const Shape& shape);

/// "[2, 64]"; "a scalar" for no dimensions.
[[nodiscard]] std::string shape_text(const Shape& shape);

/// The shape two operands broadcast to by NumPy's rules; nothing when they do not.
[[nodiscard]] std::optional<Shape> broadcast_shape(const Shape& a, const Shape& b);

/// The array repeated along dimensions of size 1 and missing leading ones; `shape` must be
/// reachable by broadcasting.
[[nodiscard]] NdArray broadcast_to(const NdArray& array, const Shape& shape);

/// f of each pair of elements; the shapes must broadcast.
template <typename F>
NdArray zip(const NdArray& a, const NdArray& b, const Shape& shape, F f) {
  if (a.shape != shape) return zip(broadcast_to(a, shape), b, shape, f);
  if (b.shape.empty()) {
    NdArray result = a;
    for (double& value : result.data)
      value = f(value, b.data[0]);
    return result;
  }
  if (b.shape != shape) return zip(a, broadcast_to(b, shape), shape, f);
  NdArray result = a;
  for (std::size_t i = 0; i < result.data.size(); ++i)
    result.data[i] = f(a.data[i], b.data[i]);
  return result;
}

/// One subscript of a dimension: an index, which drops the dimension, or a slice [begin, end).
struct Pick {
  bool slice = false;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// The picked part; one pick per leading dimension, inside its bounds.
[[nodiscard]] NdArray pick(const NdArray& array, const std::vector<Pick>& picks);

/// Arrays joined along an existing axis, in order; their other dimensions are equal.
[[nodiscard]] NdArray concatenate(const std::vector<NdArray>& parts, std::size_t axis);

/// f folded along an axis of extent 1 or more, which stays with extent 1.
template <typename F>
NdArray fold_axis(const NdArray& array, std::size_t axis, F f) {
  NdArray result;
  result.shape = array.shape;
  result.shape[axis] = 1;
  std::int64_t inner = 1;
  for (std::size_t i = axis + 1; i < array.shape.size(); ++i)
    inner *= array.shape[i];
  const std::int64_t extent = array.shape[axis];
  result.data.resize(static_cast<std::size_t>(element_count(result.shape)));
  for (std::int64_t i = 0; i < result.elements(); ++i) {
    const std::int64_t first = i / inner * inner * extent + i % inner;
    double value = array.data[static_cast<std::size_t>(first)];
    for (std::int64_t k = 1; k < extent; ++k)
      value = f(value, array.data[static_cast<std::size_t>(first + k * inner)]);
    result.data[static_cast<std::size_t>(i)] = value;
  }
  return result;
}

/// The product of matrices [m, k] and [k, n], each element added up in the order of k.
[[nodiscard]] NdArray matmul(const NdArray& a, const NdArray& b);

/// A matrix with rows and columns exchanged.
[[nodiscard]] NdArray transpose(const NdArray& matrix);

/// Rounds values to a dtype as isa::Array stores them.
class Rounding {
 public:
  explicit Rounding(isa::DType dtype) : element_(dtype, {1}) {}
  double operator()(double value) {
    if (element_.dtype == isa::DType::fp32) return static_cast<float>(value);
    element_.set(0, value);
    return element_.at(0);
  }

 private:
  isa::Array element_;
};

/// Elements [begin, begin + elements of `shape`) of a host array.
[[nodiscard]] NdArray widen(const isa::Array& array, std::int64_t begin, Shape shape);

/// Every element rounded to the dtype as pl.cast does by default.
[[nodiscard]] NdArray round_to(const NdArray& array, isa::DType dtype);

}  // namespace a2a3::models
