// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/vocabulary.hpp"
#include "models/compare_file.hpp"
#include "models/machine_yaml.hpp"
#include "tools/command.hpp"
#include "tools/data_dir.hpp"
#include "tools/kernel_options.hpp"
#include "tools/number_option.hpp"
#include "tools/option_values.hpp"
#include "tools/output_file.hpp"
#include "tools/output_path.hpp"
#include "tools/report/json_text.hpp"
#include "tools/run_inputs.hpp"
#include "tools/sweep/compare_report.hpp"
#include "tools/sweep/compare_sizes.hpp"
#include "tools/sweep/comparison.hpp"
#include "tools/sweep/result_table.hpp"
#include "tools/sweep/temporary_directory.hpp"

namespace a2a3::tools {
namespace {

constexpr const char* kCompareHelp =
    "A size is what NCCL-tests calls size: the bytes of one rank's whole buffer (allreduce,\n"
    "broadcast: its data; the others: its P slices). What does not divide into elements and ranks\n"
    "is rounded up. Between two sizes where the faster schedule changes, the crossover is "
    "bisected\n"
    "to 1 %.\n\n"
    "COLLECTIVE names a file of yaml/compare: schedules, their kernel files and settings. Your "
    "own:\n"
    "--schedule-file FILE.yaml in the same form.\n\n"
    "Examples:\n"
    "  a2a3sim compare allreduce --schedules mesh,two_phase,ring -p a2 --ranks 2,4,8 --bytes "
    "1KiB..64MiB\n"
    "  a2a3sim compare allgather --schedules hand,builtin -p a2 --ranks 2..8 --plot allgather.svg\n"
    "  a2a3sim compare allreduce --ranks 8 --bytes 17,1000,64KiB --csv times.csv";

struct CompareOptions {
  std::string collective;
  std::vector<std::string> schedules;
  std::string schedule_file;
  std::string machine = "a2a3sim";
  std::string ranks = "2,4,8";
  std::string bytes = "1KiB..4MiB";
  std::string out;
  std::string csv;
  std::string json;
  std::string plot;
  PoolOptions pool;
  std::uint32_t max_devices = kDefaultMaxDevices;
  bool check_goldens = false;
  FileLimits files;

