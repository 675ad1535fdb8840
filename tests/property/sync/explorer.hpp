// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "a2a3/simulate.hpp"
#include "ir/module.hpp"

namespace a2a3::sync {

/// What all interleavings of a program give.
struct Exploration {
  enum class Verdict : std::uint8_t {
    same,      ///< every one ends and gives the expected outputs
    differs,   ///< one gives something else
    deadlock,  ///< one does not end
    undecided  ///< too many to look at, or one takes another way through the kernels
  };
  Verdict verdict = Verdict::same;
  std::uint64_t runs = 0;    ///< interleavings that were executed to their end or to a known state
  std::uint64_t states = 0;  ///< in which the order of two tasks mattered
  std::string difference;    ///< output and rank that differ
};

/// Executes a lowered module in every order of its operations that can matter, on the untimed
/// engine, and compares the outputs by their bytes. What a task executes must not depend on data,
/// only on shapes and scalars: a run that does something else than the first one leaves the
/// question undecided. So do asynchronous transfers, and conditions of tasks on cells that can go
/// down.
///
/// An order is left out only when another one has the same result: an operation is executed at
/// once when nothing that other tasks can do before this task goes on touches the same bytes or
/// cells in a way that matters (a persistent set of one task; to begin or end a task only lets
/// others go on), and what comes behind a state of all memories that was met before is not looked
/// at again.
[[nodiscard]] Exploration explore(const ir::Module& module, std::int64_t ranks,
                                  const Inputs& inputs,
                                  const std::map<std::string, isa::Array>& expected,
                                  std::uint64_t max_runs = 20000);

}  // namespace a2a3::sync
