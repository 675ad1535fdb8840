// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "ir/passes/collectives/collective.hpp"

namespace a2a3::ir {
namespace {

constexpr std::size_t kInput = 0;
constexpr std::size_t kTarget = 1;
constexpr std::size_t kSignal = 2;

void begin(Collective& collective) {
  collective.bind_operand("INPUT", kInput);
  collective.bind_operand("TARGET", kTarget);
  collective.bind_signal(kSignal, SignalLayout::mesh);
  collective.bind_extent("SIZE", kTarget, 1);
}

}  // namespace

// pld.tensor.all_to_all(input, target, signal)
//
// allgather's push, with another source row for each peer.
void lower_all_to_all(Collective& collective) {
  begin(collective);
  collective.ranks_of("TARGET", {"all_to_all"});
  collective.stage("stage", kTarget, 1, collective.type(kTarget).shape[1].constant());
  collective.out().add(
      "for peer in pl.range(nranks):\n"
      "    pld.tile.put(TARGET, peer=peer, src=INPUT, stage=stage, dst_offsets=[rank, 0], "
      "src_offsets=[peer, 0], shape=[1, SIZE])\n");
  collective.out().add(collective.credit_barrier("1"));
  collective.out().add(collective.clear_credits("1"));
}

// pld.tensor.all_to_all_v(input, target, signal, send_counts, recv_counts)
//
// The count goes to the peer first, then the whole block of MAX_RECV rows whatever the count is.
void lower_all_to_all_v(Collective& collective) {
  constexpr std::size_t kSendCounts = 3;
  constexpr std::size_t kRecvCounts = 4;
  Expansion& out = collective.out();
  begin(collective);
  collective.bind_operand("SEND_COUNTS", kSendCounts);
  collective.bind_operand("RECV_COUNTS", kRecvCounts);
  const std::int64_t block =
      *collective.type(kTarget).shape[0].constant() / *collective.type(kSignal).shape[0].constant();
  CollectiveNote note{"all_to_all_v"};
  note.block_rows = block;
  collective.ranks_of("TARGET", note);
  collective.stage("stage", kTarget, 1, collective.type(kTarget).shape[1].constant());
  const bool is_flat = collective.type(kSendCounts).shape.size() == 1;
  out.add(fmt::format(
      "for peer in pl.range(nranks):\n"
      "    count = pl.read(SEND_COUNTS, [{0}])\n"
      "    pld.system.check_count(count, peer)\n"
      "    rows = pl.max(0, pl.min(count, {1}))\n"
      "    pld.system.notify(RECV_COUNTS, peer=peer, offsets=[rank, 0], value=rows, "
      "op=pld.NotifyOp.Set)\n"
      "    pld.tile.put(TARGET, peer=peer, src=INPUT, stage=stage, dst_offsets=[rank * {1}, 0], "
      "src_offsets=[peer * {1}, 0], shape=[{1}, SIZE])\n",
      is_flat ? "peer" : "peer, 0", block));
  out.add(collective.credit_barrier("1"));
  out.add(collective.clear_credits("1"));
}

}  // namespace a2a3::ir
