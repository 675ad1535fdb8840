// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/sweep_file.hpp"
#include "tools/command.hpp"
#include "tools/kernel_options.hpp"
#include "tools/number_option.hpp"
#include "tools/output_file.hpp"
#include "tools/output_path.hpp"
#include "tools/report/json_text.hpp"
#include "tools/run_inputs.hpp"
#include "tools/sweep/config_hash.hpp"
#include "tools/sweep/merge.hpp"
#include "tools/sweep/result_table.hpp"
#include "tools/sweep/run_points.hpp"
#include "tools/sweep/shard.hpp"
#include "tools/sweep/sweep_plot.hpp"

namespace a2a3::tools {
namespace {

constexpr const char* kSweepHelp =
    "The file names a kernel, fixed options, and axes: `over` takes every combination of its "
    "lists,\n"
    "`zip` takes its lists row by row. Results lie in --out, one file per run, named by "
    "everything\n"
    "the run depends on: a second start does only what is missing.\n\n"
    "Exit status: the highest of all runs.\n\n"
    "Examples:\n"
    "  a2a3sim sweep yaml/sweeps/allreduce.yaml -j 2 --out results\n"
    "  a2a3sim sweep yaml/sweeps/allreduce.yaml --out results --plot times.svg --plot-x ranks\n"
    "  a2a3sim sweep yaml/sweeps/allreduce.yaml --out results --shard 1/4\n"
    "  a2a3sim merge results --csv all.csv --json all.json";

constexpr const char* kMergeHelp =
    "Shards may share one directory, or have one each. Without --csv and --json the CSV goes to\n"
    "standard output.\n\n"
    "Example:\n"
    "  a2a3sim merge shard1 shard2 --csv all.csv";

/// Where the results of all runs go; empty: nowhere.
struct ResultFiles {
  std::string csv;
  std::string json;
  std::string plot;
  std::string plot_x;
};

struct SweepOptions {
  std::string file;
  std::string out;
  std::string shard;
  ResultFiles files_to_write;
  PoolOptions pool;
  std::uint64_t max_points = 100'000;
  bool fresh = false;
  bool quiet = false;
  FileLimits files;
};

struct MergeOptions {
  std::vector<std::string> directories;
  ResultFiles files_to_write;
};

std::string write_plot(const SweepManifest& manifest, const std::vector<PointResult>& results,
                       const ResultFiles& files) {
  ir::Diagnostics diagnostics;
  const Plot plot = sweep_plot(manifest, results, files.plot_x, diagnostics);
  if (diagnostics.has_errors()) return diagnostics.all().front().message;
  const std::string error = draw_svg(plot, files.plot);
  return error.empty() ? "" : "--plot: " + error;
}

/// Writes what has a name; one that cannot be written takes nothing from the others. Errors go to
/// stderr.
ExitStatus write_results(const SweepManifest& manifest, const std::vector<PointResult>& results,
                         const ResultFiles& files) {
  std::vector<std::string> errors;
  if (!files.csv.empty())
    errors.push_back(write_whole_file(files.csv, results_csv(manifest, results)));
  if (!files.json.empty())
    errors.push_back(write_whole_file(files.json, to_text(results_json(manifest, results))));
  if (!files.plot.empty()) errors.push_back(write_plot(manifest, results, files));
  std::erase(errors, "");
  for (const std::string& error : errors)
    std::cerr << "error: " << error << '\n';
  return errors.empty() ? ExitStatus::ok : ExitStatus::wrong_input;
}

/// The part that a shard has, of the runs or of their names.
template <typename Item>
std::vector<Item> part_of(const std::vector<Item>& all, const Shard& shard) {
  std::vector<Item> part;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (shard.has(i)) part.push_back(all[i]);
  }
  return part;
}

void add_outputs(const ResultFiles& files, OutputPaths& outputs, ir::Diagnostics& diagnostics) {
  outputs.add_output("--csv", files.csv, diagnostics);
  outputs.add_output("--json", files.json, diagnostics);
  outputs.add_output("--plot", files.plot, diagnostics);
}

/// Refuses files to write that are read too, or written twice, or that cannot be written.
void check_outputs(const std::string& file, const Sweep& sweep, const ResultStore& store,
                   const ResultFiles& files, ir::Diagnostics& diagnostics) {
  OutputPaths outputs;
  outputs.add_input(file, "is the sweep file");
  std::set<std::string> kernels;  // the points differ in little else
  for (const SweepPoint& point : sweep.points) {
    const RunOptions& run = point.options;
    const std::string reads =
        fmt::format("{}\n{}\n{}\n{}\n{}", run.file, run.mode, run.platform,
                    fmt::join(run.inputs, "\n"), fmt::join(run.goldens, "\n"));
    if (kernels.insert(reads).second) add_run_inputs(run, outputs);
  }
  store.keep_free(outputs);
  outputs.add_output("--out", store.manifest_path().string(), diagnostics);
  add_outputs(files, outputs, diagnostics);
}

ExitStatus run_sweep_part(const SweepOptions& options, const Sweep& sweep, const Shard& shard) {
  const ResultStore store(options.out);
  // Shards may share the directory: only the whole sweep writes its tables there by itself.
  const bool whole = shard.count == 1;
  const auto table = [&](const std::string& asked_for, const char* name) {
    return asked_for.empty() && whole ? (store.directory() / name).string() : asked_for;
  };
  ResultFiles files = options.files_to_write;
  files.csv = table(files.csv, "results.csv");
  files.json = table(files.json, "results.json");

  std::string error = store.create();
  ir::Diagnostics refused;
  if (error.empty()) check_outputs(options.file, sweep, store, files, refused);
  const std::vector<std::string> all_hashes = ConfigHash().of(sweep.points);
  if (error.empty() && !refused.has_errors()) error = store.write_manifest(sweep, all_hashes);
  if (!error.empty()) refused.error({}, "--out: " + error);
  std::cerr << ir::format(refused);
  if (refused.has_errors()) return ExitStatus::wrong_input;
  const Sweep part{sweep.description, sweep.columns, part_of(sweep.points, shard)};
  const std::vector<std::string> hashes = part_of(all_hashes, shard);
  if (options.fresh) {
    for (const std::string& hash : hashes)
      store.remove(hash);
  }
  const PoolReport report = run_points(part.points, hashes, store, options.pool);
  const SweepManifest manifest = manifest_of(part, hashes);

  const ExitStatus written = write_results(manifest, report.results, files);
  if (!options.quiet) {
    const std::size_t all = report.results.size();
    std::cout << results_text(manifest, report.results)
              << fmt::format("\n{} runs, {} of them done before; {}\n", all, all - report.ran,
                             files.csv.empty() ? "join the shards with a2a3sim merge " + options.out
                                               : "table in " + files.csv);
  }
  std::cerr << failures_text(manifest, report.results);
  return worse(written, worst_status(report.results));
}

ExitStatus run_sweep(SweepOptions options) {
  const auto shard = options.shard.empty() ? Shard{} : parse_shard(options.shard);
  if (!shard) {
    std::cerr << fmt::format(
        "error: --shard {}: expected the part and how many there are, as in "
        "1/4 or 4/4\n",
        options.shard);
    return ExitStatus::wrong_input;
  }
  const std::filesystem::path path(options.file);
  const models::SweepFile file =
      models::read_sweep_file(path, options.files.of(models::ConfigLimits{}));
  std::cerr << ir::format(file.diagnostics);
  if (file.diagnostics.has_errors()) return ExitStatus::wrong_input;
  if (file.points() > options.max_points) {
    std::cerr << fmt::format("error: {} has {} runs; --max-points {} allows no more\n",
                             options.file, file.points(), options.max_points);
    return ExitStatus::wrong_input;
  }
  if (options.out.empty()) options.out = path.stem().string() + ".results";
  Sweep sweep = sweep_of(file, path.parent_path());
  for (SweepPoint& point : sweep.points)
    point.options.files = options.files;
  return run_sweep_part(options, sweep, *shard);
}

ExitStatus run_merge(const MergeOptions& options) {
  ir::Diagnostics diagnostics;
  const MergedResults merged =
      merge_results({options.directories.begin(), options.directories.end()}, diagnostics);
  OutputPaths outputs;
  for (const std::string& directory : options.directories) {
    const ResultStore store(directory);
    store.keep_free(outputs);
    outputs.add_input(store.manifest_path(), "is the list of the runs");
  }
  add_outputs(options.files_to_write, outputs, diagnostics);
  std::cerr << ir::format(diagnostics);
  if (diagnostics.has_errors()) return ExitStatus::wrong_input;
  const ResultFiles& files = options.files_to_write;
  if (files.csv.empty() && files.json.empty() && files.plot.empty()) {
    std::cout << results_csv(merged.manifest, merged.results);
  }
  const ExitStatus written = write_results(merged.manifest, merged.results, files);
  std::cerr << failures_text(merged.manifest, merged.results);
  return worse(written, worst_status(merged.results));
}

}  // namespace

