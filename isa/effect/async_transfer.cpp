// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <vector>

#include "isa/effect/effect.hpp"

namespace a2a3::isa {
namespace {

/// Bytes copied by one access of the port.
constexpr std::int64_t kAsyncPieceBytes = 64 << 10;

GlobalAddress behind(const GlobalAddress& base, std::int64_t bytes) {
  return {base.device, base.offset_bytes + static_cast<std::uint64_t>(bytes)};
}

/// Copies row after row. A dense box on both sides is one row.
void copy_box(const GmBox& src, const GmBox& dst, GlobalPort& global) {
  const std::int64_t element = size_of(src.dtype);
  std::int64_t row_elements = src.cols();
  std::size_t outer = kBoxDims - 1;
  while (outer > 0 && (src.shape[outer - 1] == 1 || (src.stride[outer - 1] == row_elements &&
                                                     dst.stride[outer - 1] == row_elements)))
    row_elements *= src.shape[--outer];
  const std::int64_t rows = row_elements == 0 ? 0 : src.elements() / row_elements;
  const std::int64_t row_bytes = row_elements * element;
  std::vector<std::byte> piece(static_cast<std::size_t>(std::min(row_bytes, kAsyncPieceBytes)));
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::int64_t rest = row;
    for (std::size_t d = outer; d-- > 0; rest /= src.shape[d]) {
      from += rest % src.shape[d] * src.stride[d];
      to += rest % src.shape[d] * dst.stride[d];
    }
    for (std::int64_t done = 0; done < row_bytes; done += kAsyncPieceBytes) {
      const auto bytes = std::span(piece).first(
          static_cast<std::size_t>(std::min(kAsyncPieceBytes, row_bytes - done)));
      global.read(behind(src.base, from * element + done), bytes);
      global.write(behind(dst.base, to * element + done), bytes);
    }
  }
}

}  // namespace

void apply(const TPutAsync& put, GlobalPort& global) {
  copy_box(put.src, put.dst, global);
}

void apply(const TGetAsync& get, GlobalPort& global) {
  copy_box(get.src, get.dst, global);
}

}  // namespace a2a3::isa
