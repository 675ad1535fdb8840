// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>

#include "isa/effect/effect.hpp"

namespace a2a3::isa {
namespace {

/// One dimension of a transfer; strides count elements.
struct Dim {
  std::int64_t count = 1;
  std::int64_t global_stride = 1;
  std::int64_t tile_stride = 1;
};

/// The dimensions of a transfer between a box and a tile, innermost first, ones of size 1 left out
/// and neighbours that are contiguous on both sides merged.
class TransferDims {
 public:
  TransferDims(const GmBox& box, const Tile& tile) {
    const bool by_rows = tile.layout == TileLayout::row_major;
    push({box.shape[4], box.stride[4], by_rows ? 1 : tile.rows});
    std::int64_t tile_stride = by_rows ? tile.cols : 1;
    for (std::size_t d = kBoxDims - 1; d-- > 0;) {
      push({box.shape[d], box.stride[d], tile_stride});
      tile_stride *= box.shape[d];
    }
    if (count_ == 0) count_ = 1;
  }

  /// Calls move(global element offset, tile element offset) for each line along the innermost
  /// dimension.
  template <class Move>
  void for_each_line(Move&& move) const {
    std::array<std::int64_t, kBoxDims> at{};
    std::int64_t global_offset = 0;
    std::int64_t tile_offset = 0;
    for (;;) {
      move(global_offset, tile_offset);
      std::size_t d = 1;
      for (; d < count_; ++d) {
        global_offset += dims_[d].global_stride;
        tile_offset += dims_[d].tile_stride;
        if (++at[d] < dims_[d].count) break;
        global_offset -= dims_[d].count * dims_[d].global_stride;
        tile_offset -= dims_[d].count * dims_[d].tile_stride;
        at[d] = 0;
      }
      if (d >= count_) return;
    }
  }

  [[nodiscard]] const Dim& line() const { return dims_[0]; }

 private:
  void push(const Dim& dim) {
    if (dim.count == 1) return;
    if (count_ > 0) {
      Dim& inner = dims_[count_ - 1];
      if (dim.global_stride == inner.count * inner.global_stride &&
          dim.tile_stride == inner.count * inner.tile_stride) {
        inner.count *= dim.count;
        return;
      }
    }
    dims_[count_++] = dim;
  }

  std::array<Dim, kBoxDims> dims_;
  std::size_t count_ = 0;
};

/// Bytes gathered on the stack for one port access when the tile's elements do not lie side by
/// side.
constexpr std::size_t kBufferBytes = 1024;

/// Moves one line between a tile and memory; access(address, bytes) is one access of the port.
template <bool kToMemory, class Access>
void move_line(const Dim& line, std::size_t element_bytes, GlobalAddress address, std::byte* tile,
               Access&& access) {
  const auto count = static_cast<std::size_t>(line.count);
  if (line.global_stride == 1 && line.tile_stride == 1)
    return access(address, std::span(tile, count * element_bytes));

  std::array<std::byte, kBufferBytes> buffer;
  const std::size_t at_once = line.global_stride == 1 ? kBufferBytes / element_bytes : 1;
  const auto tile_step = static_cast<std::size_t>(line.tile_stride) * element_bytes;
  for (std::size_t done = 0; done < count; done += at_once) {
    const std::size_t n = std::min(at_once, count - done);
    std::byte* const first = tile + done * tile_step;
    if constexpr (kToMemory)
      for (std::size_t i = 0; i < n; ++i)
        std::memcpy(&buffer[i * element_bytes], first + i * tile_step, element_bytes);
    const std::uint64_t offset = done * static_cast<std::uint64_t>(line.global_stride);
    access(GlobalAddress{address.device, address.offset_bytes + offset * element_bytes},
           std::span(buffer.data(), n * element_bytes));
    if constexpr (!kToMemory)
      for (std::size_t i = 0; i < n; ++i)
        std::memcpy(first + i * tile_step, &buffer[i * element_bytes], element_bytes);
  }
}

template <bool kToMemory, class Access>
void move_box(const GmBox& box, const Tile& tile, LocalMemory local, Access&& access) {
  if (box.elements() == 0) return;
  const auto element_bytes = static_cast<std::size_t>(size_of(box.dtype));
  const TransferDims dims(box, tile);
  dims.for_each_line([&](std::int64_t global_offset, std::int64_t tile_offset) {
    const GlobalAddress address{
        box.base.device,
        box.base.offset_bytes + static_cast<std::uint64_t>(global_offset) * element_bytes};
    std::byte* const first =
        local.data() + tile.offset_bytes + static_cast<std::size_t>(tile_offset) * element_bytes;
    move_line<kToMemory>(dims.line(), element_bytes, address, first, access);
  });
}

}  // namespace

void apply(const TLoad& load, LocalMemory local, GlobalPort& global) {
  move_box<false>(
      load.src, load.dst, local,
      [&](GlobalAddress address, std::span<std::byte> bytes) { global.read(address, bytes); });
}

void apply(const TStore& store, LocalMemory local, GlobalPort& global) {
  if (store.atomic_add) {
    move_box<true>(store.dst, store.src, local,
                   [&](GlobalAddress address, std::span<const std::byte> bytes) {
                     global.atomic_add(address, store.dst.dtype, bytes);
                   });
  } else {
    move_box<true>(store.dst, store.src, local,
                   [&](GlobalAddress address, std::span<const std::byte> bytes) {
                     global.write(address, bytes);
                   });
  }
}

}  // namespace a2a3::isa
