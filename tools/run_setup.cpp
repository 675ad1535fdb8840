// SPDX-License-Identifier: Apache-2.0
#include "tools/run_setup.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/elaborate/settings.hpp"
#include "ir/vocabulary.hpp"
#include "models/config/text_file.hpp"
#include "models/input_spec.hpp"
#include "models/topology.hpp"
#include "tools/data_dir.hpp"
#include "tools/load_kernel.hpp"
#include "tools/output_path.hpp"
#include "tools/run_inputs.hpp"
#include "tools/skew_option.hpp"

namespace a2a3::tools {
namespace {

/// Ranks that a context block of the real runtime can address (kernel_language 4.2). More run here
/// all the same, for what-if studies.
constexpr std::uint32_t kContextSlots = 64;

void read_devices(const RunOptions& options, RunSetup& setup, ir::Diagnostics& diagnostics) {
  setup.device_ids = parse_devices(options.devices, options.max_devices, diagnostics);
  setup.machine = models::read_machine(options.platform,
                                       {data_dir(), options.files.of(models::ConfigLimits{})});
  diagnostics.append(setup.machine.diagnostics);
  if (setup.machine.machine && !options.memory.empty()) {
    setup.machine.machine->relaxed.order =
        options.memory == kRelaxed ? models::MemoryOrder::relaxed : models::MemoryOrder::ordered;
  }
  if (!setup.machine.machine || setup.device_ids.empty()) return;
  const std::uint32_t highest = *std::ranges::max_element(setup.device_ids);
  if (const auto error = models::check_device(*setup.machine.machine, highest)) {
    ir::Diagnostics one;
    one.error(error->location, error->message).notes = error->notes;
    diagnostics.append(std::move(one));
  }
}

/// The run file's mode becomes the base that the command line goes over.
void apply_run_file(const RunOptions& options, RunSetup& setup, std::string& entry,
                    std::map<std::string, ir::SourceLocation>& setting_places,
                    ir::Diagnostics& diagnostics) {
  const std::filesystem::path path = run_file_of(options);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    if (!options.mode.empty()) {
      diagnostics.error({}, fmt::format("--mode {}: there is no run file {} that says what the "
                                        "modes are; --entry names a function or class of {}",
                                        options.mode, path.string(), options.file));
    }
    return;
  }
  setup.run_file = models::read_run_file(path, options.files.of(models::ConfigLimits{}));
  diagnostics.append(setup.run_file.diagnostics);
  if (setup.run_file.diagnostics.has_errors()) return;
  const models::RunMode* mode = models::choose_mode(setup.run_file, options.mode, diagnostics);
  if (mode == nullptr) return;
  if (!setup.device_ids.empty()) {
    models::check_rank_count(*mode, static_cast<std::uint32_t>(setup.device_ids.size()),
                             diagnostics);
  }
  setup.mode = mode->name;
  setup.comparison = mode->comparison;
  setup.comparisons = mode->comparisons;
  if (mode->entry) entry = mode->entry->text;
  for (const auto& [name, value] : mode->settings) {
    setup.settings[name] = value.text;
    setting_places[name] = value.location;
  }
  const auto take = [&](const std::map<std::string, models::RunText>& texts, const char* kind,
                        std::map<std::string, SpecText>& into) {
    for (const auto& [name, value] : texts) {
      into[name] = {value.text, fmt::format("{}: {} of {}", path.string(), kind, name),
                    path.parent_path(), value.location};
    }
  };
  const auto claim = [&](const models::RunText& value, const std::string& what) {
    return models::ClaimText{value.text, fmt::format("{}: {}", path.string(), what),
                             value.location};
  };
  if (mode->traffic) setup.traffic.schedule = claim(*mode->traffic, "traffic");
  for (const auto& [name, value] : mode->traffic_formulas)
    setup.traffic.formulas[name] = claim(value, "traffic." + name);
  take(mode->inputs, "input", setup.inputs);
  take(mode->goldens, "golden", setup.goldens);
}

void apply_specs(const std::vector<std::string>& texts, const char* option, const char* example,
                 std::map<std::string, SpecText>& into, ir::Diagnostics& diagnostics) {
  for (const auto& [name, text] : parse_all_named(option, texts, ':', example, diagnostics)) {
    into[name] = {text, fmt::format("{} {}", option, name), {}, {}};
  }
}

/// --traffic takes the place of the run file's claim.
void apply_traffic(const RunOptions& options, RunSetup& setup, ir::Diagnostics& diagnostics) {
  setup.check_traffic = options.check_traffic;
  if (options.traffic.empty()) return;
  setup.traffic = {};
  constexpr const char* kExample = "--traffic allreduce.ring or --traffic 'received: (P-1) * N'";
  if (options.traffic.front().find(':') == std::string::npos) {
    setup.traffic.schedule = {options.traffic.front(), "--traffic", {}};
    if (options.traffic.size() == 1) return;
    diagnostics.error({},
                      fmt::format("--traffic '{}': the schedule {} is claimed already; write {}",
                                  options.traffic[1], options.traffic[0], kExample));
    return;
  }
  const auto schedule = std::ranges::find_if(
      options.traffic, [](const std::string& text) { return text.find(':') == std::string::npos; });
  if (schedule != options.traffic.end()) {
    diagnostics.error({}, fmt::format("--traffic '{}': formulas are claimed already; a claim is a "
                                      "schedule or formulas, not both: write {}",
                                      *schedule, kExample));
    return;
  }
  std::vector<std::string> known = models::claim_quantities();
  known.emplace_back("data");
  for (const auto& [name, text] :
       parse_all_named("--traffic", options.traffic, ':', kExample, diagnostics)) {
    if (std::ranges::find(known, name) == known.end()) {
      diagnostics
          .error({}, fmt::format("--traffic '{}: {}': unknown quantity '{}'{}", name, text, name,
                                 ir::suggestion(name, known)))
          .notes.push_back({fmt::format("known: {}", fmt::join(known, ", ")), {}});
      continue;
    }
    setup.traffic.formulas[name] = {text, "--traffic " + name, {}};
  }
}

/// --compare for all outputs takes the place of what the run file says, for one output goes over
/// it.
void apply_compare(const RunOptions& options, RunSetup& setup, ir::Diagnostics& diagnostics) {
  if (!options.compare.empty()) {
    setup.comparisons.clear();
    setup.comparison = models::parse_comparison(options.compare, "--compare", diagnostics)
                           .value_or(models::Comparison{});
  }
  for (const auto& [name, text] :
       parse_all_named("--compare", options.output_compares, ':',
                       "--compare 'y: replay(allreduce.ring)'", diagnostics)) {
    if (const auto found = models::parse_comparison(text, "--compare " + name, diagnostics)) {
      setup.comparisons[name] = {*found, {}};
    }
  }
}

/// `--dump window=data` is short for `--dump data=data.npy`.
std::vector<std::string> whole_dumps(const std::vector<std::string>& dumps) {
  constexpr std::string_view kWindow = "window=";
  std::vector<std::string> whole;
  for (const std::string& dump : dumps) {
    const bool is_short =
        dump.starts_with(kWindow) && dump.size() > kWindow.size() && !dump.ends_with(".npy");
    const std::string name = is_short ? dump.substr(kWindow.size()) : "";
    whole.push_back(is_short ? fmt::format("{0}={0}.npy", name) : dump);
  }
  return whole;
}

void apply_command_line(const RunOptions& options, RunSetup& setup, std::string& entry,
                        std::map<std::string, ir::SourceLocation>& setting_places,
                        ir::Diagnostics& diagnostics) {
  if (!options.entry.empty()) entry = options.entry;
  for (const auto& [name, value] :
       parse_all_named("--set", options.settings, '=', "--set SIZE=17", diagnostics)) {
    setting_places[name] = {};
    setup.settings[name] = value;
  }
  apply_specs(options.inputs, "--input", "--input 'x: normal(seed=1)'", setup.inputs, diagnostics);
  apply_specs(options.goldens, "--golden", "--golden 'y: concat(x)'", setup.goldens, diagnostics);
  apply_traffic(options, setup, diagnostics);
  setup.dumps = parse_all_named("--dump", whole_dumps(options.dumps), '=',
                                "--dump y=y.npy or --dump window=data", diagnostics);
  apply_compare(options, setup, diagnostics);
}

/// Refuses files to write that are read too, or written twice, or that cannot be written.
void check_outputs(const RunOptions& options, RunSetup& setup, ir::Diagnostics& diagnostics) {
  if (options.json.empty() && setup.dumps.empty()) return;
  OutputPaths outputs;
  add_run_inputs(options, outputs);
  if (outputs.add_output("--json", options.json, diagnostics)) setup.json = options.json;
  std::erase_if(setup.dumps, [&](const auto& dump) {
    return !outputs.add_output("--dump " + dump.first, dump.second, diagnostics);
  });
}

bool is_relaxed(const RunSetup& setup) {
  return setup.machine.machine &&
         setup.machine.machine->relaxed.order == models::MemoryOrder::relaxed;
}

/// Says which options the chosen engine does not use.
void check_engine_options(const RunOptions& options, const RunSetup& setup,
                          ir::Diagnostics& diagnostics) {
  const bool untimed = options.engine == "untimed";
  if (untimed && !options.skews.empty()) {
    diagnostics.warning({}, "--skew changes nothing: the untimed engine has no times");
  }
  if (untimed && setup.check_traffic && !setup.traffic.empty()) {
    const auto& [schedule, formulas] = setup.traffic;
    const models::ClaimText& claim = formulas.empty() ? schedule : formulas.begin()->second;
    diagnostics.warning(claim.location,
                        fmt::format("{} is not checked: the untimed engine counts no traffic",
                                    claim.location.known() ? "the claimed traffic" : "--traffic"));
  }
  if (untimed && options.explain) {
    diagnostics.warning({}, "--explain changes nothing: the untimed engine has no times");
  }
  if (!untimed && options.seed && !is_relaxed(setup)) {
    diagnostics.warning({},
                        "--seed changes nothing: it is for --engine untimed and --memory relaxed");
  }
}

/// Refuses what takes data when none is moved.
void check_data_option(const RunOptions& options, ir::Diagnostics& diagnostics) {
  if (options.data == kFullData) return;
  const auto refuse = [&](const char* other) {
    diagnostics.error(
        {}, fmt::format("--data {} does not go with {}: that takes the data", options.data, other));
  };
  if (options.engine == "untimed") refuse("--engine untimed");
  if (!options.dumps.empty()) refuse("--dump");
  if (options.persistent) refuse("--persistent");
  if (options.signals) refuse("--signals");
  if (options.hints) refuse("--hints");
}

/// Refuses what the checks find out when there are none.
void check_checks_option(const RunOptions& options, ir::Diagnostics& diagnostics) {
  if (!options.no_race_check) return;
  for (const auto& [is_given, option] :
       {std::pair(options.signals, "--signals"), std::pair(options.hints, "--hints")}) {
    if (!is_given) continue;
    diagnostics.error(
        {}, fmt::format("--no-race-check does not go with {}: the checks find it out", option));
  }
}

/// Whether --dump names something else than tensors of the host function.
bool dumps_windows(const RunSetup& setup) {
  const auto& parameters = setup.module->entry->parameters;
  return std::ranges::any_of(setup.dumps, [&](const auto& dump) {
    return std::ranges::find(parameters, dump.first, &ir::Parameter::name) == parameters.end();
  });
}

void check_launches(const RunOptions& options, ir::Diagnostics& diagnostics) {
  if (options.launches == 0) diagnostics.error({}, "--launches must be at least 1, got 0");
  if (options.launches == 1 && options.persistent) {
    diagnostics.warning({}, "--persistent changes nothing: there is one launch (see --launches)");
  }
}

}  // namespace

