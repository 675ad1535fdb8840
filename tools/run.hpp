// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tools/exit_status.hpp"
#include "tools/report/run_report.hpp"
#include "tools/run_data.hpp"
#include "tools/run_options.hpp"
#include "tools/run_setup.hpp"

namespace a2a3::tools {

/// A run of a kernel file with its verdict, before anything is written. The report points into the
/// setup's module.
struct ExecutedRun {
  RunSetup setup;
  RunData data;
  RunReport report;
};

/// Reads, runs and judges; prints nothing but progress.
[[nodiscard]] ExecutedRun execute_run(const RunOptions& options);

/// Runs a kernel file: card and OK to stdout, errors and findings to stderr, files where the
/// options say, whatever the verdict.
[[nodiscard]] ExitStatus run_kernel(const RunOptions& options);

}  // namespace a2a3::tools
