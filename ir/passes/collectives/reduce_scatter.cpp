// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "ir/passes/collectives/collective.hpp"

namespace a2a3::ir {
namespace {

std::string add_row(const std::string& column, std::int64_t cols, const std::string& valid) {
  const std::string box =
      fmt::format("[1, {}]{}", cols, valid.empty() ? "" : ", valid_shape=[1, " + valid + "]");
  return fmt::format(
      "acc = pl.load(TARGET, [rank, {0}], {1})\n"
      "for peer in pl.range(nranks):\n"
      "    if peer != rank:\n"
      "        recv = pld.tile.remote_load(TARGET, peer, [rank, {0}], {1})\n"
      "        acc = pl.add(acc, recv)\n",
      column, box);
}

}  // namespace

// pld.tensor.reduce_scatter(target, signal, *, op=Sum)
//
// Rank r reads row r of every peer. A row that does not fit in the unified buffer twice is summed
// in chunks of 16 KiB (HOST: always in tiles of 256 elements): peers never read the row that is
// written.
void lower_reduce_scatter(Collective& collective) {
  Expansion& out = collective.out();
  collective.bind_operand("TARGET", 0);
  collective.bind_signal(1, SignalLayout::mesh);
  collective.bind_extent("SIZE", 0, 1);
  collective.ranks_of("TARGET", {"reduce_scatter"});
  out.add(collective.credit_barrier("1"));
  const std::int64_t element_bytes = isa::size_of(collective.type(0).dtype);
  const auto size = collective.type(0).shape[1].constant();
  const std::int64_t cols = size ? round_up(*size, isa::kBlockBytes / element_bytes) : 0;
  if (size && !collective.is_host() && collective.fits(2 * cols * element_bytes)) {
    out.add(add_row("0", cols, *size == cols ? "" : std::to_string(*size)));
    out.add(collective.credit_barrier("2"));
    out.add("pl.store(acc, [rank, 0], TARGET)\n");
  } else {
    const std::int64_t chunk = collective.chunk_elements(element_bytes);
    out.add(fmt::format("for column in pl.range(0, SIZE, {}):\n", chunk) +
            indented(fmt::format("valid = pl.min({}, SIZE - column)\n", chunk) +
                     add_row("column", chunk, "valid") +
                     "pl.store(acc, [rank, column], TARGET)\n"));
    out.add(collective.credit_barrier("2"));
  }
  out.add(collective.clear_credits("2"));
}

}  // namespace a2a3::ir
