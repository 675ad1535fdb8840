// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "program.hpp"

namespace a2a3::test {

/// Lines of a kernel.
using Body = std::vector<std::string>;

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

/// The lines under a head, as "if me == 0:".
[[nodiscard]] Body inside(const std::string& head, const Body& lines);
/// One part behind the other.
[[nodiscard]] Body joined(std::initializer_list<Body> parts);
/// All ranks add 1 for all others, in row `me`, and wait for at least `expected` in the rows of the
/// others.
[[nodiscard]] Body barrier_by_hand(int expected = 1);

/// "kernel.py:LINE:COLUMN: " of the only place of `part` in the text.
[[nodiscard]] std::string place(const std::string& text, const std::string& part);
/// The same of its n-th place, from 0.
[[nodiscard]] std::string nth_place(const std::string& text, const std::string& part, int n);

/// The same file with `win` as a window of [rows, 64] FP32.
[[nodiscard]] std::string with_rows(std::string text, const std::string& rows);

}  // namespace a2a3::test
