// SPDX-License-Identifier: Apache-2.0
#include "tools/check/check_plan.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/config/quantity.hpp"
#include "models/config/trim.hpp"
#include "models/machine_yaml.hpp"
#include "models/run_file.hpp"
#include "models/skew.hpp"
#include "models/value_range.hpp"
#include "tools/data_dir.hpp"
#include "tools/option_values.hpp"
#include "tools/sweep/compare_sizes.hpp"

namespace a2a3::tools {
namespace {

constexpr const char* kDefaultRanks = "1..5";
constexpr const char* kSizesForm = "--sizes SIZE=1,17,1000 or --sizes DTYPE=FP32,FP16";

std::optional<std::uint64_t> seed_number(std::string_view text) {
  constexpr int kDecimal = 10;
  constexpr int kHexadecimal = 16;
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value,
                                            hexadecimal ? kHexadecimal : kDecimal);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

/// "20": 0 to 19; "5..9": these.
std::vector<std::uint64_t> parse_seeds(const std::string& text, ir::Diagnostics& diagnostics) {
  std::vector<std::uint64_t> seeds;
  if (const auto range = models::parse_range(text)) {
    if (!range->error.empty()) {
      diagnostics.error({}, "--seeds: " + range->error);
      return {};
    }
    for (const std::string& value : range->values)
      seeds.push_back(seed_number(value).value_or(0));
    return seeds;
  }
  const auto count = seed_number(text);
  if (!count || *count == 0 || *count > models::kLongestRange) {
    diagnostics.error({}, fmt::format("--seeds: '{}' is no number of orders from 1 to {}; write "
                                      "--seeds 20, or --seeds 5..9 for these seeds",
                                      text, models::kLongestRange));
    return {};
  }
  for (std::uint64_t seed = 0; seed < *count; ++seed)
    seeds.push_back(seed);
  return seeds;
}

/// The values of one --sizes, sorted and distinct; empty after an error.
std::vector<std::string> parse_values(const std::string& name, const std::string& list,
                                      ir::Diagnostics& diagnostics) {
  std::set<std::uint64_t> numbers;
  std::vector<std::string> others;
  for (const std::string_view item : comma_items(list)) {
    const auto range = models::parse_range(item);
    if (range && !range->error.empty()) {
      diagnostics.error({}, fmt::format("--sizes {}: {}", name, range->error));
      return {};
    }
    if (item.empty()) {
      diagnostics.error({}, fmt::format("--sizes {}={}: a value is missing between the commas; "
                                        "write {}",
                                        name, list, kSizesForm));
      return {};
    }
    const std::vector<std::string> values =
        range ? range->values : std::vector<std::string>{std::string(item)};
    for (const std::string& value : values) {
      const auto number = value.starts_with("0x") ? std::nullopt : seed_number(value);
      if (number) {
        numbers.insert(*number);
      } else if (std::ranges::find(others, value) == others.end()) {
        others.push_back(value);
      }
    }
  }
  std::vector<std::string> all;
  for (const std::uint64_t number : numbers)
    all.push_back(std::to_string(number));
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

std::vector<SettingValues> parse_setting_values(const CheckOptions& options,
                                                ir::Diagnostics& diagnostics) {
  ir::Diagnostics ignored;  // the runs report what is wrong with --set
  const auto fixed = parse_all_named("--set", options.base.settings, '=', "--set SIZE=17", ignored);
  std::vector<SettingValues> all;
  for (const auto& [name, list] :
       parse_all_named("--sizes", options.sizes, '=', kSizesForm, diagnostics)) {
    if (fixed.contains(name)) {
      diagnostics.error({}, fmt::format("--sizes {}: --set gives {} a value already", name, name));
    }
    all.push_back({name, parse_values(name, list, diagnostics)});
  }
  return all;
}

/// Leaves out the rank counts that the mode does not run on.
void apply_mode(const CheckOptions& options, CheckPlan& plan, ir::Diagnostics& diagnostics) {
  const std::filesystem::path path =
      std::filesystem::path(options.base.file).replace_extension(".yaml");
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return;
  const models::RunFile file =
      models::read_run_file(path, options.base.files.of(models::ConfigLimits{}));
  if (file.diagnostics.has_errors()) {
    diagnostics.append(file.diagnostics);
    return;
  }
  diagnostics.keep_sources_of(file.diagnostics);
  const models::RunMode* mode = models::choose_mode(file, options.base.mode, diagnostics);
  if (mode == nullptr) return;
  const auto fits = [&](std::uint32_t ranks) {
    return ranks >= mode->min_ranks && (mode->max_ranks == 0 || ranks <= mode->max_ranks);
  };
  std::ranges::copy_if(plan.ranks, std::back_inserter(plan.left_out),
                       [&](std::uint32_t ranks) { return !fits(ranks); });
  if (plan.left_out.empty()) return;
  if (plan.left_out.size() == plan.ranks.size()) {
    models::check_rank_count(*mode, plan.ranks.front(), diagnostics);
    return;
  }
  std::erase_if(plan.ranks, [&](std::uint32_t ranks) { return !fits(ranks); });
}

void check_devices(const CheckOptions& options, const std::vector<std::uint32_t>& ranks,
                   ir::Diagnostics& diagnostics) {
  const models::MachineYaml machine = models::read_machine(
      options.base.platform, {data_dir(), options.base.files.of(models::ConfigLimits{})});
  diagnostics.append(machine.diagnostics);
  if (machine.machine && !ranks.empty()) {
    const auto error = models::check_device(*machine.machine, ranks.back() - 1);
    if (error) diagnostics.error(error->location, error->message).notes = error->notes;
  }
}

}  // namespace

std::vector<CheckGroup> CheckPlan::groups() const {
  std::vector<CheckGroup> all;
  for (const std::uint32_t count : ranks)
    all.push_back({count, {}});
  for (const SettingValues& axis : sizes) {
    std::vector<CheckGroup> longer;
    for (const CheckGroup& group : all) {
      for (const std::string& value : axis.values) {
        longer.push_back(group);
        longer.back().settings.emplace_back(axis.name, value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::vector<CheckCase> CheckPlan::cases(const CheckGroup& group) const {
  constexpr std::uint64_t kPicosecondsPerNanosecond = 1000;
  std::vector<CheckCase> all;
  for (const std::uint64_t seed : seeds)
    all.push_back({group.ranks, group.settings, seed, {}});
  all.push_back({group.ranks, group.settings, std::nullopt, {}});
  for (std::uint32_t seed = 1; seed <= skews && group.ranks > 1; ++seed) {
    CheckCase& late = all.emplace_back(CheckCase{group.ranks, group.settings, std::nullopt, {}});
    models::SkewDistribution distribution;
    distribution.kind = models::SkewKind::uniform;
    distribution.seed = seed;
    distribution.max_seconds = max_skew_seconds;
    const std::vector<std::uint64_t> delays = models::draw_skew(distribution, group.ranks);
    for (std::uint32_t rank = 0; rank < group.ranks; ++rank) {
      const std::uint64_t delay = delays[rank] / kPicosecondsPerNanosecond;
      if (delay > 0) late.skew_ns[rank] = delay;
    }
  }
  return all;
}

CheckPlan plan_of(const CheckOptions& options, ir::Diagnostics& diagnostics) {
  CheckPlan plan;
  plan.ranks = parse_rank_counts(options.ranks.value_or(kDefaultRanks), options.base.max_devices,
                                 diagnostics);
  plan.seeds = parse_seeds(options.seeds, diagnostics);
  plan.sizes = parse_setting_values(options, diagnostics);
  plan.skews = options.skews;
  const models::ParsedQuantity most =
      models::parse_quantity(options.max_skew, models::Quantity::time);
  if (!most.error.empty() || most.value < 0 || most.value > models::kLongestSkewSeconds) {
    diagnostics.error({},
                      fmt::format("--max-skew '{}': {}", options.max_skew,
                                  most.error.empty() ? fmt::format("a skew lies between 0 and {} s",
                                                                   models::kLongestSkewSeconds)
                                                     : most.error));
  }
  plan.max_skew_seconds = most.value;
  if (!plan.ranks.empty()) apply_mode(options, plan, diagnostics);
  check_devices(options, plan.ranks, diagnostics);
  double points = static_cast<double>(plan.ranks.size()) *
                  static_cast<double>(plan.seeds.size() + 1 + plan.skews);
  for (const SettingValues& axis : plan.sizes)
    points *= static_cast<double>(axis.values.size());
  if (points > static_cast<double>(options.max_points)) {
    diagnostics.error({}, fmt::format("the check has {:.0f} runs; --max-points {} allows no more",
                                      points, options.max_points));
  }
  return plan;
}

CheckCase replayed_case(const CheckOptions& options, ir::Diagnostics& diagnostics) {
  CheckCase one;
  if (!options.ranks) diagnostics.error({}, "--replay needs the number of ranks: --ranks 3");
  const auto ranks = options.ranks
                         ? parse_rank_counts(*options.ranks, options.base.max_devices, diagnostics)
                         : std::vector<std::uint32_t>{};
  if (ranks.size() == 1) {
    one.ranks = ranks.front();
  } else if (!ranks.empty()) {
    diagnostics.error(
        {}, fmt::format("--replay repeats one run: --ranks {} are several", *options.ranks));
  }
  if (!options.sizes.empty()) {
    diagnostics.error({}, "--replay repeats one run: give each size with --set instead of --sizes");
  }
  if (options.has_seeds) {
    diagnostics.error({}, fmt::format("--replay repeats one run, that of its own seed {}: leave "
                                      "--seeds out",
                                      options.replay));
  }
  if (!options.json.empty() || !options.junit.empty()) {
    diagnostics.error({}, "--replay writes no --json and no --junit: a2a3sim run --json does");
  }
  if (options.replay == kReplayTimed) return one;
  one.seed = seed_number(options.replay);
  if (!one.seed) {
    diagnostics.error({}, fmt::format("--replay '{}': expected a seed, as in 0x5eed, or {}",
                                      options.replay, kReplayTimed));
  }
  return one;
}

}  // namespace a2a3::tools
