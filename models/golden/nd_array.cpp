// SPDX-License-Identifier: Apache-2.0
#include "models/golden/nd_array.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace a2a3::models {
namespace {

/// Elements between neighbours of each dimension of a row-major array.
Shape strides(const Shape& shape) {
  Shape result(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;)
    result[i - 1] = result[i] * shape[i];
  return result;
}

/// Copies the elements begin + sum(index * stride) for all indices of `shape`, in row-major order.
std::vector<double> gather(const std::vector<double>& from, std::int64_t begin, const Shape& shape,
                           const Shape& stride) {
  std::vector<double> result;
  const std::int64_t count = element_count(shape);
  result.reserve(static_cast<std::size_t>(count));
  if (count == 0) return result;
  Shape index(shape.size(), 0);
  std::int64_t at = begin;
  for (;;) {
    result.push_back(from[static_cast<std::size_t>(at)]);
    std::size_t dim = shape.size();
    for (;; --dim) {
      if (dim == 0) return result;
      at += stride[dim - 1];
      if (++index[dim - 1] < shape[dim - 1]) break;
      at -= stride[dim - 1] * shape[dim - 1];
      index[dim - 1] = 0;
    }
  }
}

}  // namespace

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  bool too_many = false;
  for (const std::int64_t dim : shape) {
    if (dim <= 0) return 0;
    too_many = too_many || __builtin_mul_overflow(count, dim, &count);
  }
  return too_many ? std::numeric_limits<std::int64_t>::max() : count;
}

std::string shape_text(const Shape& shape) {
  return shape.empty() ? "a scalar" : fmt::format("[{}]", fmt::join(shape, ", "));
}

std::optional<Shape> broadcast_shape(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {  // counted from the last dimension
    const std::int64_t from_a = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t from_b = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (from_a != from_b && from_a != 1 && from_b != 1) return std::nullopt;
    result[result.size() - 1 - i] = from_a == 1 ? from_b : from_a;
  }
  return result;
}

NdArray broadcast_to(const NdArray& array, const Shape& shape) {
  if (array.shape == shape) return array;
  if (array.elements() == 1) {
    return {shape,
            std::vector<double>(static_cast<std::size_t>(element_count(shape)), array.data[0])};
  }
  const Shape own = strides(array.shape);
  Shape stride(shape.size(), 0);
  const std::size_t missing = shape.size() - array.shape.size();
  for (std::size_t i = 0; i < array.shape.size(); ++i) {
    stride[missing + i] = array.shape[i] == 1 ? 0 : own[i];
  }
  return {shape, gather(array.data, 0, shape, stride)};
}

NdArray pick(const NdArray& array, const std::vector<Pick>& picks) {
  const Shape own = strides(array.shape);
  Shape shape;
  Shape stride;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < array.shape.size(); ++i) {
    const bool all = i >= picks.size();
    if (!all) begin += picks[i].begin * own[i];
    if (all || picks[i].slice) {
      shape.push_back(all ? array.shape[i]
                          : std::max<std::int64_t>(0, picks[i].end - picks[i].begin));
      stride.push_back(own[i]);
    }
  }
  return {shape, gather(array.data, begin, shape, stride)};
}

NdArray concatenate(const std::vector<NdArray>& parts, std::size_t axis) {
  const auto at = static_cast<std::ptrdiff_t>(axis);
  NdArray result;
  result.shape = parts.front().shape;
  const std::int64_t outer = element_count(Shape(result.shape.begin(), result.shape.begin() + at));
  result.shape[axis] = 0;
  std::vector<std::int64_t> runs;
  for (const NdArray& part : parts) {
    result.shape[axis] += part.shape[axis];
    runs.push_back(element_count(Shape(part.shape.begin() + at, part.shape.end())));
  }
  result.data.reserve(static_cast<std::size_t>(element_count(result.shape)));
  for (std::int64_t i = 0; i < outer; ++i) {
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const auto begin = parts[p].data.begin() + i * runs[p];
      result.data.insert(result.data.end(), begin, begin + runs[p]);
    }
  }
  return result;
}

NdArray matmul(const NdArray& a, const NdArray& b) {
  const auto rows = static_cast<std::size_t>(a.shape[0]);
  const auto inner = static_cast<std::size_t>(a.shape[1]);
  const auto cols = static_cast<std::size_t>(b.shape[1]);
  NdArray result({a.shape[0], b.shape[1]}, std::vector<double>(rows * cols, 0.0));
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < inner; ++k) {
      for (std::size_t j = 0; j < cols; ++j)
        result.data[i * cols + j] += a.data[i * inner + k] * b.data[k * cols + j];
    }
  }
  return result;
}

NdArray transpose(const NdArray& matrix) {
  const Shape shape = {matrix.shape[1], matrix.shape[0]};
  return {shape, gather(matrix.data, 0, shape, {1, matrix.shape[1]})};
}

NdArray widen(const isa::Array& array, std::int64_t begin, Shape shape) {
  const std::int64_t count = element_count(shape);
  NdArray result;
  result.shape = std::move(shape);
  result.data.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i)
    result.data.push_back(array.at(begin + i));
  return result;
}

NdArray round_to(const NdArray& array, isa::DType dtype) {
  NdArray result = array;
  Rounding rounding(dtype);
  for (double& value : result.data)
    value = rounding(value);
  return result;
}

}  // namespace a2a3::models
