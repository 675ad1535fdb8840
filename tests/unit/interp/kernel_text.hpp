// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "interp/kernel_run.hpp"
#include "interp/launch_plan.hpp"
#include "interp/memory.hpp"
#include "interp/untimed.hpp"
#include "ir/module.hpp"
#include "isa/array.hpp"

namespace a2a3::interp {

/// How a kernel text is run in a test.
struct TextOptions {
  std::int64_t ranks = 2;
  std::string entry;
  std::map<std::string, std::string> settings;
  std::map<std::string, std::int64_t> dims;
  std::map<std::string, ir::Constant> scalars;  ///< of the host function
  std::optional<std::uint64_t> seed;
  CoreLimits limits;
  PlanOptions plan;
  /// Fills the inputs; by default element i of every tensor is i + 1.
  std::function<double(const std::string& parameter, std::int64_t index)> input;
};

/// A kernel text on its way through parse, elaborate, check, bind, plan and run.
struct TextRun {
  std::unique_ptr<ir::Module> module;
  ir::Diagnostics diagnostics;  ///< of all steps
  BoundSignature signature;
  LaunchPlan plan;
  std::unique_ptr<KernelRun> run;
  UntimedResult result;
  std::map<std::string, isa::Array> arrays;  ///< host tensors by name, after the run
  DeviceMemory memory;

  /// All diagnostics as text.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool finished() const {
    return !diagnostics.has_errors() && run != nullptr &&
           result.outcome == UntimedResult::Outcome::finished;
  }
};

/// Goes as far as there are no errors.
[[nodiscard]] TextRun run_text(const std::string& text, const TextOptions& options = {});
/// The same without the run.
[[nodiscard]] TextRun plan_text(const std::string& text, const TextOptions& options = {});

/// "name.py:line:column" of the first diagnostic whose message contains `part`; "" when none does.
[[nodiscard]] std::string place_of(const ir::Diagnostics& diagnostics, const std::string& part);

/// Line and column, as "line:column", of the n-th occurrence (from 1) of `part` in a text.
[[nodiscard]] std::string position(const std::string& text, const std::string& part, int n = 1);

}  // namespace a2a3::interp