namespace {

void add_plot_options(CLI::App& command, ResultFiles& files) {
  command.add_option("--plot", files.plot,
                     "Draw time over an axis as SVG, a line for each combination of the others; "
                     "takes gnuplot");
  command.add_option("--plot-x", files.plot_x,
                     "The axis, of numbers (default the last one that varies)");
}

}  // namespace

void add_sweep_command(CLI::App& program, Action& action) {
  const auto options = std::make_shared<SweepOptions>();
  CLI::App* sweep = program.add_subcommand(
      "sweep", "Run a kernel over machines, ranks, sizes, modes and parameters");
  sweep->footer(kSweepHelp);
  sweep->add_option("FILE", options->file, "Sweep file in YAML")->required();
  sweep->add_option("--out", options->out, "Directory of results (default FILE's name .results)");
  sweep->add_option("-j,--jobs", options->pool.jobs, "Runs at the same time (default all cores)")
      ->transform(job_number());
  sweep->add_option("--shard", options->shard,
                    "I/N: only part I of N, every N-th run, for several machines");
  sweep->add_option("--csv", options->files_to_write.csv,
                    "One row per run (default results.csv in --out)");
  sweep->add_option("--json", options->files_to_write.json,
                    "The same as JSON (default results.json in --out)");
  add_plot_options(*sweep, options->files_to_write);
  sweep->add_flag("--fresh", options->fresh, "Forget the results of earlier starts");
  sweep->add_flag("--progress", options->pool.progress,
                  "Say how far it has come also when stderr is no terminal");
  sweep->add_flag("--quiet", options->quiet, "Print nothing but failures");
  sweep->add_option("--max-points", options->max_points, "Most runs")
      ->transform(whole_number<std::uint64_t>())
      ->capture_default_str()
      ->group(kLimitsGroup);
  add_file_limits(*sweep, options->files);
  sweep->callback([options, &action] { action = [options] { return run_sweep(*options); }; });
}

void add_merge_command(CLI::App& program, Action& action) {
  const auto options = std::make_shared<MergeOptions>();
  CLI::App* merge =
      program.add_subcommand("merge", "Join the results of a sweep that ran in shards");
  merge->footer(kMergeHelp);
  merge->add_option("DIR", options->directories, "The shards' --out directories")->required();
  merge->add_option("--csv", options->files_to_write.csv, "Write one row per run");
  merge->add_option("--json", options->files_to_write.json, "Write the same as JSON");
  add_plot_options(*merge, options->files_to_write);
  merge->callback([options, &action] { action = [options] { return run_merge(*options); }; });
}

}  // namespace a2a3::tools
