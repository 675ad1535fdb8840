// SPDX-License-Identifier: Apache-2.0
#include "tools/skew_option.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "ir/vocabulary.hpp"
#include "models/config/quantity.hpp"
#include "models/config/trim.hpp"
#include "models/config/whole_number.hpp"
#include "models/skew.hpp"

namespace a2a3::tools {
namespace {

constexpr const char* kForms =
    "--skew rank=1:50us, --skew 'uniform(seed=1, max=10us)' or --skew 'normal(seed=1, mean=5us, "
    "deviation=2us)'";

/// One `--skew`.
class SkewText {
 public:
  SkewText(const std::string& text, ir::Diagnostics& diagnostics)
      : text_(text), diagnostics_(diagnostics) {}

  [[nodiscard]] bool is_distribution() const { return text_.find('(') != std::string::npos; }

  /// `rank=1:50us`
  std::optional<std::pair<std::uint32_t, sim::Picoseconds>> of_one_rank(std::uint32_t ranks) {
    constexpr std::string_view kPrefix = "rank=";
    const std::string_view all = models::trimmed(text_);
    const std::size_t colon = all.find(':');
    if (!all.starts_with(kPrefix) || colon == std::string_view::npos) return unknown_form();
    const auto rank = models::whole_number<std::uint32_t>(
        models::trimmed(all.substr(kPrefix.size(), colon - kPrefix.size())));
    if (!rank) return unknown_form();
    if (*rank >= ranks)
      return wrong(fmt::format("there is no rank {}, the run has {}", *rank, ranks));
    const auto delay = time(models::trimmed(all.substr(colon + 1)));
    if (!delay) return {};
    return std::pair(*rank, static_cast<sim::Picoseconds>(std::llround(*delay * 1e12)));
  }

  /// `uniform(seed=1, max=10us)`
  std::optional<models::SkewDistribution> distribution() {
    const std::string_view all = models::trimmed(text_);
    const std::size_t open = all.find('(');
    const std::string_view name = models::trimmed(all.substr(0, open));
    models::SkewDistribution result;
    std::map<std::string, double*> times;
    if (name == "uniform") {
      result.kind = models::SkewKind::uniform;
      times = {{"max", &result.max_seconds}};
    } else if (name == "normal") {
      result.kind = models::SkewKind::normal;
      times = {{"mean", &result.mean_seconds}, {"deviation", &result.deviation_seconds}};
    } else {
      return wrong(fmt::format(
          "unknown distribution '{}'{}; expected {}", name,
          ir::suggestion(std::string(name), std::vector<std::string>{"uniform", "normal"}),
          kForms));
    }
    if (!all.ends_with(')')) return unknown_form();
    if (!take_arguments(all.substr(open + 1, all.size() - open - 2), result.seed, times)) return {};
    if (times.empty()) return result;
    return wrong(fmt::format("{} needs {}; expected {}", name, times.begin()->first, kForms));
  }

 private:
  /// `seed=1, max=10us`; what was given leaves `times`.
  bool take_arguments(std::string_view list, std::uint64_t& seed,
                      std::map<std::string, double*>& times) {
    bool seed_given = false;
    for (std::size_t begin = 0; begin < list.size();) {
      const std::size_t comma = std::min(list.find(',', begin), list.size());
      const std::string_view item = models::trimmed(list.substr(begin, comma - begin));
      begin = comma + 1;
      const std::size_t equals = std::min(item.find('='), item.size());
      const std::string key(models::trimmed(item.substr(0, equals)));
      const std::string_view value =
          models::trimmed(item.substr(std::min(equals + 1, item.size())));
      if (key == "seed" && !seed_given) {
        const auto number = models::whole_number<std::uint64_t>(value);
        if (!number) return failed("a seed is a whole number of at least 0");
        seed = *number;
        seed_given = true;
        continue;
      }
      const auto known = times.find(key);
      if (known == times.end())
        return failed(
            fmt::format("'{}' is unknown here or given twice; expected {}", item, kForms));
      const auto seconds = time(value);
      if (!seconds) return false;
      *known->second = *seconds;
      times.erase(known);
    }
    return true;
  }

  std::optional<double> time(std::string_view amount) {
    const models::ParsedQuantity delay =
        models::parse_quantity(std::string(amount), models::Quantity::time);
    if (!delay.error.empty()) return wrong(delay.error);
    if (delay.value < 0 || delay.value > models::kLongestSkewSeconds)
      return wrong(fmt::format("a skew lies between 0 and {} s", models::kLongestSkewSeconds));
    return delay.value;
  }

  std::nullopt_t wrong(const std::string& why) {
    diagnostics_.error({}, fmt::format("--skew '{}': {}", text_, why));
    return std::nullopt;
  }
  bool failed(const std::string& why) {
    wrong(why);
    return false;
  }
  std::nullopt_t unknown_form() { return wrong(fmt::format("expected {}", kForms)); }

  const std::string& text_;
  ir::Diagnostics& diagnostics_;
};

}  // namespace

std::map<std::uint32_t, sim::Picoseconds> parse_skew(const std::vector<std::string>& texts,
                                                     std::uint32_t ranks,
                                                     ir::Diagnostics& diagnostics) {
  std::map<std::uint32_t, sim::Picoseconds> skew;
  std::optional<models::SkewDistribution> drawn;
  for (const std::string& text : texts) {
    SkewText one(text, diagnostics);
    if (one.is_distribution()) {
      const bool second = drawn.has_value();
      if (const auto distribution = one.distribution()) drawn = distribution;
      if (second)
        diagnostics.error({}, fmt::format("--skew '{}': there is a distribution already", text));
      continue;
    }
    const auto value = one.of_one_rank(ranks);
    if (value && !skew.insert(*value).second) {
      diagnostics.error({},
                        fmt::format("--skew '{}': rank {} has a skew already", text, value->first));
    }
  }
  if (!drawn) return skew;
  const std::vector<std::uint64_t> delays = models::draw_skew(*drawn, ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    skew.emplace(rank, delays[rank]);
  return skew;
}

}  // namespace a2a3::tools
