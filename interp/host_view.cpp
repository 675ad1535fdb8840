// SPDX-License-Identifier: Apache-2.0
#include "interp/host_view.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace a2a3::interp {
namespace {

std::vector<std::int64_t> packed_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

struct ViewAxis {
  std::int64_t extent = 1;
  std::int64_t stride = 1;
  friend bool operator==(const ViewAxis&, const ViewAxis&) = default;
};

/// The dimensions that have more than one element.
std::vector<ViewAxis> long_axes(const HostObject& object) {
  const std::vector<std::int64_t> strides = strides_of(object);
  std::vector<ViewAxis> axes;
  for (std::size_t d = 0; d < object.shape.size(); ++d) {
    if (object.shape[d] > 1) axes.push_back({object.shape[d], strides[d]});
  }
  return axes;
}

/// Leaves the strides out when there is no gap, and sets the bytes.
void set_strides(HostObject& object, std::vector<std::int64_t> strides) {
  const std::vector<std::int64_t> packed = packed_strides(object.shape);
  bool has_gaps = false;
  std::int64_t last = 0;
  for (std::size_t d = 0; d < strides.size(); ++d) {
    if (object.shape[d] == 1) strides[d] = packed[d];
    has_gaps |= strides[d] != packed[d];
    last += (object.shape[d] - 1) * strides[d];
  }
  object.stride = has_gaps ? std::move(strides) : std::vector<std::int64_t>{};
  object.bytes =
      static_cast<std::uint64_t>(last + 1) * static_cast<std::uint64_t>(isa::size_of(object.dtype));
}

/// The last dimensions of an object with strides whose elements lie side by side.
struct PackedTail {
  std::size_t outer_dimensions = 0;  ///< those before
  std::int64_t elements = 1;
};

PackedTail packed_tail(const HostObject& object) {
  PackedTail tail{object.shape.size(), 1};
  for (std::size_t d = object.shape.size(); d-- > 0;) {
    if (object.shape[d] != 1 && object.stride[d] != tail.elements) break;
    tail.elements *= object.shape[d];
    tail.outer_dimensions = d;
  }
  return tail;
}

std::string index_text(const HostObject& whole, const std::vector<HostAxis>& axes) {
  std::size_t shown = axes.size();
  const auto is_full = [&](std::size_t d) {
    return !axes[d].dropped && axes[d].offset == 0 && axes[d].extent == whole.shape[d];
  };
  while (shown > 1 && is_full(shown - 1))
    --shown;
  std::string text;
  for (std::size_t d = 0; d < shown; ++d) {
    const HostAxis& axis = axes[d];
    text +=
        fmt::format("{}{}", d > 0 ? ", " : "",
                    axis.dropped ? fmt::format("{}", axis.offset)
                    : is_full(d) ? std::string(":")
                                 : fmt::format("{}:{}", axis.offset, axis.offset + axis.extent));
  }
  return text;
}

}  // namespace

std::vector<std::int64_t> strides_of(const HostObject& object) {
  return object.stride.empty() ? packed_strides(object.shape) : object.stride;
}

HostObject box_of(const HostObject& whole, const std::vector<HostAxis>& axes) {
  const std::vector<std::int64_t> strides = strides_of(whole);
  HostObject part = whole;
  part.shape.clear();
  std::vector<std::int64_t> kept;
  std::int64_t first = 0;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    first += axes[d].offset * strides[d];
    if (axes[d].dropped) continue;
    part.shape.push_back(axes[d].extent);
    kept.push_back(strides[d]);
  }
  part.offset_bytes +=
      static_cast<std::uint64_t>(first) * static_cast<std::uint64_t>(isa::size_of(whole.dtype));
  set_strides(part, std::move(kept));
  part.sliced = true;
  part.name += "[" + index_text(whole, axes) + "]";
  return part;
}

