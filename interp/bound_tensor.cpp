// SPDX-License-Identifier: Apache-2.0
#include "interp/bound_tensor.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ir/wide_integer.hpp"

namespace a2a3::interp {
namespace {

/// The rows of a box as byte ranges, in the order of their addresses.
class Rows {
 public:
  explicit Rows(const isa::GmBox& box) : box_(box) { place(); }

  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] std::uint64_t begin() const { return begin_; }
  [[nodiscard]] std::uint64_t end() const {
    return begin_ + static_cast<std::uint64_t>(box_.cols() * isa::size_of(box_.dtype));
  }
  void next() {
    for (std::size_t d = isa::kBoxDims - 1; d-- > 0;) {
      if (++at_[d] < box_.shape[d]) return place();
      at_[d] = 0;
    }
    done_ = true;
  }

 private:
  void place() {
    std::int64_t first = 0;
    for (std::size_t d = 0; d + 1 < isa::kBoxDims; ++d)
      first += at_[d] * box_.stride[d];
    begin_ = box_.base.offset_bytes + static_cast<std::uint64_t>(first * isa::size_of(box_.dtype));
  }

  const isa::GmBox& box_;
  std::array<std::int64_t, isa::kBoxDims> at_{};
  std::uint64_t begin_ = 0;
  bool done_ = false;
};

}  // namespace

std::int32_t WindowPlaces::rank_of(std::uint32_t device) const {
  for (std::size_t rank = 0; rank < base.size(); ++rank) {
    if (base[rank].device == device) return static_cast<std::int32_t>(rank);
  }
  return -1;
}

std::vector<WindowPlaces> window_places(const LaunchPlan& plan) {
  std::vector<WindowPlaces> result;
  result.reserve(plan.windows.size());
  for (const WindowBuffer& window : plan.windows) {
    WindowPlaces places;
    for (const std::uint32_t device : plan.domains[window.domain].devices) {
      places.base.push_back({device, window.offset_bytes.at(device)});
    }
    result.push_back(std::move(places));
  }
  return result;
}

BoundTensor bind_tensor(const TensorArgument& argument, std::uint32_t device,
                        const std::vector<WindowPlaces>& places) {
  BoundTensor tensor;
  tensor.dtype = argument.dtype;
  tensor.rank = static_cast<std::uint8_t>(argument.shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = argument.shape.size(); d-- > 0;) {
    tensor.shape[d] = argument.shape[d];
    tensor.stride[d] = argument.stride.empty() ? stride : argument.stride[d];
    stride *= argument.shape[d];
  }
  tensor.base = argument.base;
  tensor.argument = &argument;
  if (argument.window >= 0) {
    tensor.places = &places[static_cast<std::size_t>(argument.window)];
    tensor.window_offset_bytes = argument.window_offset_bytes;
    tensor.own_rank = tensor.places->rank_of(device);
  }
  return tensor;
}

std::string describe_outside(const BoundTensor& tensor, int d, std::int64_t offset,
                             std::int64_t extent, std::int64_t peer) {
  const std::int64_t size = tensor.shape[static_cast<std::size_t>(d)];
  const char* one = tensor.rank != 2 ? "element" : d == 0 ? "row" : "column";
  const std::string range =
      extent == 1 ? fmt::format("{} {}", one, offset)
                  : fmt::format("{}s {}..{}", one, offset, ir::WideInteger{offset} + extent - 1);
  const std::string where = peer >= 0 ? fmt::format(" on rank {}", peer) : std::string{};
  const std::string dimension =
      tensor.rank == 2 ? std::string{} : fmt::format(" in dimension {}", d);
  return fmt::format("{} of \"{}\"{}, which has {} {}{}{} (offset {}, extent {})", range,
                     tensor.argument->name, where, size, one, size == 1 ? "" : "s", dimension,
                     offset, extent);
}

bool overlap(const isa::GmBox& a, const isa::GmBox& b) {
  if (a.base.device != b.base.device || a.elements() == 0 || b.elements() == 0) return false;
  Rows left(a);
  Rows right(b);
  while (!left.done() && !right.done()) {
    if (left.begin() < right.end() && right.begin() < left.end()) return true;
    if (left.end() <= right.begin()) {
      left.next();
    } else {
      right.next();
    }
  }
  return false;
}

}  // namespace a2a3::interp
