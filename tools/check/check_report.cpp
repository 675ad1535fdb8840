// SPDX-License-Identifier: Apache-2.0
#include "tools/check/check_report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/report/table.hpp"
#include "tools/report/xml_text.hpp"

namespace a2a3::tools {
namespace {

using CheckJson = nlohmann::ordered_json;

constexpr int kCheckSchemaVersion = 1;
constexpr const char* kUnchecked = "not checked";

/// "ok", "race in 18 of 23, ok in 5".
std::string verdict_text(const GroupResult& group) {
  const auto counts = group.verdicts();
  if (counts.size() == 1) return counts.begin()->first;
  std::vector<std::string> bad;
  std::vector<std::string> good;
  for (const auto& [verdict, count] : counts) {
    const bool is_good = verdict == "ok" || verdict == kUnchecked;
    (is_good ? good : bad)
        .push_back(bad.empty() && !is_good
                       ? fmt::format("{} in {} of {}", verdict, count, group.cases.size())
                       : fmt::format("{} in {}", verdict, count));
  }
  bad.insert(bad.end(), good.begin(), good.end());
  return fmt::format("{}", fmt::join(bad, ", "));
}

/// "2-4,7": rank counts.
std::string counts_text(const std::vector<std::uint32_t>& counts) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < counts.size();) {
    std::size_t last = i;
    while (last + 1 < counts.size() && counts[last + 1] == counts[last] + 1)
      ++last;
    parts.push_back(last == i ? std::to_string(counts[i])
                              : fmt::format("{}-{}", counts[i], counts[last]));
    i = last + 1;
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

std::string rank_counts_text(const std::vector<std::uint32_t>& counts) {
  const bool one = counts.size() == 1 && counts.front() == 1;
  return fmt::format("{} rank{}", counts_text(counts), one ? "" : "s");
}

CheckJson settings_json(const std::vector<std::pair<std::string, std::string>>& settings) {
  CheckJson json = CheckJson::object();
  for (const auto& [name, value] : settings)
    json[name] = value;
  return json;
}

CheckJson case_json(const CheckCase& one) {
  constexpr std::uint64_t kPicoseconds = 1000;
  CheckJson skew = CheckJson::object();
  for (const auto& [rank, delay] : one.skew_ns)
    skew[std::to_string(rank)] = delay * kPicoseconds;
  return {{"ranks_count", one.ranks},
          {"settings", settings_json(one.settings)},
          {"engine", one.seed ? "untimed" : "timed"},
          {"seed", one.seed ? CheckJson(*one.seed) : CheckJson(nullptr)},
          {"skew_ps_by_rank", std::move(skew)}};
}

/// The failures that runs of the group show.
std::vector<const Failure*> failures_of(const GroupResult& group, const CheckReport& report) {
  std::vector<const Failure*> shown;
  for (const Failure& failure : report.failures) {
    const auto shows = [&](const PointResult& result) {
      return std::ranges::any_of(failure_names(result), [&](const std::string& name) {
        return std::ranges::find(failure.findings, name) != failure.findings.end();
      });
    };
    if (std::ranges::any_of(group.results, shows)) shown.push_back(&failure);
  }
  return shown;
}

std::string heading(const CheckReport& report) {
  const std::string& mode = report.options.base.mode;
  return report.options.base.file + (mode.empty() ? "" : ", mode " + mode);
}

}  // namespace

std::size_t CheckReport::runs() const {
  std::size_t all = 0;
  for (const GroupResult& group : groups)
    all += group.cases.size();
  return all;
}

ExitStatus CheckReport::status() const {
  ExitStatus worst = ExitStatus::ok;
  for (const GroupResult& group : groups)
    worst = worse(worst, group.status());
  return worst;
}

std::size_t CheckReport::failed() const {
  std::size_t count = 0;
  for (const GroupResult& group : groups)
    count += static_cast<std::size_t>(std::ranges::count_if(group.results, &PointResult::failed));
  return count;
}

std::size_t CheckReport::unchecked() const {
  std::size_t count = 0;
  for (const GroupResult& group : groups)
    count += static_cast<std::size_t>(
        std::ranges::count(group.results, kUnchecked, &PointResult::status));
  return count;
}

std::string no_golden_text(const CheckOptions& options) {
  return fmt::format(
      "no golden given: results are not checked, only {} (give --golden 'y: ...')\n",
      options.base.no_race_check ? "faults and deadlocks" : "faults, deadlocks and races");
}

std::string check_table(const CheckReport& report) {
  std::vector<Table::Column> columns{{"ranks", ""}};
  for (const SettingValues& axis : report.plan.sizes)
    columns.push_back({axis.name, ""});
  columns.push_back({"runs", ""});
  columns.push_back({"verdict", ""});
  Table table(columns, columns.size());
  for (const GroupResult& group : report.groups) {
    std::vector<std::string> cells{std::to_string(group.group.ranks)};
    for (const auto& [name, value] : group.group.settings)
      cells.push_back(value);
    cells.push_back(std::to_string(group.cases.size()));
    cells.push_back(verdict_text(group));
    table.add_row(std::move(cells));
  }
  std::string text = heading(report) + ":\n" + table.text();
  if (!report.plan.left_out.empty()) {
    text += fmt::format("left out: {}, on which the mode does not run\n",
                        rank_counts_text(report.plan.left_out));
  }
  const std::size_t orders = report.plan.seeds.size();
  return text + fmt::format(
                    "\n{} runs: for each row {} order{} of the cores untimed, then timed, "
                    "also with {} skew{}\n",
                    report.runs(), orders, orders == 1 ? "" : "s", report.plan.skews,
                    report.plan.skews == 1 ? "" : "s");
}

std::string check_failures(const CheckReport& report) {
  std::string text;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < report.failures.size(); ++i) {
    const Failure& failure = report.failures[i];
    text += fmt::format("failure {} of {}: {}, in {} of {} runs, on {}; the smallest: {}\n{}",
                        i + 1, report.failures.size(), failure.verdict, failure.runs, report.runs(),
                        rank_counts_text(failure.ranks), case_text(failure.smallest), failure.text);
    text += fmt::format("replay: {}\n", replay_command(report.options.base, failure.smallest));
    shown += failure.runs;
  }
  if (shown > report.failed()) {
    text += fmt::format("{} of {} runs failed, some with several of these failures\n",
                        report.failed(), report.runs());
  }
  return text;
}