  [[nodiscard]] models::ConfigLimits limits() const { return files.of(models::ConfigLimits{}); }
};

/// The file that says which schedules there are; empty, with an error, when there is none.
std::filesystem::path schedule_file(const CompareOptions& options, ir::Diagnostics& diagnostics) {
  if (!options.schedule_file.empty()) return options.schedule_file;
  const std::vector<std::string> known = yaml_names(data_dir() / "yaml" / "compare");
  if (std::ranges::find(known, options.collective) != known.end()) {
    return data_dir() / "yaml" / "compare" / (options.collective + ".yaml");
  }
  diagnostics
      .error({}, fmt::format("unknown collective '{}'{}", options.collective,
                             ir::suggestion(options.collective, known)))
      .notes.push_back({fmt::format("known: {}; for one of your own, give --schedule-file",
                                    fmt::join(known, ", ")),
                        {}});
  return {};
}

/// The names of all --schedules, between the commas.
std::vector<std::string> schedule_names(const std::vector<std::string>& lists) {
  std::vector<std::string> names;
  for (const std::string& list : lists) {
    for (const std::string_view name : comma_items(list))
      names.emplace_back(name);
  }
  return names;
}

/// The schedules of --schedules in its order; all of the file without it.
std::vector<models::ComparedSchedule> chosen_schedules(const models::CompareFile& file,
                                                       const std::vector<std::string>& names,
                                                       ir::Diagnostics& diagnostics) {
  if (names.empty()) return file.schedules;
  std::vector<models::ComparedSchedule> chosen;
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (name.empty()) {
      diagnostics.error({},
                        "--schedules: a name is missing between the commas; write --schedules "
                        "mesh,ring");
      continue;
    }
    if (!seen.insert(name).second) {
      diagnostics.error({}, fmt::format("--schedules: {} is named twice", name));
    }
    if (const models::ComparedSchedule* schedule = file.find(name)) {
      chosen.push_back(*schedule);
      continue;
    }
    const std::vector<std::string> known = file.names();
    diagnostics
        .error({}, fmt::format("--schedules: {} has no schedule '{}'{}", file.source->path(), name,
                               ir::suggestion(name, known)))
        .notes.push_back({fmt::format("it has {}", fmt::join(known, ", ")), {}});
  }
  return chosen;
}

/// The machine, large enough; an error when there is none.
std::optional<models::MachineDescription> checked_machine(const CompareOptions& options,
                                                          const std::vector<std::uint32_t>& ranks,
                                                          ir::Diagnostics& diagnostics) {
  const models::MachineYaml machine =
      models::read_machine(options.machine, {data_dir(), options.limits()});
  diagnostics.append(machine.diagnostics);
  if (machine.machine && !ranks.empty()) {
    const auto error = models::check_device(*machine.machine, ranks.back() - 1);
    if (error) diagnostics.error(error->location, error->message).notes = error->notes;
  }
  return machine.machine ? std::optional(*machine.machine) : std::nullopt;
}

/// The files that were asked for. A plot that cannot be drawn takes nothing from the others.
ExitStatus write_files(const CompareOptions& options, const CompareReport& report,
                       Comparison& comparison, const std::vector<PointResult>& results) {
  const SweepManifest manifest = comparison.manifest(report.keys(comparison.schedules().size()));
  std::vector<std::string> errors;
  if (!options.csv.empty()) {
    errors.push_back(write_whole_file(options.csv, results_csv(manifest, results)));
  }
  if (!options.json.empty()) {
    errors.push_back(write_whole_file(options.json, to_text(compare_json(report, comparison))));
  }
  if (!options.plot.empty()) {
    const std::string error = draw_svg(compare_plot(report, comparison), options.plot);
    errors.push_back(error.empty() ? "" : "--plot: " + error);
  }
  ExitStatus status = ExitStatus::ok;
  for (const std::string& error : errors) {
    if (error.empty()) continue;
    std::cerr << "error: " << error << '\n';
    status = ExitStatus::wrong_input;
  }
  return status;
}

/// What all runs share.
RunOptions common_options(const CompareOptions& options) {
  RunOptions common;
  common.platform = options.machine;
  common.check_goldens = options.check_goldens;
  common.data = options.check_goldens ? kFullData : kAutoData;
  common.files = options.files;
  common.max_devices = options.max_devices;
  return common;
}

/// Refuses files to write that are read too, or written twice, or that cannot be written.
void check_outputs(const CompareOptions& options, const std::filesystem::path& file,
                   const std::vector<models::ComparedSchedule>& schedules, const ResultStore& store,
                   ir::Diagnostics& diagnostics) {
  OutputPaths outputs;
  if (!file.empty()) outputs.add_input(file, "is the file of schedules");
  if (!options.out.empty()) store.keep_free(outputs);
  for (const models::ComparedSchedule& schedule : schedules) {
    RunOptions run = common_options(options);
    run.file = (file.parent_path() / schedule.kernel.text).string();
    run.mode = schedule.mode;
    add_run_inputs(run, outputs);
  }
  outputs.add_output("--csv", options.csv, diagnostics);
  outputs.add_output("--json", options.json, diagnostics);
  outputs.add_output("--plot", options.plot, diagnostics);
}

ExitStatus run_compare(const CompareOptions& options) {
  ir::Diagnostics diagnostics;
  CompareReport report;
  report.ranks = parse_rank_counts(options.ranks, options.max_devices, diagnostics);
  report.sizes = parse_sizes(options.bytes, diagnostics);
  const auto machine = checked_machine(options, report.ranks, diagnostics);
  const std::filesystem::path path = schedule_file(options, diagnostics);
  models::CompareFile file;
  if (!path.empty()) {
    file = models::read_compare_file(path, options.limits());
    diagnostics.append(file.diagnostics);
  }
  std::vector<models::ComparedSchedule> schedules;
  if (!diagnostics.has_errors())
    schedules = chosen_schedules(file, schedule_names(options.schedules), diagnostics);
  std::optional<TemporaryDirectory> temporary;
  if (options.out.empty() && !diagnostics.has_errors()) temporary.emplace();
  const ResultStore store(temporary ? temporary->path() : std::filesystem::path(options.out));
  if (!diagnostics.has_errors()) {
    if (const std::string error = store.create(); !error.empty()) {
      diagnostics.error({}, "--out: " + error);
    }
  }
  check_outputs(options, path, schedules, store, diagnostics);
  std::cerr << ir::format(diagnostics);
  if (diagnostics.has_errors()) return ExitStatus::wrong_input;

  report.collective = options.collective;
  report.description = file.description;
  report.machine = options.machine;
  Comparison comparison(std::move(schedules), path.parent_path(), common_options(options), *machine,
                        store, options.pool);
  const std::vector<CompareKey> keys = report.keys(comparison.schedules().size());
  comparison.measure(keys);
  report.crossovers = comparison.crossovers(report.ranks, report.sizes, TimeKind::simulated);
  report.modelled_crossovers =
      comparison.crossovers(report.ranks, report.sizes, TimeKind::modelled);
  std::vector<PointResult> results;
  for (const CompareKey& key : keys)
    results.push_back(comparison.at(key));

  std::cout << compare_text(report, comparison);
  const ExitStatus written = write_files(options, report, comparison, results);
  const std::vector<CompareKey> measured = comparison.measured();
  std::vector<PointResult> all;
  for (const CompareKey& key : measured)
    all.push_back(comparison.at(key));
  std::cerr << failures_text(comparison.manifest(measured), all);
  return worse(written, worst_status(all));
}

}  // namespace

