// SPDX-License-Identifier: Apache-2.0
// The same data with another shape or valid box, and checks of shapes.
#include <fmt/format.h>

#include "interp/kernel_core.hpp"

namespace a2a3::interp {

namespace {

const char* convention_words(ir::SignalLayout layout) {
  switch (layout) {
    case ir::SignalLayout::mesh:
      return "mesh [NR, 1]";
    case ir::SignalLayout::ring:
      return "ring [2*(NR-1), NR]";
    case ir::SignalLayout::host:
      return "mesh [NR] or [NR, core_num]";
    case ir::SignalLayout::host_ring:
      break;
  }
  return "ring [2*(NR-1) + 1, NR]";
}

bool counts_rounds(ir::SignalLayout layout) {
  return layout == ir::SignalLayout::ring || layout == ir::SignalLayout::host_ring;
}

/// What is wrong with the extents for the number of ranks that share the window.
std::optional<std::string> too_few_cells(const BoundTensor& signal, const SignalCheckSite& site) {
  const std::int64_t ranks = signal.ranks();
  if (site.layout == ir::SignalLayout::mesh) {
    if (signal.shape[0] >= ranks) return std::nullopt;
    return fmt::format("{} signal shape[0] ({}) must be at least the number of ranks, NR = {}",
                       site.collective, signal.shape[0], ranks);
  }
  if (ranks == 1 || signal.shape[1] == ranks) return std::nullopt;  // one rank needs no cell
  return fmt::format("{} mode=ring signal must be 2D [2*(NR-1), NR] with NR = {}, got [{}, {}]",
                     site.collective, ranks, signal.shape[0], signal.shape[1]);
}

}  // namespace

KernelCore::Step KernelCore::share_tile(Register into, TileValue value) {
  if (value.held) memories_.retain(value.tile);
  release(into);
  tile(into) = value;
  return Step::go_on;
}

KernelCore::Step KernelCore::set_valid_shape(const Op& op) {
  TileValue value = tile(op.a);
  const std::int64_t rows = scalar(op.b);
  const std::int64_t cols = scalar(op.c);
  if (rows < 0 || cols < 0 || rows > value.tile.rows || cols > value.tile.cols) {
    return fault(op, fmt::format("set_validshape to {} x {}: the tile has {} rows and {} columns",
                                 rows, cols, value.tile.rows, value.tile.cols));
  }
  value.tile.valid_rows = static_cast<std::int32_t>(rows);
  value.tile.valid_cols = static_cast<std::int32_t>(cols);
  return share_tile(op.dst, value);
}

KernelCore::Step KernelCore::fill_padding(const Op& op, const TileSite& site) {
  TileValue value = tile(op.a);
  const isa::Tile before = value.tile;
  value.tile.valid_rows = value.tile.rows;
  value.tile.valid_cols = value.tile.cols;
  (void)share_tile(op.dst, value);
  if (before.valid_elements() == before.elements()) return Step::go_on;
  isa::TFill fill{before, make_scalar(scalar(site.value.index), site.value.dtype), true};
  instruction_.operation = fill;
  return Step::emit;
}

KernelCore::Step KernelCore::reshape(const Op& op, const ShapeSite& site) {
  BoundTensor view = tensor(op.a);
  std::int64_t before = 1;
  for (std::size_t d = view.rank; d-- > 0;) {
    if (view.stride[d] != before && view.shape[d] > 1) {
      return fault(op, fmt::format("{} shape reinterpret requires a packed source: this slice of "
                                   "\"{}\" has gaps between its rows; slice whole rows, or store "
                                   "the slice into a window of its own first",
                                   site.name.empty() ? "pl.tensor.reshape target" : site.name,
                                   view.argument->name));
    }
    before *= view.shape[d];
  }
  view.rank = site.list.rank;
  view.shape = extents(site.list);
  std::int64_t stride = 1;
  for (std::size_t d = view.rank; d-- > 0;) {
    view.stride[d] = stride;
    stride *= view.shape[d];
  }
  if (stride != before) {
    return fault(op, fmt::format("reshape of \"{}\" from {} elements to {}", view.argument->name,
                                 before, stride));
  }
  place_view(op.dst, view);
  return Step::go_on;
}

KernelCore::Step KernelCore::view(const Op& op, const ViewSite& site) {
  BoundTensor view = tensor(op.a);
  const Extents offsets = extents(site.offsets);
  const Extents shape = extents(site.shape);
  if (check_bounds(op, "slice takes", view, site.offsets.rank, offsets, shape, -1) == Step::fault)
    return Step::fault;
  std::int64_t first = 0;
  std::uint8_t rank = 0;
  for (std::size_t d = 0; d < site.offsets.rank; ++d) {
    first += offsets[d] * view.stride[d];
    if (site.dropped[d]) continue;
    view.shape[rank] = shape[d];
    view.stride[rank++] = view.stride[d];
  }
  view.rank = rank;
  const auto bytes = static_cast<std::uint64_t>(first * isa::size_of(view.dtype));
  view.base.offset_bytes += bytes;
  view.window_offset_bytes += bytes;
  place_view(op.dst, view);
  return Step::go_on;
}

std::size_t KernelCore::unused_place(Register into, std::size_t first, std::size_t count) const {
  for (std::size_t place = first; place < count; ++place) {
    bool used = false;
    for (std::size_t i = 0; i < frame_.references.size() && !used; ++i) {
      used = i != static_cast<std::size_t>(into) &&
             frame_.references[i] == static_cast<std::int32_t>(place);
    }
    if (!used) return place;
  }
  return count;
}

void KernelCore::place_view(Register into, const BoundTensor& view) {
  // Registers that a move_reference gave the same place must keep what they hold.
  const std::size_t place = unused_place(into, first_view_, tensors_.size());
  if (place == tensors_.size()) tensors_.emplace_back();
  tensors_[place] = view;
  frame_.references[static_cast<std::size_t>(into)] = static_cast<std::int32_t>(place);
}

KernelCore::Step KernelCore::check_signal(const Op& op, const SignalCheckSite& site) {
  const BoundTensor& signal = tensor(site.signal);
  std::optional<std::string> problem;
  if (site.layout == ir::SignalLayout::host || site.layout == ir::SignalLayout::host_ring) {
    const std::int64_t cols = signal.rank > 1 ? signal.shape[1] : 1;
    problem = ir::host_signal_problem(
        {site.layout, signal.shape[0], cols, signal.ranks(), site.elements});
  } else {
    if (signal.rank != 2) return Step::go_on;
    problem = ir::signal_problem(site.layout, site.collective, signal.shape[0], signal.shape[1]);
    if (!problem) problem = too_few_cells(signal, site);
  }
  if (problem) return fault(op, std::move(*problem));

  const auto key = std::pair(signal.argument->window, signal.window_offset_bytes);
  const auto [known, is_first] = context_.signal_conventions.try_emplace(
      key, SignalConvention{site.layout, site.collective, op.source});
  const SignalConvention& first = known->second;
  if (is_first || counts_rounds(first.layout) == counts_rounds(site.layout)) return Step::go_on;
  return fault(op,
               fmt::format("{} uses signal \"{}\" in the {} layout, {} used it in the {} layout "
                           "before: the cells mean different things; give each layout its own "
                           "signal window",
                           site.collective, signal.argument->name, convention_words(site.layout),
                           first.collective, convention_words(first.layout)),
               {{"the first use", context_.sources.location(first.source)}});
}

KernelCore::Step KernelCore::check_count(const Op& op) {
  const std::int64_t count = scalar(op.a);
  if (count >= 0) return Step::go_on;
  if (!context_.warned.enter(op.source)) return Step::go_on;
  context_.diagnostics
      .warning(context_.sources.location(op.source),
               fmt::format("a send count is negative: {} rows for rank {}, counted as 0", count,
                           scalar(op.b)))
      .notes.push_back({"the real compiler's lowering has no lower bound: the peer would be told "
                        "the negative count",
                        {}});
  return Step::go_on;
}

KernelCore::Step KernelCore::begin_collective(const Op& op, const CollectiveSite& site) {
  const BoundTensor& target = tensor(site.target);
  if (site.note->root >= target.ranks()) {
    return fault(op, fmt::format("pld.tensor.{} root ({}) must be a valid rank in [0, {}), the "
                                 "domain of \"{}\"",
                                 site.note->schedule, site.note->root, target.ranks(),
                                 target.argument->name));
  }
  CollectiveShape shape{task().device,  op.source,    *site.note, target.own_rank,
                        target.ranks(), target.dtype, {}};
  shape.dims.assign(target.shape.begin(), target.shape.begin() + target.rank);
  ++context_.collectives[std::move(shape)];
  return Step::go_on;
}

}  // namespace a2a3::interp
