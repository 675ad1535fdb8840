// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "ir/passes/collectives/allreduce.hpp"

namespace a2a3::ir {
namespace {

/// One chunk: reads the own part and every peer's, waits until nobody reads it any more, stores.
std::string reduce_chunk(const Collective& collective, const Reduction& reduction,
                         std::int64_t chunk, bool is_partial, const std::string& column,
                         const std::string& valid, const std::string& generation) {
  const bool is_half = reduction.element_bytes == 2;
  std::string text;
  if (!is_partial) {
    text += fmt::format("acc = pl.load(FLAT, [0, {}], [1, {}])\n", column, chunk);
  } else {
    text +=
        fmt::format("acc = pl.tile.fillpad(pl.load(FLAT, [0, {}], [1, {}], valid_shape=[1, {}]))\n",
                    column, chunk, valid);
  }
  std::string recv;
  if (!is_partial) {
    recv = fmt::format(
        "recv = pld.tile.remote_load(FLAT, peer=peer, offsets=[0, {}], shape=[1, {}])\n", column,
        chunk);
  } else if (!is_half) {
    recv = fmt::format(
        "recv = pl.tile.fillpad(pld.tile.remote_load(FLAT, peer=peer, offsets=[0, {}], "
        "shape=[1, {}], valid_shape=[1, {}]))\n",
        column, chunk, valid);
  } else {
    recv = fmt::format(
        "recv = pld.tile.remote_load_padded(FLAT, peer=peer, offsets=[0, {}], shape=[1, {}], "
        "valid_shape=[1, span])\n"
        "recv = pl.tile.fillpad(pl.tile.set_validshape(recv, 1, {}))\n",
        column, chunk, valid);
    // Remote reads of FP16 are whole 32-byte blocks.
    text += fmt::format("span = ({} + {}) // {} * {}\n", valid, reduction.block - 1,
                        reduction.block, reduction.block);
  }
  text += "for peer in pl.range(nranks):\n    if peer != rank:\n" + indented(recv, 2) +
          fmt::format("        acc = {}(acc, recv)\n", reduction.combine);
  text += collective.credit_barrier(generation);
  if (is_partial) text += fmt::format("acc = pl.tile.set_validshape(acc, 1, {})\n", valid);
  return text + fmt::format("pl.store(acc, [0, {}], FLAT)\n", column);
}

}  // namespace

// pld.tensor.allreduce(target, signal, op=..., mode="mesh")
//
// Every rank reads every peer's target in chunks of 16 KiB (HOST: 256 elements): its own value
// first, then the peers by rank, so the order of rounding differs between ranks.
void lower_allreduce_mesh(Collective& collective) {
  Expansion& out = collective.out();
  const Reduction reduction = Reduction::begin(collective);
  collective.bind_signal(1, SignalLayout::mesh);
  collective.ranks_of("TARGET", {"allreduce.mesh"});
  out.add(collective.credit_barrier("1"));
  std::int64_t chunk = collective.chunk_elements(reduction.element_bytes);
  if (reduction.length && !collective.is_host())
    chunk = std::min(chunk, round_up(*reduction.length, reduction.block));
  const std::int64_t lanes = collective.lanes();
  if (lanes == 1 && reduction.length && *reduction.length <= chunk) {
    out.add(reduce_chunk(collective, reduction, chunk, *reduction.length != chunk, "0",
                         std::to_string(*reduction.length), "2"));
    out.add(collective.clear_credits("2"));
    return;
  }
  const bool is_partial = !reduction.length || *reduction.length % chunk != 0;
  std::string body;
  if (lanes > 1) body += fmt::format("column = tile * {}\n", chunk);
  if (is_partial) body += fmt::format("valid = pl.min({}, LENGTH - column)\n", chunk);
  if (lanes > 1) {
    // Tiles are dealt round the lanes; each lane counts its own in its own column of cells.
    body += reduce_chunk(collective, reduction, chunk, is_partial, "column", "valid",
                         fmt::format("2 + tile // {}", lanes));
    out.add(fmt::format("tiles = (LENGTH + {}) // {}\nfor tile in pl.range(lane, tiles, {}):\n",
                        chunk - 1, chunk, lanes) +
            indented(body));
    out.add(
        collective.clear_credits(fmt::format("(1 + (tiles - lane + {}) // {})", lanes - 1, lanes)));
    return;
  }
  body += reduce_chunk(collective, reduction, chunk, is_partial, "column", "valid",
                       fmt::format("2 + column // {}", chunk));
  out.add(fmt::format("for column in pl.range(0, LENGTH, {}):\n", chunk) + indented(body));
  out.add(collective.clear_credits(
      reduction.length ? std::to_string(1 + divide_up(*reduction.length, chunk))
                       : fmt::format("(1 + (LENGTH + {}) // {})", chunk - 1, chunk)));
}

}  // namespace a2a3::ir
