// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "ir/passes/collectives/allreduce.hpp"

namespace a2a3::ir {
namespace {

/// `name = ` the element at which a segment begins: shares of the length, cut to whole 32-byte
/// blocks in FP16.
std::string boundary(const Reduction& reduction, const std::string& name,
                     const std::string& segment) {
  if (reduction.element_bytes == 4) {
    return fmt::format("{} = {} * LENGTH // nranks\n", name, segment);
  }
  return fmt::format(
      "{0} = pl.min(LENGTH, ({1} * LENGTH + {2} * nranks - 1) // ({2} * nranks) * {2})\n", name,
      segment, reduction.block);
}

/// The rounds of one phase. Round s uses the signal cells of row `row` and works on segment
/// `segment` of the left neighbour.
std::string rounds(const Collective& collective, const Reduction& reduction, std::int64_t chunk,
                   const std::string& row, const std::string& segment, bool reduces) {
  const std::string box = fmt::format("[0, at], [1, {}], valid_shape=[1, valid]", chunk);
  std::string active;
  if (reduces) active += fmt::format("acc = pl.load(FLAT, {})\n", box);
  active +=
      fmt::format("{} = pld.tile.remote_load(FLAT, left, {})\n", reduces ? "recv" : "acc", box);
  if (reduces) active += fmt::format("acc = {}(acc, recv)\n", reduction.combine);
  const std::string sub_chunk =
      collective.credit_barrier("2 * sub + 1", "row") +
      fmt::format("at = begin + sub * {}\nvalid = pl.min({}, end - at)\n", chunk, chunk) +
      "if at < end:\n" + indented(active) + "else:\n" +
      fmt::format("    acc = pl.load(FLAT, [0, 0], [1, {}], valid_shape=[1, 1])\n", chunk) +
      collective.credit_barrier("2 * sub + 2", "row") +
      "if at < end:\n    pl.store(acc, [0, at], FLAT)\n";
  return "for step in pl.range(nranks - 1):\n" +
         indented(fmt::format("row = {}\nsegment = {}\n", row, segment) +
                  boundary(reduction, "begin", "segment") +
                  boundary(reduction, "end", "(segment + 1)") + "for sub in pl.range(subs):\n" +
                  indented(sub_chunk));
}

/// Sub-chunk size in elements: 16 KiB, or the longest segment when it is known and shorter.
std::int64_t chunk_of(const Reduction& reduction, std::int64_t chunk,
                      std::optional<std::int64_t> ranks) {
  if (!reduction.length || !ranks) return chunk;
  std::int64_t longest = divide_up(*reduction.length, *ranks);
  if (reduction.element_bytes == 2) {
    longest = std::min(*reduction.length, longest + reduction.block - 1);
  }
  return std::min(chunk, round_up(longest, reduction.block));
}

}  // namespace

// pld.tensor.allreduce(target, signal, op=..., mode="ring")
//
// The target is cut into one segment per rank. In the first phase a segment travels around the
// ring and takes every rank's share in, ending at the rank of its number; in the second the
// results travel around once. Every rank always reads from its left neighbour.
void lower_allreduce_ring(Collective& collective) {
  constexpr std::size_t kSignal = 1;
  Expansion& out = collective.out();
  const Reduction reduction = Reduction::begin(collective);
  collective.bind_signal(kSignal, SignalLayout::ring);
  collective.ranks_of("TARGET", {"allreduce.ring"});
  const std::int64_t chunk = chunk_of(reduction, collective.chunk_elements(reduction.element_bytes),
                                      collective.type(kSignal).shape[1].constant());
  out.add("left = (rank - 1 + nranks) % nranks\n");
  out.add(reduction.element_bytes == 4
              ? std::string("longest = (LENGTH + nranks - 1) // nranks\n")
              : fmt::format("longest = pl.min(LENGTH, (LENGTH + nranks - 1) // nranks + {})\n",
                            reduction.block - 1));
  out.add(fmt::format("subs = (longest + {}) // {}\n", chunk - 1, chunk));
  out.add(
      rounds(collective, reduction, chunk, "step", "(rank - step - 2 + nranks) % nranks", true));
  out.add(rounds(collective, reduction, chunk, "nranks - 1 + step",
                 "(rank - step - 1 + nranks) % nranks", false));
  out.add("for row in pl.range(2 * (nranks - 1)):\n" +
          indented(collective.clear_credits("(2 * subs)", "row")));
}

// pld.tensor.allreduce(target, signal, mode="ring") in a host function
//
// The same rounds on equal segments. One barrier opens each round: what it reads was written in the
// round before. The one behind the last round keeps a rank's target until its neighbour has read
// it.
void lower_allreduce_host_ring(Collective& collective) {
  constexpr std::size_t kSignal = 1;
  Expansion& out = collective.out();
  const Reduction reduction = Reduction::begin(collective);
  collective.bind_signal(kSignal, SignalLayout::ring);
  collective.ranks_of("TARGET", {"allreduce.ring"});
  const std::int64_t tile = collective.chunk_elements(reduction.element_bytes);
  out.add(
      "left = (rank - 1 + nranks) % nranks\n"
      "share = LENGTH // nranks\n");
  const auto host_rounds = [&](const std::string& row, const std::string& segment, bool reduces) {
    const std::string box = fmt::format("[0, at], [1, {}], valid_shape=[1, valid]", tile);
    std::string piece =
        fmt::format("at = begin + column\nvalid = pl.min({}, share - column)\n", tile);
    if (reduces) piece += fmt::format("acc = pl.load(FLAT, {})\n", box);
    piece +=
        fmt::format("{} = pld.tile.remote_load(FLAT, left, {})\n", reduces ? "recv" : "acc", box);
    if (reduces) piece += fmt::format("acc = {}(acc, recv)\n", reduction.combine);
    piece += "pl.store(acc, [0, at], FLAT)\n";
    out.add("for step in pl.range(nranks - 1):\n" +
            indented(fmt::format("row = {}\n", row) + collective.credit_barrier("1", "row") +
                     fmt::format("begin = {} * share\nfor column in pl.range(0, share, {}):\n",
                                 segment, tile) +
                     indented(piece)));
  };
  host_rounds("step", "(rank - step - 2 + nranks) % nranks", true);
  host_rounds("nranks - 1 + step", "(rank - step - 1 + nranks) % nranks", false);
  out.add("row = 2 * (nranks - 1)\n" + collective.credit_barrier("1", "row"));
  out.add("for row in pl.range(2 * (nranks - 1) + 1):\n" +
          indented(collective.clear_credits("1", "row")));
}

}  // namespace a2a3::ir