std::uint64_t run_count(const HostObject& object) {
  if (object.stride.empty()) return 1;
  const std::size_t outer = packed_tail(object).outer_dimensions;
  std::uint64_t runs = 1;
  for (std::size_t d = 0; d < outer; ++d)
    runs *= static_cast<std::uint64_t>(object.shape[d]);
  return runs;
}

std::vector<ByteRun> byte_runs(const HostObject& object) {
  if (object.stride.empty()) {
    return {{object.offset_bytes, object.offset_bytes + object.bytes}};
  }
  const auto size = static_cast<std::uint64_t>(isa::size_of(object.dtype));
  const PackedTail tail = packed_tail(object);
  const std::uint64_t run_bytes = static_cast<std::uint64_t>(tail.elements) * size;
  std::vector<std::int64_t> at(tail.outer_dimensions, 0);
  std::vector<ByteRun> runs;
  runs.reserve(run_count(object));
  for (bool more = true; more;) {
    std::int64_t first = 0;
    for (std::size_t d = 0; d < at.size(); ++d)
      first += at[d] * object.stride[d];
    const std::uint64_t begin = object.offset_bytes + static_cast<std::uint64_t>(first) * size;
    runs.push_back({begin, begin + run_bytes});
    more = false;
    for (std::size_t d = at.size(); d-- > 0 && !more;) {
      more = ++at[d] < object.shape[d];
      if (!more) at[d] = 0;
    }
  }
  return runs;
}

bool same_memory(const HostObject& a, const HostObject& b) {
  return a.kind == b.kind && a.index == b.index;
}

bool same_elements(const HostObject& a, const HostObject& b) {
  return same_memory(a, b) && a.offset_bytes == b.offset_bytes && a.dtype == b.dtype &&
         long_axes(a) == long_axes(b);
}

bool reshape(HostObject& object, std::vector<std::int64_t> shape, isa::DType dtype) {
  if (object.stride.empty()) {
    object.shape = std::move(shape);
    object.dtype = dtype;
    set_strides(object, packed_strides(object.shape));
    return true;
  }
  const std::vector<ViewAxis> before = long_axes(object);
  std::vector<std::int64_t> strides = packed_strides(shape);
  std::size_t next = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    if (next == before.size() || before[next].extent != shape[d]) return false;
    strides[d] = before[next++].stride;
  }
  // The last dimension's elements lie side by side.
  if (next != before.size() || dtype != object.dtype || strides.back() != 1) return false;
  object.shape = std::move(shape);
  set_strides(object, std::move(strides));
  return true;
}

std::optional<HostObject> moved_into(const HostObject& object, const HostObject& temporary,
                                     const HostObject& box) {
  const std::vector<ViewAxis> from = long_axes(temporary);
  const std::vector<ViewAxis> into = long_axes(box);
  const auto size = static_cast<std::uint64_t>(isa::size_of(object.dtype));
  HostObject moved = object;
  moved.kind = box.kind;
  moved.index = box.index;
  if (box.stride.empty()) {
    moved.offset_bytes += box.offset_bytes;
    return moved;
  }
  auto rest = static_cast<std::int64_t>(object.offset_bytes / size);
  std::vector<std::int64_t> start;  // of the object on each axis
  std::int64_t first = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    start.push_back(rest / from[i].stride);
    rest %= from[i].stride;
    first += start[i] * into[i].stride;
  }
  moved.offset_bytes = box.offset_bytes + static_cast<std::uint64_t>(first) * size;
  std::vector<std::int64_t> strides = strides_of(object);
  for (std::size_t d = 0; d < strides.size(); ++d) {
    if (object.shape[d] == 1) continue;
    const auto axis = std::find_if(from.begin(), from.end(),
                                   [&](const ViewAxis& one) { return one.stride == strides[d]; });
    if (axis == from.end()) return std::nullopt;
    const auto i = static_cast<std::size_t>(axis - from.begin());
    if (start[i] + object.shape[d] > axis->extent) return std::nullopt;
    strides[d] = into[i].stride;
  }
  set_strides(moved, std::move(strides));
  return moved;
}

}  // namespace a2a3::interp
