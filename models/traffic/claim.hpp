// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ir/diagnostic.hpp"
#include "isa/dtype.hpp"
#include "models/traffic/schedule.hpp"

namespace a2a3::models {

/// A text of a claim: the schedule, or one formula.
struct ClaimText {
  std::string text;
  std::string shown_as;         ///< stands for the file name in diagnostics of the text
  ir::SourceLocation location;  ///< in the run file; unknown for the command line
};

/// What a run file (`traffic:`) or --traffic claims about the communication that the kernels do
/// themselves, beside the calls of builtin collectives. Either one schedule by name,
///
///     allreduce.ring    allreduce.ring(data=x)    broadcast(root=ROOT_RANK)
///     allgather(elements=SIZE, element_bytes=4)
///
/// or formulas in the golden language for any of claim_quantities(), evaluated per rank: r, P,
/// settings and constants of the kernel file by name, and N, the bytes of one rank's data.
///
/// The data is the host tensor that `data` names, or the program's only input. Its leading
/// dimension counts ranks.
struct TrafficClaimText {
  ClaimText schedule;                         ///< text empty: formulas
  std::map<std::string, ClaimText> formulas;  ///< by quantity, and `data`

  [[nodiscard]] bool empty() const { return schedule.text.empty() && formulas.empty(); }
  /// Of the schedule, or of the first formula of the run file; unknown for the command line.
  [[nodiscard]] ir::SourceLocation location() const;
};

/// received, sent, local (bytes), signals, clears.
[[nodiscard]] const std::vector<std::string>& claim_quantities();

/// A host tensor that a claim may speak of.
struct ClaimTensor {
  isa::DType dtype = isa::DType::fp32;
  std::vector<std::int64_t> shape;
  bool is_input = false;
};

struct ClaimScope {
  std::int64_t ranks = 1;
  std::map<std::string, ClaimTensor> tensors;
  std::map<std::string, double> values;  ///< settings and constants of the kernel file
};

/// A claim with its figures.
struct TrafficClaim {
  std::string schedule;  ///< "allreduce.ring", "own formulas"
  std::string formula;   ///< in words
  std::vector<ExpectedTraffic> ranks;
  std::int64_t buffer_bytes = 0;  ///< 0: no bandwidth is defined
  double bus_factor = 1;
  std::int64_t elements = 0;         ///< ScheduleSize::elements of a schedule
  std::optional<ScheduleSize> size;  ///< of a schedule, seen from rank 0
};

/// Errors, at the text that is wrong: an unknown schedule or quantity, parameters that are missing,
/// unknown or wrong, formulas that give no whole number from 0 up. Nothing when there were any.
[[nodiscard]] std::optional<TrafficClaim> evaluate_claim(const TrafficClaimText& text,
                                                         const ClaimScope& scope,
                                                         ir::Diagnostics& diagnostics);

}  // namespace a2a3::models
