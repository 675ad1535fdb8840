// SPDX-License-Identifier: Apache-2.0
#include "tools/run.hpp"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/npy.hpp"
#include "tools/progress.hpp"
#include "tools/report/cost_card.hpp"
#include "tools/report/deadlock_report.hpp"
#include "tools/report/run_json.hpp"
#include "tools/report/run_report.hpp"
#include "tools/report/traffic_report.hpp"
#include "tools/run_data.hpp"
#include "tools/run_setup.hpp"

namespace a2a3::tools {
namespace {

/// Simulates and judges. The setup must be free of errors.
void execute(const RunSetup& setup, const RunData& data, RunReport& report) {
  Progress progress;
  Options options = setup.options;
  options.observers.push_back(&progress);
  report.result = simulate(*setup.module, *setup.machine.machine, data.inputs, options);
  report.diagnostics.append(report.result.diagnostics);
  switch (report.result.outcome) {
    case Outcome::invalid:
    case Outcome::fault:
    case Outcome::over_limit:
      report.status = ExitStatus::wrong_input;
      return;
    case Outcome::deadlock:
      report.status = ExitStatus::deadlock;
      return;
    case Outcome::finished:
      break;
  }
  report.goldens = check_goldens(data, setup.comparison, options.ranks, report.result);
  for (const auto& [name, array] : report.result.outputs) {
    if (std::ranges::find(report.goldens, name, &GoldenCheck::output) == report.goldens.end()) {
      report.without_golden.push_back(name);
    }
  }
  if (report.result.timed) {
    report.parts = report.result.collectives;
    report.has_claim = data.claim.has_value();
    if (data.claim) report.parts.push_back(claimed_part(report.result, *data.claim));
  }
  const bool right = std::ranges::all_of(report.goldens, &GoldenCheck::right) &&
                     std::ranges::all_of(report.parts, &TrafficPart::right);
  report.status = right ? ExitStatus::ok : ExitStatus::wrong_result;
}

void print(const RunOptions& options, const RunReport& report) {
  std::cerr << ir::format(report.diagnostics);
  const Result& result = report.result;
  if (result.outcome != Outcome::invalid && !options.quiet) {
    if (options.print_plan) std::cout << interp::print(result.plan) << '\n';
    std::cout << cost_card(report);
  }
  if (result.outcome == Outcome::deadlock) {
    std::cerr << deadlock_report(result, report.device_ids.size());
  }
  std::cerr << mismatch_report(report.goldens) << traffic_mismatches(report);
  if (result.outcome != Outcome::finished) return;
  if (report.goldens.empty()) {
    std::cerr << "no golden given: result not checked (give --golden 'y: ...')\n";
  } else if (!report.is_checked()) {
    std::cerr << fmt::format(
        "no golden given for {0}: result not checked (give --golden '{1}: ...')\n",
        fmt::join(report.without_golden, ", "), report.without_golden.front());
  } else if (report.status == ExitStatus::ok) {
    std::cout << (options.quiet ? "OK\n" : "\nOK\n");
  }
}

/// The tensors of --dump: outputs as the run left them, inputs as they were given.
void write_dumps(const RunSetup& setup, const RunData& data, RunReport& report) {
  if (report.result.outcome == Outcome::invalid) return;
  for (const auto& [name, file] : setup.dumps) {
    const auto output = report.result.outputs.find(name);
    const isa::Array& array =
        output == report.result.outputs.end() ? data.inputs.at(name) : output->second;
    if (const std::string error = models::write_npy(file, array); !error.empty()) {
      report.diagnostics.error({}, error);
      report.status = ExitStatus::wrong_input;
    }
  }
}

void write_json(const std::string& path, RunReport& report) {
  if (path.empty()) return;
  std::ofstream file(path, std::ios::binary);
  file << run_json(report);
  file.close();
  if (!file) {
    report.diagnostics.error({}, fmt::format("--json: cannot write {}", path));
    report.status = ExitStatus::wrong_input;
  }
}

}  // namespace

ExecutedRun execute_run(const RunOptions& options) {
  ExecutedRun run;
  RunReport& report = run.report;
  RunSetup& setup = run.setup;
  setup = prepare_run(options, report.diagnostics);
  if (setup.module != nullptr && !setup.device_ids.empty()) {
    run.data = prepare_data(setup, options, report.diagnostics);
  } else {
    check_golden_syntax(setup, report.diagnostics);
  }

  report.file = options.file;
  report.program = setup.module == nullptr ? "" : setup.module->name;
  report.mode = setup.mode;
  report.machine = setup.machine.machine ? setup.machine.machine->name : options.platform;
  report.device_ids = setup.device_ids;
  report.settings = setup.settings;
  report.inputs = run.data.input_texts;
  report.options = setup.options;
  if (!report.diagnostics.has_errors()) execute(setup, run.data, report);
  return run;
}

ExitStatus run_kernel(const RunOptions& options) {
  ExecutedRun run = execute_run(options);
  write_dumps(run.setup, run.data, run.report);
  write_json(run.setup.json, run.report);
  print(options, run.report);
  return run.report.status;
}

}  // namespace a2a3::tools
