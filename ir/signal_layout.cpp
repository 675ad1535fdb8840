// SPDX-License-Identifier: Apache-2.0
#include "ir/signal_layout.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace a2a3::ir {
namespace {

constexpr std::array<std::string_view, 4> kLayoutNames{"mesh", "ring", "host", "host_ring"};

}  // namespace

std::string_view name(SignalLayout layout) {
  return kLayoutNames[static_cast<std::size_t>(layout)];
}

std::optional<SignalLayout> signal_layout(std::string_view name) {
  const auto found = std::find(kLayoutNames.begin(), kLayoutNames.end(), name);
  if (found == kLayoutNames.end()) return std::nullopt;
  return static_cast<SignalLayout>(found - kLayoutNames.begin());
}

std::optional<std::string> signal_problem(SignalLayout layout, const std::string& collective,
                                          std::optional<std::int64_t> rows,
                                          std::optional<std::int64_t> cols) {
  if (layout == SignalLayout::mesh) {
    if (!cols || *cols == 1) return std::nullopt;
    return fmt::format(
        "{} signal shape[1] must be 1 (one cell per rank), got {} — a signal shaped for "
        "mode=\"ring\" allreduce ([2*(NR-1), NR]) cannot be shared with this collective; give it "
        "its own [NR, 1] signal window",
        collective, *cols);
  }
  if (!rows || !cols || *rows == 2 * (*cols - 1)) return std::nullopt;
  // One rank needs no cell; one for show does no harm.
  if (*cols == 1 && *rows == 1) return std::nullopt;
  return fmt::format(
      "{} mode=ring signal shape[0] ({}) must equal 2*(NR-1) = {} for NR = {}{}", collective, *rows,
      2 * (*cols - 1), *cols,
      *cols == 1 ? " — a signal shaped for mesh-layout collectives ([NR, 1]) cannot be shared with "
                   "the ring; give it its own [2*(NR-1), NR] signal window"
                 : "");
}

bool is_ring_signal_of_one_rank(isa::DType dtype, const std::vector<Dim>& shape) {
  return dtype == isa::DType::int32 && shape.size() == 2 && shape[0].constant() == 0 &&
         shape[1].constant().value_or(1) == 1;
}

std::optional<std::string> host_signal_problem(const HostSignal& signal) {
  const std::string pass = "LowerHostTensorCollectives: ";
  if (signal.layout == SignalLayout::host) {
    if (!signal.rows || !signal.ranks || *signal.rows >= *signal.ranks) return std::nullopt;
    return fmt::format(
        "{}collective signal shape[0] ({}) must be at least the participating device count ({})",
        pass, *signal.rows, *signal.ranks);
  }
  const std::optional<std::int64_t> ranks = signal.ranks ? signal.ranks : signal.cols;
  if (!ranks) return std::nullopt;
  if ((signal.rows && *signal.rows != 2 * (*ranks - 1) + 1) ||
      (signal.cols && *signal.cols != *ranks)) {
    const auto shown = [](const std::optional<std::int64_t>& extent) {
      return extent ? std::to_string(*extent) : std::string("?");
    };
    return fmt::format(
        "{}ring allreduce signal must be [2*(NR-1) + 1, NR] = [{}, {}] for NR = {}, got [{}, {}]: "
        "one row more than in a kernel, for the return barrier",
        pass, 2 * (*ranks - 1) + 1, *ranks, *ranks, shown(signal.rows), shown(signal.cols));
  }
  if (signal.elements && *signal.elements % *ranks != 0) {
    return fmt::format(
        "{}ring allreduce requires the per-rank data size ({}) to be an exact multiple of the rank "
        "count ({})",
        pass, *signal.elements, *ranks);
  }
  return std::nullopt;
}

}  // namespace a2a3::ir
