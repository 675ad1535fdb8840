// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "property/collectives/program.hpp"

namespace a2a3::sync {

/// What happened to programs that had an edge of their synchronisation taken out.
struct Counts {
  int reported = 0;
  int still_right = 0;
};

/// `original` is right and reported for nothing. `mutant`, which has an edge less, is reported by
/// one run of the untimed engine, or every order of it gives the outputs of the original.
void judge(collectives::ProgramRun& original, collectives::ProgramRun& mutant, std::int64_t ranks,
           const collectives::Input& input, Counts& counts);

}  // namespace a2a3::sync
