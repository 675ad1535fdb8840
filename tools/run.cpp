// SPDX-License-Identifier: Apache-2.0
#include "tools/run.hpp"

#include <algorithm>
#include <iostream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/npy.hpp"
#include "tools/output_file.hpp"
#include "tools/progress.hpp"
#include "tools/report/cost_card.hpp"
#include "tools/report/deadlock_report.hpp"
#include "tools/report/explain_text.hpp"
#include "tools/report/hint_report.hpp"
#include "tools/report/json_text.hpp"
#include "tools/report/launch_findings.hpp"
#include "tools/report/launch_report.hpp"
#include "tools/report/race_report.hpp"
#include "tools/report/run_json.hpp"
#include "tools/report/run_report.hpp"
#include "tools/report/signal_table.hpp"
#include "tools/report/traffic_report.hpp"
#include "tools/run_data.hpp"
#include "tools/run_setup.hpp"
#include "tools/window_dump.hpp"

namespace a2a3::tools {
namespace {

/// An output that is not written everywhere is right all the same when its golden says so, and so
/// are cells that are read to see that they are 0.
void accept_outputs(RunReport& report) {
  if (!report.goldens.empty() && std::ranges::all_of(report.goldens, &GoldenCheck::right)) {
    std::erase_if(report.result.findings,
                  [](const Finding& finding) { return finding.kind == kClearedRead; });
  }
  for (Finding& finding : report.result.findings) {
    const auto golden = std::ranges::find(report.goldens, finding.parameter, &GoldenCheck::output);
    if (golden != report.goldens.end() && golden->right())
      finding.diagnostic.severity = ir::Severity::warning;
  }
}

/// The closed form of the run's only collective, called once.
std::optional<models::ModelledTime> modelled_time(const RunReport& report,
                                                  const models::MachineDescription& machine) {
  const TrafficPart* part = report.only_collective();
  if (part == nullptr || !part->size || !part->has_own_time()) return std::nullopt;
  const models::Schedule* schedule = models::find_schedule(part->schedule, part->form);
  if (schedule == nullptr) return std::nullopt;
  return models::modelled_time(*schedule, *part->size, machine);
}

/// Simulates and judges. The setup must be free of errors.
void execute(const RunSetup& setup, const RunData& data, Options options, RunReport& report) {
  Progress progress;
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
  report.goldens = check_goldens(data, options.ranks, report.result);
  for (const auto& [name, array] : report.result.outputs) {
    if (std::ranges::find(report.goldens, name, &GoldenCheck::output) == report.goldens.end()) {
      report.without_golden.push_back(name);
    }
  }
  if (report.result.timed) {
    report.parts = report.result.collectives;
    report.has_claim = data.claim && setup.check_traffic;
    if (report.has_claim) {
      report.claim_location = setup.traffic.location();
      report.parts.push_back(claimed_part(report.result, *data.claim));
    }
    if (options.explain) report.modelled = modelled_time(report, *setup.machine.machine);
  }
  accept_outputs(report);
  const bool right = std::ranges::all_of(report.goldens, &GoldenCheck::right) &&
                     std::ranges::all_of(report.parts, &TrafficPart::right);
  report.status = right ? ExitStatus::ok : ExitStatus::wrong_result;
  const bool found = std::ranges::any_of(report.result.findings, [](const Finding& finding) {
    return finding.diagnostic.severity == ir::Severity::error;
  });
  if (found || !report.result.race_check.races.empty()) {
    report.status = ExitStatus::finding;  // also of what is wrong because of it
  } else if (right && report.result.race_check.state == RaceCheck::State::undecided) {
    report.diagnostics.error(
        {}, fmt::format("not decided whether there is a race or a read of bytes without a value: "
                        "each check remembers {} records and one needs more; --max-race-records "
                        "sets the limit, --no-race-check leaves the checks out",
                        options.limits.max_race_records));
    report.status = ExitStatus::wrong_input;
  } else if (right && report.result.race_check.state == RaceCheck::State::too_many_orders) {
    report.diagnostics.error(
        {},
        "not decided whether waits can hang: credits are taken out of cells that others wait "
        "on too, in more orders than can be tried; --max-race-records sets the limit, a2a3sim "
        "check tries some of them");
    report.status = ExitStatus::wrong_input;
  }
}

/// What is wrong with a finished launch; empty when nothing is.
std::string mismatches(const RunReport& report) {
  return mismatch_report(report.goldens) + traffic_mismatches(report);
}

/// `found`: the text of races and findings; `all_right`: this launch and those before it.
void print(const RunOptions& options, const RunReport& report, const std::string& found,
           bool all_right) {
  std::cerr << ir::format(report.diagnostics);
  const Result& result = report.result;
  if (result.outcome != Outcome::invalid && !options.quiet) {
    if (options.print_plan) std::cout << interp::print(result.plan) << '\n';
    std::cout << cost_card(report);
  }
  if (result.outcome != Outcome::invalid)
    std::cout << explanation_text(report) << signal_table(report);
  if (result.outcome == Outcome::deadlock) {
    std::cerr << deadlock_report(result, report.device_ids.size());
  }
  std::cerr << found << hint_report(report);
  std::cerr << mismatches(report);
  if (result.outcome != Outcome::finished) return;
  if (report.options.data == Data::none) {
    std::cerr << "no data was moved: result and races not checked\n";
  } else if (report.goldens.empty()) {
    std::cerr << "no golden given: result not checked (give --golden 'y: ...')\n";
  } else if (!report.is_checked()) {
    std::cerr << fmt::format(
        "no golden given for {0}: result not checked (give --golden '{1}: ...')\n",
        fmt::join(report.without_golden, ", "), report.without_golden.front());
  } else if (all_right) {
    std::cout << (options.quiet ? "OK\n" : "\nOK\n");
  }
}

/// What --dump names: outputs and windows as the run left them, inputs as they were given.
void write_dumps(const RunSetup& setup, const RunData& data, RunReport& report) {
  if (report.result.outcome == Outcome::invalid) return;
  const Result& result = report.result;
  for (const auto& [name, file] : setup.dumps) {
    const auto output = result.outputs.find(name);
    const auto input = data.inputs.find(name);
    std::string error;
    if (output != result.outputs.end()) {
      error = models::write_npy(file, output->second);
    } else if (input != data.inputs.end()) {
      error = models::write_npy(file, input->second);
    } else if (result.windows.empty()) {
      error =
          fmt::format("--dump {}: the run did not begin, so that there is nothing to write", name);
    } else {
      const auto window = find_window(result.plan, name);
      error = models::write_npy(file, window_array(result.plan, window.value(), result.windows));
    }
    if (!error.empty()) {
      report.diagnostics.error({}, error);
      report.status = ExitStatus::wrong_input;
    }
  }
}

/// `json` makes what is to be written, which may take longer than the run: only when it is.
template <class Json>
void write_json(const std::string& path, Json&& json, RunReport& report) {
  if (path.empty()) return;
  const std::string error = write_whole_file(path, to_text(json()));
  if (error.empty()) return;
  report.diagnostics.error({}, "--json: " + error);
  report.status = ExitStatus::wrong_input;
}

/// Launches the program again and again, until one does not finish. Only of the last launch the
/// outputs and the plan are kept, and its own data.
LaunchesReport execute_launches(const RunSetup& setup, const RunOptions& options,
                                const RunData& data, const RunReport& prepared,
                                RunData& last_data) {
  LaunchesReport all{{}, options.launches, options.persistent};
  WindowContents windows;
  for (std::uint32_t launch = 0; launch < options.launches; ++launch) {
    if (launch > 0) {
      all.launches.back().result.outputs.clear();
      all.launches.back().result.plan = {};
    }
    RunReport& report = all.launches.emplace_back(prepared);
    if (launch > 0) report.diagnostics = {};
    Options how = setup.options;
    const bool is_last = launch + 1 == options.launches;
    how.keep_windows = how.keep_windows || (options.persistent && !is_last);
    if (options.persistent && !is_last) how.windows_read.reset();  // the next launch reads all
    if (options.persistent && launch > 0) how.windows = &windows;
    last_data = data_of_launch(setup, options, data, launch, report.diagnostics);
    if (report.diagnostics.has_errors()) break;
    execute(setup, last_data, how, report);
    if (report.result.outcome != Outcome::finished) break;
    if (!is_last) windows = std::move(report.result.windows);
    // Warnings were given with the first launch.
    if (launch > 0 && !report.diagnostics.has_errors()) report.diagnostics = {};
  }
  return all;
}

void print_launches(const RunOptions& options, const LaunchesReport& all) {
  for (std::size_t i = 0; i + 1 < all.launches.size(); ++i) {
    const RunReport& report = all.launches[i];
    std::cerr << ir::format(report.diagnostics);
    if (const std::string wrong = mismatches(report); !wrong.empty()) {
      std::cerr << fmt::format("launch {} of {}: {}", i + 1, all.asked_for, wrong);
    }
  }
  if (!options.quiet) {
    std::cout << launch_table(all) << fmt::format("\nlaunch {}:\n", all.launches.size());
  }
  std::cerr << launch_findings(all.launches);
  const RunReport& last = all.launches.back();
  const bool has_more = last.result.outcome != Outcome::finished ||
                        !last.diagnostics.all().empty() || !mismatches(last).empty();
  if (last.status != ExitStatus::ok && has_more) {
    std::cerr << fmt::format("launch {} of {}:\n", all.launches.size(), all.asked_for);
  }
  print(options, last, {}, all.status() == ExitStatus::ok);
}

ExitStatus run_launches(const RunOptions& options, const RunSetup& setup, const RunData& data,
                        const RunReport& prepared) {
  RunData last_data;
  LaunchesReport all = execute_launches(setup, options, data, prepared, last_data);
  RunReport& last = all.launches.back();
  write_dumps(setup, last_data, last);
  write_json(
      setup.json, [&] { return launches_json(all); }, last);
  print_launches(options, all);
  return all.status();
}

/// Reads everything; the report has what is known before the run.
ExecutedRun prepare_report(const RunOptions& options) {
  ExecutedRun run;
  RunReport& report = run.report;
  RunSetup& setup = run.setup;
  setup = prepare_run(options, report.diagnostics);
  if (setup.module != nullptr && !setup.device_ids.empty()) {
    run.data = prepare_data(setup, options, report.diagnostics);
    setup.options.windows_read = run.data.dumped_windows;
    report.result.over_limit = run.data.over_limit;
  } else {
    check_golden_syntax(setup, report.diagnostics);
  }

  report.file = options.file;
  report.program = setup.module == nullptr ? "" : setup.module->name;
  report.mode = setup.mode;
  if (const auto& machine = setup.machine.machine) {
    report.placement = machine->placement;
    report.memory = machine->relaxed;
    report.memory.seed = setup.options.seed.value_or(report.memory.seed);
    report.hazards = machine->hazards;
  }
  report.machine = setup.machine.machine ? setup.machine.machine->name : options.platform;
  report.device_ids = setup.device_ids;
  report.settings = setup.settings;
  report.inputs = run.data.input_texts;
  report.options = setup.options;
  return run;
}

RunOptions with_data(RunOptions options) {
  options.data = kFullData;
  return options;
}

/// One launch, if the program could be prepared without errors.
ExecutedRun execute_once(const RunOptions& options) {
  ExecutedRun run = prepare_report(options);
  if (!run.report.diagnostics.has_errors()) {
    execute(run.setup, run.data, run.setup.options, run.report);
  }
  const bool again = options.data == kAutoData && run.report.result.needs_data;
  return again ? execute_once(with_data(options)) : std::move(run);
}

}  // namespace

ExecutedRun execute_run(const RunOptions& options) {
  return execute_once(options);
}

ExitStatus run_kernel(const RunOptions& options) {
  if (options.launches > 1 && options.data == kAutoData) return run_kernel(with_data(options));
  ExecutedRun run;
  if (options.launches > 1) {
    run = prepare_report(options);
    if (!run.report.diagnostics.has_errors()) {
      return run_launches(options, run.setup, run.data, run.report);
    }
  } else {
    run = execute_once(options);
  }
  write_dumps(run.setup, run.data, run.report);
  const auto json = [&] {
    return options.launches > 1
               ? launches_json({{run.report}, options.launches, options.persistent})
               : run_json(run.report);
  };
  write_json(run.setup.json, json, run.report);
  const Result& result = run.report.result;
  print(options, run.report, race_report(result.race_check) + finding_report(result.findings),
        run.report.status == ExitStatus::ok);
  return run.report.status;
}

}  // namespace a2a3::tools