void add_compare_command(CLI::App& program, Action& action) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App* compare = program.add_subcommand(
      "compare", "Compare schedules of a collective over sizes and rank counts");
  compare->footer(kCompareHelp);
  compare->add_option("COLLECTIVE", options->collective, "allreduce, allgather, broadcast, ...")
      ->required();
  compare->add_option("--schedules", options->schedules, "Their names (default all of the file)")
      ->allow_extra_args(false);
  compare->add_option("--schedule-file", options->schedule_file,
                      "YAML file that says which schedules there are");
  compare->add_option("-p,--platform", options->machine, "Machine: a shipped name or a YAML file")
      ->capture_default_str();
  compare->add_option("--ranks", options->ranks, "Rank counts: 2,4,8 or 2..16")
      ->capture_default_str();
  compare
      ->add_option("--bytes", options->bytes,
                   "Sizes: 17,1000,64KiB, or 1KiB..64MiB for the powers of two between")
      ->capture_default_str();
  compare->add_option("--csv", options->csv, "Write one row per run");
  compare->add_option("--json", options->json, "Write the same and the crossovers as JSON");
  compare->add_option("--plot", options->plot, "Draw time over size as SVG; takes gnuplot");
  compare->add_option("--out", options->out,
                      "Keep the results here: a second start does only what is missing");
  compare->add_option("-j,--jobs", options->pool.jobs, "Runs at the same time (default all cores)")
      ->transform(job_number());
  compare->add_flag("--check", options->check_goldens, "Also hold every result against its golden");
  compare->add_flag("--progress", options->pool.progress,
                    "Say how far it has come also when stderr is no terminal");
  compare->add_option("--max-devices", options->max_devices, "Most ranks")
      ->transform(whole_number<std::uint32_t>())
      ->capture_default_str()
      ->group(kLimitsGroup);
  add_file_limits(*compare, options->files);
  compare->callback([options, &action] { action = [options] { return run_compare(*options); }; });
}

}  // namespace a2a3::tools
