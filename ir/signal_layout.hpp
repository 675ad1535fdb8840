// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/dim.hpp"
#include "isa/dtype.hpp"

namespace a2a3::ir {

/// How a collective addresses the cells of its signal window (kernel_language 4.5): `mesh` keeps
/// one cell per rank, [NR, 1]; `ring` one row of cells per round, [2*(NR-1), NR]. The forms called
/// in host functions (4.7): `host` keeps one cell per rank and lane, [NR] or [NR, lanes];
/// `host_ring` has a row more, [2*(NR-1) + 1, NR].
enum class SignalLayout : std::uint8_t { mesh, ring, host, host_ring };

/// "mesh", "ring", ...
[[nodiscard]] std::string_view name(SignalLayout layout);
[[nodiscard]] std::optional<SignalLayout> signal_layout(std::string_view name);

/// What is wrong with a two-dimensional signal window of `rows` x `cols` cells; an extent that is
/// not known is absent. `collective` is the operation's name.
[[nodiscard]] std::optional<std::string> signal_problem(SignalLayout layout,
                                                        const std::string& collective,
                                                        std::optional<std::int64_t> rows,
                                                        std::optional<std::int64_t> cols);

/// The ring's signal [2*(NR-1), NR] for one rank: INT32 [0, 1], the only window without a cell.
/// Extents that are not known may be anything.
[[nodiscard]] bool is_ring_signal_of_one_rank(isa::DType dtype, const std::vector<Dim>& shape);
/// What to say of another tensor with an extent of 0.
inline constexpr std::string_view kOnlyRingSignalsAreEmpty =
    "only an INT32 ring signal window, [2*(NR-1), NR] with NR = 1, may have no rows";

/// What is known of a HOST collective's signal window and of what it serves; what is not is absent.
struct HostSignal {
  SignalLayout layout = SignalLayout::host;
  std::optional<std::int64_t> rows;
  std::optional<std::int64_t> cols;
  std::optional<std::int64_t> ranks;     ///< devices that take part
  std::optional<std::int64_t> elements;  ///< host_ring: of the target
};
/// What is wrong with it.
[[nodiscard]] std::optional<std::string> host_signal_problem(const HostSignal& signal);

}  // namespace a2a3::ir
