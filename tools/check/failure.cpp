// SPDX-License-Identifier: Apache-2.0
#include "tools/check/failure.hpp"

#include <algorithm>
#include <set>

#include "tools/check/shrink.hpp"
#include "tools/sweep/result_table.hpp"

namespace a2a3::tools {
namespace {

/// One distinct failure as the check met it.
struct Met {
  std::string name;
  CheckCase first;  ///< the smallest of the runs that were made
};

std::vector<Met> distinct_failures(const std::vector<GroupResult>& groups) {
  std::vector<Met> all;
  std::set<std::string> seen;
  for (const GroupResult& group : groups) {
    for (std::size_t i = 0; i < group.cases.size(); ++i) {
      for (const std::string& name : failure_names(group.results[i])) {
        if (seen.insert(name).second) all.push_back({name, group.cases[i]});
      }
    }
  }
  return all;
}

bool shows(const PointResult& result, const std::vector<std::string>& findings) {
  return std::ranges::any_of(failure_names(result), [&](const std::string& name) {
    return std::ranges::find(findings, name) != findings.end();
  });
}

void count_runs(Failure& failure, const std::vector<GroupResult>& groups) {
  std::set<std::uint32_t> ranks;
  for (const GroupResult& group : groups) {
    for (const PointResult& result : group.results) {
      if (!shows(result, failure.findings)) continue;
      ++failure.runs;
      ranks.insert(group.group.ranks);
    }
  }
  failure.ranks.assign(ranks.begin(), ranks.end());
}

}  // namespace

ExitStatus GroupResult::status() const {
  return worst_status(results);
}

std::map<std::string, std::size_t> GroupResult::verdicts() const {
  std::map<std::string, std::size_t> counts;
  for (const PointResult& result : results)
    ++counts[result.status];
  return counts;
}

std::vector<std::string> failure_names(const PointResult& result) {
  if (!result.failed()) return {};
  if (!result.findings.empty()) return result.findings;
  return {result.status + ": " + result.error};
}

std::vector<Failure> find_failures(const std::vector<GroupResult>& groups, const CheckPlan& plan,
                                   CaseRunner& runner, std::size_t most) {
  std::vector<Failure> failures;
  for (const Met& met : distinct_failures(groups)) {
    const auto has = [&](const Failure& failure) {
      return std::ranges::find(failure.findings, met.name) != failure.findings.end();
    };
    if (std::ranges::any_of(failures, has)) continue;
    Failure failure;
    failure.smallest =
        failures.size() < most ? shrink(met.first, met.name, plan, runner) : met.first;
    const PointResult result = runner.run({failure.smallest}).front();
    failure.findings = failure_names(result);
    std::erase_if(failure.findings, [&](const std::string& name) {
      return std::ranges::any_of(failures, [&](const Failure& earlier) {
        return std::ranges::find(earlier.findings, name) != earlier.findings.end();
      });
    });
    failure.verdict = result.status;
    failure.status = result.exit_status;
    failure.in_another_order = result.in_another_order;
    failures.push_back(std::move(failure));
  }
  for (Failure& failure : failures)
    count_runs(failure, groups);
  return failures;
}

}  // namespace a2a3::tools
