// SPDX-License-Identifier: Apache-2.0
#include "tools/check/shrink.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "tools/check/failure.hpp"

namespace a2a3::tools {
namespace {

std::optional<std::uint64_t> as_number(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

class Shrinker {
 public:
  Shrinker(CheckCase first, const std::string& failure, const CheckPlan& plan, CaseRunner& runner)
      : best_(std::move(first)), failure_(failure), plan_(plan), runner_(runner) {}

  CheckCase result() {
    (void)fewer_ranks();
    // Values may depend on each other: a row of one setting holds a tile of another.
    bool smaller = false;
    while (smaller_values())
      smaller = true;
    if (smaller) (void)fewer_ranks();
    if (best_.seed) return best_;
    less_skew();
    // Now that it is known how late a rank has to be, another one may be.
    if (!best_.skew_ns.empty() && fewer_ranks() && !best_.seed) less_skew();
    return best_;
  }

 private:
  /// Takes the first of the cases that shows the failure.
  bool take_first(const std::vector<CheckCase>& cases) {
    const std::vector<PointResult> results = runner_.run(cases);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const std::vector<std::string> names = failure_names(results[i]);
      if (std::ranges::find(names, failure_) == names.end()) continue;
      best_ = cases[i];
      return true;
    }
    return false;
  }

  /// The case in all orders of the cores, then without skew, then as it is.
  [[nodiscard]] std::vector<CheckCase> variants(const CheckCase& one) const {
    std::vector<CheckCase> all;
    for (const std::uint64_t seed : plan_.seeds)
      all.push_back({one.ranks, one.settings, seed, {}});
    if (one.seed) return all;
    all.push_back({one.ranks, one.settings, std::nullopt, {}});
    if (!one.skew_ns.empty()) all.push_back(one);
    return all;
  }

  /// The best case on fewer ranks, in its variants. The rank that has to be late may be one of
  /// those that are left out: then another one is, or all but one are, as late as any was.
  [[nodiscard]] std::vector<CheckCase> on_fewer(std::uint32_t ranks) const {
    CheckCase fewer = best_;
    fewer.ranks = ranks;
    std::erase_if(fewer.skew_ns, [&](const auto& late) { return late.first >= ranks; });
    std::vector<CheckCase> all = variants(fewer);
    if (best_.skew_ns.empty() || ranks < 2) return all;
    std::uint64_t latest = 0;
    for (const auto& [rank, delay] : best_.skew_ns)
      latest = std::max(latest, delay);
    const std::set<std::uint32_t> tried{0, 1, ranks / 2, ranks - 1};
    for (const bool is_alone : {true, false}) {
      for (const std::uint32_t one : tried) {
        fewer.skew_ns.clear();
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
          if ((rank == one) == is_alone) fewer.skew_ns[rank] = latest;
        }
        all.push_back(fewer);
      }
    }
    return all;
  }

  bool fewer_ranks() {
    std::vector<CheckCase> cases;
    for (const std::uint32_t ranks : plan_.ranks) {
      if (ranks >= best_.ranks) break;
      const std::vector<CheckCase> all = on_fewer(ranks);
      cases.insert(cases.end(), all.begin(), all.end());
    }
    return !cases.empty() && take_first(cases);
  }

  bool smaller_values() {
    for (std::size_t i = 0; i < best_.settings.size(); ++i) {
      const auto value = as_number(best_.settings[i].second);
      if (!value || *value <= 1) continue;
      std::vector<std::uint64_t> smaller{1, 2, 3, *value / 8, *value / 4, *value / 2, *value - 1};
      std::erase_if(smaller, [&](std::uint64_t one) { return one == 0 || one >= *value; });
      std::ranges::sort(smaller);
      smaller.erase(std::unique(smaller.begin(), smaller.end()), smaller.end());
      std::vector<CheckCase> cases;
      for (const std::uint64_t one : smaller) {
        CheckCase less = best_;
        less.settings[i].second = std::to_string(one);
        const std::vector<CheckCase> all = variants(less);
        cases.insert(cases.end(), all.begin(), all.end());
      }
      if (take_first(cases)) return true;
    }
    return false;
  }

  void less_skew() {
    const std::map<std::uint32_t, std::uint64_t> drawn = best_.skew_ns;
    for (const auto& [rank, delay] : drawn) {
      CheckCase less = best_;
      less.skew_ns.erase(rank);
      take_first({less});
    }
    const std::map<std::uint32_t, std::uint64_t> left = best_.skew_ns;
    for (const auto& [rank, delay] : left) {
      std::vector<CheckCase> cases;
      for (std::uint64_t round = 1; round < delay; round *= 10) {
        CheckCase less = best_;
        less.skew_ns[rank] = round;
        cases.push_back(less);
      }
      take_first(cases);
    }
  }

  CheckCase best_;
  const std::string& failure_;
  const CheckPlan& plan_;
  CaseRunner& runner_;
};

}  // namespace

CheckCase shrink(const CheckCase& first, const std::string& failure, const CheckPlan& plan,
                 CaseRunner& runner) {
  return Shrinker(first, failure, plan, runner).result();
}

}  // namespace a2a3::tools
