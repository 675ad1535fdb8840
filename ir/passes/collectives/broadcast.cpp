// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "ir/passes/collectives/collective.hpp"

namespace a2a3::ir {
namespace {

constexpr std::size_t kSource = 0;

CollectiveNote note_of(const Collective& collective) {
  CollectiveNote note{"broadcast"};
  note.root = std::get<std::int64_t>(collective.call().operand(2)->constant.value().value);
  return note;
}

/// The whole target through a stage of its size.
void get_all(Collective& collective) {
  collective.bind_operand("TARGET", kSource);
  collective.bind_signal(1, SignalLayout::mesh);
  collective.bind_operand("ROOT", 2);
  collective.ranks_of("TARGET", note_of(collective));
  collective.out().add(collective.credit_barrier("1"));
  const std::vector<Dim>& shape = collective.type(kSource).shape;
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i)
    rows *= *shape[i].constant();
  collective.stage("stage", kSource, rows, shape.back().constant());
  collective.out().add("pld.tile.get(TARGET, peer=ROOT, src=TARGET, stage=stage)\n");
  collective.out().add(collective.clear_credits("1"));
}

/// Tile by tile: the root copies its own onto itself, the others read it behind a barrier.
void get_tiles(Collective& collective) {
  const std::int64_t length = *collective.bind_flat(kSource);
  collective.bind_signal(1, SignalLayout::mesh);
  collective.bind_operand("ROOT", 2);
  collective.ranks_of("TARGET", note_of(collective));
  const std::int64_t tile = collective.chunk_elements(isa::size_of(collective.type(kSource).dtype));
  collective.stage("stage", kSource, 1, length);
  collective.out().add(
      fmt::format("for column in pl.range(0, LENGTH, {}):\n", tile) +
      indented(fmt::format("valid = pl.min({}, LENGTH - column)\n", tile) +
               "if rank == ROOT:\n"
               "    pld.tile.get(FLAT, peer=ROOT, src=FLAT, stage=stage, dst_offsets=[0, column], "
               "src_offsets=[0, column], shape=[1, valid])\n" +
               collective.credit_barrier(fmt::format("1 + column // {}", tile)) +
               fmt::format("if rank != ROOT:\n"
                           "    part = pld.tile.remote_load(FLAT, peer=ROOT, offsets=[0, column], "
                           "shape=[1, {}], valid_shape=[1, valid])\n"
                           "    pl.store(part, [0, column], FLAT)\n",
                           tile)));
  collective.out().add(collective.clear_credits(std::to_string(divide_up(length, tile))));
}

}  // namespace

// pld.tensor.broadcast(target, signal, *, root)
//
// Everybody pulls, the root too: it copies its target onto itself. Nothing tells the root when its
// peers have read.
void lower_broadcast(Collective& collective) {
  if (collective.is_host()) return get_tiles(collective);
  get_all(collective);
}

}  // namespace a2a3::ir
