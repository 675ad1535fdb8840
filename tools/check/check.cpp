// SPDX-License-Identifier: Apache-2.0
#include "tools/check/check.hpp"

#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/check/check_inputs.hpp"
#include "tools/check/check_report.hpp"
#include "tools/check/failure.hpp"
#include "tools/output_file.hpp"
#include "tools/output_path.hpp"
#include "tools/report/findings.hpp"
#include "tools/report/json_text.hpp"
#include "tools/run.hpp"
#include "tools/run_inputs.hpp"

namespace a2a3::tools {
namespace {

/// Most failures that are made smaller.
constexpr std::size_t kMostShrunk = 20;

std::vector<GroupResult> run_groups(const CheckPlan& plan, CaseRunner& runner) {
  std::vector<GroupResult> groups;
  std::vector<CheckCase> all;
  for (const CheckGroup& group : plan.groups()) {
    groups.push_back({group, plan.cases(group), {}});
    all.insert(all.end(), groups.back().cases.begin(), groups.back().cases.end());
  }
  const std::vector<PointResult> results = runner.run(all);
  auto next = results.begin();
  for (GroupResult& group : groups) {
    const auto end = next + static_cast<std::ptrdiff_t>(group.cases.size());
    group.results.assign(next, end);
    next = end;
  }
  return groups;
}

/// What the smallest runs say. A run that died would take this process with it.
void add_texts(std::vector<Failure>& failures, const RunOptions& base) {
  for (Failure& failure : failures) {
    const bool died =
        failure.verdict == PointResult::kKilled || failure.status == ExitStatus::internal_fault;
    failure.text = died ? fmt::format("{}\n", fmt::join(failure.findings, "\n"))
                        : failure_text(execute_run(options_of(base, failure.smallest)).report);
  }
}

ExitStatus write_check_files(const CheckReport& report) {
  ExitStatus status = ExitStatus::ok;
  const auto write = [&](const char* option, const std::string& path, const std::string& text) {
    if (path.empty()) return;
    const std::string error = write_whole_file(path, text);
    if (error.empty()) return;
    std::cerr << fmt::format("error: {}: {}\n", option, error);
    status = ExitStatus::wrong_input;
  };
  write("--json", report.options.json, to_text(check_json(report)));
  write("--junit", report.options.junit, check_junit(report));
  return status;
}

}  // namespace

ExitStatus check_kernel(const CheckOptions& options) {
  ir::Diagnostics diagnostics;
  CheckReport report;
  report.options = options;
  if (!options.base.skews.empty()) {
    diagnostics.error({}, "--skew is for --replay; a check draws skews up to --max-skew");
  }
  report.plan = plan_of(options, diagnostics);
  OutputPaths outputs;
  add_run_inputs(options.base, outputs);
  outputs.add_output("--json", options.json, diagnostics);
  outputs.add_output("--junit", options.junit, diagnostics);
  if (!diagnostics.has_errors()) check_inputs(options, report.plan, diagnostics);
  std::cerr << ir::format(diagnostics);
  if (diagnostics.has_errors()) return ExitStatus::wrong_input;

  CaseRunner runner(options.base, options.pool);
  report.groups = run_groups(report.plan, runner);
  report.failures = find_failures(report.groups, report.plan, runner, kMostShrunk);
  add_texts(report.failures, options.base);

  if (!options.quiet) std::cout << check_table(report);
  std::cout.flush();
  std::cerr << check_failures(report);
  const ExitStatus status = worse(write_check_files(report), report.status());
  if (report.unchecked() > 0) {
    std::cerr << no_golden_text(options);
  } else if (status == ExitStatus::ok) {
    std::cout << (options.quiet ? "OK\n" : "\nOK\n");
  }
  return status;
}

ExitStatus replay_case(const CheckOptions& options) {
  ir::Diagnostics diagnostics;
  const CheckCase one = replayed_case(options, diagnostics);
  std::cerr << ir::format(diagnostics);
  if (diagnostics.has_errors()) return ExitStatus::wrong_input;
  const ExecutedRun run = execute_run(options_of(options.base, one));
  if (!options.quiet) std::cout << fmt::format("{}: {}\n", case_text(one), run.report.verdict());
  std::cout.flush();
  std::cerr << failure_text(run.report);
  if (run.report.status != ExitStatus::ok) return run.report.status;
  if (run.report.is_checked()) {
    std::cout << (options.quiet ? "OK\n" : "\nOK\n");
  } else {
    std::cerr << no_golden_text(options);
  }
  return ExitStatus::ok;
}

}  // namespace a2a3::tools
