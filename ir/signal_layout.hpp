// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace a2a3::ir {

/// How a collective addresses the cells of its signal window (kernel_language 4.5): `mesh` keeps
/// one cell per rank, [NR, 1]; `ring` one row of cells per round, [2*(NR-1), NR].
enum class SignalLayout : std::uint8_t { mesh, ring };

/// What is wrong with a two-dimensional signal window of `rows` x `cols` cells; an extent that is
/// not known is absent. `collective` is the operation's name.
[[nodiscard]] std::optional<std::string> signal_problem(SignalLayout layout,
                                                        const std::string& collective,
                                                        std::optional<std::int64_t> rows,
                                                        std::optional<std::int64_t> cols);

}  // namespace a2a3::ir
