// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "a2a3/simulate.hpp"
#include "ir/diagnostic.hpp"
#include "isa/array.hpp"
#include "models/traffic/claim.hpp"
#include "tools/report/golden_check.hpp"
#include "tools/run_options.hpp"
#include "tools/run_setup.hpp"

namespace a2a3::tools {

/// What an output must be.
struct ExpectedOutput {
  std::string name;
  std::string expression;  ///< of the golden, or its file
  isa::Array value;
  models::Comparison comparison;
};

/// The data of a run, made before it starts so that nothing wrong with it shows up only afterwards.
struct RunData {
  Inputs inputs;
  std::map<std::string, std::string> input_texts;  ///< how each input was made
  std::vector<ExpectedOutput> expected;
  std::optional<models::TrafficClaim> claim;
  bool over_limit = false;               ///< the tensors are larger than --max-tensor-bytes
  std::set<std::size_t> dumped_windows;  ///< of the plan, that --dump names
};

/// Fills the inputs, evaluates the goldens and the claimed traffic. Errors: specifications that are
/// wrong, or name something that the program does not have.
[[nodiscard]] RunData prepare_data(const RunSetup& setup, const RunOptions& options,
                                   ir::Diagnostics& diagnostics);

/// What can be said about the goldens of a program that has errors.
void check_golden_syntax(const RunSetup& setup, ir::Diagnostics& diagnostics);

/// The data of a later launch, counted from 0: every input one element further round than for the
/// launch before, so that what is left over from that one shows, and the goldens of these inputs.
[[nodiscard]] RunData data_of_launch(const RunSetup& setup, const RunOptions& options,
                                     const RunData& first, std::uint32_t launch,
                                     ir::Diagnostics& diagnostics);

/// Holds what the run gave against what was expected.
[[nodiscard]] std::vector<GoldenCheck> check_goldens(const RunData& data, std::uint32_t ranks,
                                                     const Result& result);

}  // namespace a2a3::tools