nlohmann::ordered_json check_json(const CheckReport& report) {
  CheckJson groups = CheckJson::array();
  for (const GroupResult& group : report.groups) {
    groups.push_back({{"ranks_count", group.group.ranks},
                      {"settings", settings_json(group.group.settings)},
                      {"runs_count", group.cases.size()},
                      {"verdicts_count", group.verdicts()},
                      {"exit_status", static_cast<int>(group.status())}});
  }
  CheckJson failures = CheckJson::array();
  for (const Failure& failure : report.failures) {
    failures.push_back({{"verdict", failure.verdict},
                        {"exit_status", static_cast<int>(failure.status)},
                        {"findings", failure.findings},
                        {"runs_count", failure.runs},
                        {"rank_counts", failure.ranks},
                        {"smallest", case_json(failure.smallest)},
                        {"in_another_order", failure.in_another_order},
                        {"replay", replay_command(report.options.base, failure.smallest)},
                        {"text", failure.text}});
  }
  return {{"schema_version", kCheckSchemaVersion},
          {"program", "a2a3sim " A2A3_VERSION},
          {"kernel", {{"file", report.options.base.file}, {"mode", report.options.base.mode}}},
          {"machine", report.options.base.platform},
          {"seeds", report.plan.seeds},
          {"skews_count", report.plan.skews},
          {"rank_counts_left_out", report.plan.left_out},
          {"runs_count", report.runs()},
          {"failed_runs_count", report.failed()},
          {"runs_without_golden_count", report.unchecked()},
          {"exit_status", static_cast<int>(report.status())},
          {"groups", std::move(groups)},
          {"failures", std::move(failures)}};
}

std::string check_junit(const CheckReport& report) {
  std::size_t failed = 0;
  std::size_t errors = 0;
  std::string cases;
  for (const GroupResult& group : report.groups) {
    const ExitStatus status = group.status();
    const CheckCase shown{group.group.ranks, group.group.settings, {}, {}};
    const std::string settings = settings_text(shown);
    cases +=
        fmt::format("    <testcase classname=\"{}\" name=\"{} rank{}{}\"",
                    xml_text(heading(report)), group.group.ranks, group.group.ranks == 1 ? "" : "s",
                    settings.empty() ? "" : xml_text(", " + settings));
    if (status == ExitStatus::ok && group.verdicts().contains(kUnchecked)) {
      cases += fmt::format(">\n      <system-out>{}</system-out>\n    </testcase>\n",
                           xml_text(no_golden_text(report.options)));
      continue;
    }
    if (status == ExitStatus::ok) {
      cases += "/>\n";
      continue;
    }
    const bool is_error = status == ExitStatus::wrong_input || status == ExitStatus::internal_fault;
    ++(is_error ? errors : failed);
    std::string text;
    for (const Failure* failure : failures_of(group, report)) {
      text += fmt::format("{}replay: {}\n", failure->text,
                          replay_command(report.options.base, failure->smallest));
    }
    const char* const element = is_error ? "error" : "failure";
    cases += fmt::format(">\n      <{0} message=\"{1}\">{2}</{0}>\n    </testcase>\n", element,
                         xml_text(verdict_text(group)), xml_text(text));
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
      "  <testsuite name=\"a2a3sim check {}\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n{}"
      "  </testsuite>\n</testsuites>\n",
      xml_text(report.options.base.file), report.groups.size(), failed, errors, cases);
}

}  // namespace a2a3::tools
