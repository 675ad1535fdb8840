// SPDX-License-Identifier: Apache-2.0
#include "tools/check/check_case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/sweep/point.hpp"

namespace a2a3::tools {

RunOptions options_of(const RunOptions& base, const CheckCase& one) {
  RunOptions options = base;
  options.devices = first_devices(one.ranks);
  for (const auto& [name, value] : one.settings)
    options.settings.push_back(fmt::format("{}={}", name, value));
  options.engine = one.seed ? "untimed" : "timed";
  options.seed = one.seed;
  for (const auto& [rank, delay] : one.skew_ns)
    options.skews.push_back(fmt::format("rank={}:{}ns", rank, delay));
  return options;
}

std::string settings_text(const CheckCase& one) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : one.settings)
    texts.push_back(fmt::format("{}={}", name, value));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string case_text(const CheckCase& one) {
  std::string text = fmt::format("{} rank{}", one.ranks, one.ranks == 1 ? "" : "s");
  if (!one.settings.empty()) text += ", " + settings_text(one);
  if (one.seed) return text + fmt::format(", order {:#x}", *one.seed);
  text += ", timed";
  for (const auto& [rank, delay] : one.skew_ns)
    text += fmt::format(", rank {} late by {} ns", rank, delay);
  return text;
}

std::string replay_command(const RunOptions& base, const CheckCase& one) {
  RunOptions options = options_of(base, one);
  std::string text =
      fmt::format("a2a3sim check {} --replay {} --ranks {}", path_word(options.file),
                  one.seed ? fmt::format("{:#x}", *one.seed) : kReplayTimed, one.ranks);
  if (options.platform != RunOptions{}.platform) text += " -p " + path_word(options.platform);
  return text + option_words(options);
}

}  // namespace a2a3::tools