RunSetup prepare_run(const RunOptions& options, ir::Diagnostics& diagnostics) {
  RunSetup setup;
  std::string entry;
  std::map<std::string, ir::SourceLocation> setting_places;
  read_devices(options, setup, diagnostics);
  apply_run_file(options, setup, entry, setting_places, diagnostics);
  apply_command_line(options, setup, entry, setting_places, diagnostics);
  check_outputs(options, setup, diagnostics);
  check_engine_options(options, setup, diagnostics);
  check_launches(options, diagnostics);
  check_data_option(options, diagnostics);
  check_checks_option(options, diagnostics);
  const auto ranks = static_cast<std::uint32_t>(setup.device_ids.size());

  KernelRequest request;
  request.file = options.file;
  request.entry = entry;
  request.entry_lost = entry.empty() && setup.mode.empty() &&
                       (!options.mode.empty() || setup.run_file.diagnostics.has_errors());
  // A chosen program runs whatever is wrong with the others of the file.
  request.check_unreached = entry.empty() || options.check_whole_file;
  request.settings = setup.settings;
  request.setting_places = std::move(setting_places);
  request.ranks = std::max(ranks, 1U);
  request.limits = options.files.of(request.limits);
  request.last_pass = options.last_pass;
  request.self_clearing_host_allreduce = options.host_allreduce == kSelfClearing;
  if (const auto& machine = setup.machine.machine) {
    request.vector_cores = machine->vector_cores_per_device;
    request.lowering.ub_bytes =
        static_cast<std::int64_t>(machine->core.ub_bytes - machine->core.ub_reserved_bytes);
  }
  LoadedKernel kernel = load_kernel(request, diagnostics);
  setup.source = std::move(kernel.source);
  setup.module = std::move(kernel.module);

  if (ranks > kContextSlots) {
    diagnostics.warning({}, fmt::format("{} ranks: the real system's context table has {} slots",
                                        ranks, kContextSlots));
  }
  setup.options.ranks = ranks;
  if (setup.machine.machine) {
    for (const std::uint32_t id : setup.device_ids)
      setup.options.positions.push_back(models::position_of(*setup.machine.machine, id));
  }
  setup.options.engine = options.engine == "untimed" ? Engine::untimed : Engine::timed;
  setup.options.explain = options.explain;
  setup.options.data = options.data == kFullData ? Data::full : Data::none;
  if (setup.options.engine == Engine::untimed || is_relaxed(setup))
    setup.options.seed = options.seed;
  setup.options.check_races = !options.no_race_check;
  if (setup.module != nullptr) setup.options.keep_windows = dumps_windows(setup);
  setup.options.hints = options.hints;
  setup.options.record_signals = options.signals;
  setup.options.limits = options.run_limits;
  for (const auto& [name, text] : setup.settings)
    setup.options.settings[name] = ir::parse_setting(text);
  if (ranks != 0) setup.options.skew = parse_skew(options.skews, ranks, diagnostics);
  return setup;
}

}  // namespace a2a3::tools
