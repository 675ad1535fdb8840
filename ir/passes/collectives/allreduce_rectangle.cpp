// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "ir/collective_call.hpp"
#include "ir/passes/collectives/allreduce.hpp"

namespace a2a3::ir {

// pld.tensor.allreduce(target, signal, op=..., mode="mesh") of a target with a partial valid_shape:
// one rectangle of at most 16 KiB. Every rank reads every peer's, own value first, waits until
// nobody reads any more, and stores.
void lower_allreduce_rectangle(Collective& collective) {
  constexpr std::size_t kTarget = 0;
  Expansion& out = collective.out();
  const Type& target = collective.type(kTarget);
  const ValidRectangle tile = *valid_rectangle(target);
  const Reduction reduction = Reduction::of(collective);
  collective.bind_operand("TARGET", kTarget);
  collective.bind_signal(1, SignalLayout::mesh);
  CollectiveNote note{"allreduce.mesh"};
  note.is_rectangle = true;
  collective.ranks_of("TARGET", std::move(note));
  out.add(collective.credit_barrier("1"));
  std::string extents[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const auto known = target.valid_shape[i].constant();
    extents[i] = known ? std::to_string(*known) : std::string(i == 0 ? "rows" : "cols");
    if (!known) out.add(fmt::format("{} = pl.tensor.dim(TARGET, {})\n", extents[i], i));
  }
  const auto& [rows, cols] = extents;
  const std::string box = fmt::format("[{}, {}]", tile.rows, tile.cols);
  out.add(fmt::format("acc = pl.tile.fillpad(pl.load(TARGET, [0, 0], {}, valid_shape=[{}, {}]))\n",
                      box, rows, cols));
  std::string recv;
  if (reduction.element_bytes == 2) {
    // Remote reads of FP16 are whole 32-byte blocks.
    out.add(fmt::format("span = ({} + {}) // {} * {}\n", cols, reduction.block - 1, reduction.block,
                        reduction.block));
    recv = fmt::format(
        "recv = pld.tile.remote_load_padded(TARGET, peer=peer, offsets=[0, 0], shape={}, "
        "valid_shape=[{}, span])\n"
        "recv = pl.tile.fillpad(pl.tile.set_validshape(recv, {}, {}))\n",
        box, rows, rows, cols);
  } else {
    recv = fmt::format(
        "recv = pl.tile.fillpad(pld.tile.remote_load(TARGET, peer=peer, offsets=[0, 0], shape={}, "
        "valid_shape=[{}, {}]))\n",
        box, rows, cols);
  }
  out.add("for peer in pl.range(nranks):\n    if peer != rank:\n" + indented(recv, 2) +
          fmt::format("        acc = {}(acc, recv)\n", reduction.combine));
  out.add(collective.credit_barrier("2"));
  out.add(
      fmt::format("acc = pl.tile.set_validshape(acc, {}, {})\n"
                  "pl.store(acc, [0, 0], TARGET)\n",
                  rows, cols));
  out.add(collective.clear_credits("2"));
}

}  // namespace a2a3::ir
