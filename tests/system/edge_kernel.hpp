// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "program.hpp"

namespace a2a3::test {

/// A right kernel file for any number of ranks, in the function style: every rank copies its row
/// of 64 FP32 values from `x` to `y`, after the statements of `body`. These may use `ctx`, `me` and
/// `n`, the windows `win` [NR, 64] FP32 and `cells` [NR, 1] INT32, and the scalar `r`.
[[nodiscard]] std::string edge_kernel(const std::vector<std::string>& body = {});

/// Runs such a file on `ranks` devices.
[[nodiscard]] Finished run_edge(const std::string& text, int ranks,
                                const std::vector<std::string>& more = {},
                                const std::string& golden = "y: x");

/// `pld.system.notify(cells, ...)`.
[[nodiscard]] std::string notify(const std::string& peer, const std::string& row, int value,
                                 const std::string& op);
/// `pld.system.wait(cells, ...)`.
[[nodiscard]] std::string wait(const std::string& row, int expected, const std::string& cmp);

/// "kernel.py:LINE:COLUMN: " of the only place of `part` in the text.
[[nodiscard]] std::string place(const std::string& text, const std::string& part);

}  // namespace a2a3::test
