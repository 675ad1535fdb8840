// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/point_result.hpp"

#include <algorithm>
#include <cmath>

#include "models/time/difference.hpp"
#include "models/time/lower_bound.hpp"
#include "models/time/modelled_time.hpp"
#include "tools/report/findings.hpp"
#include "tools/run.hpp"

namespace a2a3::tools {
namespace {

/// The integers of a cost by the key they are stored under.
struct CostKey {
  const char* name;
  std::uint64_t PointCost::*value;
};
constexpr CostKey kCostKeys[] = {{"time_ps", &PointCost::time_ps},
                                 {"size_bytes", &PointCost::size_bytes},
                                 {"received_max_bytes", &PointCost::received_bytes},
                                 {"sent_max_bytes", &PointCost::sent_bytes},
                                 {"local_max_bytes", &PointCost::local_bytes},
                                 {"signals_max_count", &PointCost::signals},
                                 {"waiting_max_ps", &PointCost::waiting_ps},
                                 {"modelled_ps", &PointCost::modelled_ps},
                                 {"bound_ps", &PointCost::bound_ps}};
constexpr const char* kAlgbwKey = "algbw_bytes_per_second";
constexpr const char* kBusbwKey = "busbw_bytes_per_second";
constexpr const char* kScheduleKey = "collective";

RunSchedule run_schedule(const nlohmann::ordered_json& json) {
  RunSchedule schedule;
  json.at("name").get_to(schedule.name);
  json.at("root").get_to(schedule.root);
  json.at("lanes_count").get_to(schedule.lanes);
  for (const auto form : {models::ScheduleForm::in_core, models::ScheduleForm::host}) {
    if (json.at("form") == models::form_name(form)) schedule.form = form;
  }
  return schedule;
}

constexpr double kPicosecondsPerSecond = 1e12;

PointCost cost_of(const RunReport& report) {
  PointCost cost;
  cost.time_ps = report.result.end;
  for (const RankCost& rank : report.result.cost.ranks) {
    cost.received_bytes = std::max(cost.received_bytes, rank.traffic.payload_received_bytes);
    cost.sent_bytes = std::max(cost.sent_bytes, rank.traffic.payload_sent_bytes);
    cost.local_bytes = std::max(cost.local_bytes, rank.traffic.local_bytes);
    cost.signals = std::max(cost.signals, rank.traffic.signals_sent);
    cost.waiting_ps = std::max(cost.waiting_ps, rank.waiting);
  }
  // A bandwidth has meaning when one collective is all there is.
  const TrafficPart* part = report.only_collective();
  if (part == nullptr || cost.time_ps == 0) return cost;
  cost.size_bytes = static_cast<std::uint64_t>(part->buffer_bytes);
  cost.algbw = static_cast<double>(cost.size_bytes) * kPicosecondsPerSecond /
               static_cast<double>(cost.time_ps);
  cost.busbw = cost.algbw * part->bus_factor;
  return cost;
}

/// What the closed forms say of the run beside what it took.
void add_closed_forms(const ExecutedRun& run, PointResult& result) {
  const TrafficPart* part = run.report.only_collective();
  if (part == nullptr || !part->size || !part->has_own_time()) return;
  const models::ScheduleSize& size = *part->size;
  result.schedule = RunSchedule{part->schedule, part->form, size.root, size.lanes};
  const RunSchedule::Times times = result.schedule->times(size, *run.setup.machine.machine);
  result.cost->modelled_ps = times.modelled;
  result.cost->bound_ps = times.bound;
}

}  // namespace

RunSchedule::Times RunSchedule::times(const models::ScheduleSize& size,
                                      const models::MachineDescription& machine) const {
  const models::Schedule* schedule = models::find_schedule(name, form);
  if (schedule == nullptr) return {};
  const auto picoseconds = [](double seconds) {
    return static_cast<sim::Picoseconds>(std::llround(seconds * kPicosecondsPerSecond));
  };
  Times times;
  if (const auto time = models::modelled_time(*schedule, size, machine)) {
    times.modelled = picoseconds(time->seconds());
  }
  // Rounded down: nothing is below it.
  if (const auto bound = models::lower_bound(*schedule, size, machine)) {
    times.bound = static_cast<sim::Picoseconds>(bound->seconds() * kPicosecondsPerSecond);
  }
  return times;
}

bool PointCost::is_off_model() const {
  if (modelled_ps == 0) return false;
  const auto simulated = static_cast<double>(time_ps);
  return std::abs(static_cast<double>(modelled_ps) - simulated) >
         models::kModelTolerance * simulated;
}

PointResult result_of(const ExecutedRun& run) {
  PointResult result;
  result.status = run.report.verdict();
  result.exit_status = run.report.status;
  result.instructions = run.report.result.instructions;
  if (result.failed()) {
    const std::string text = failure_text(run.report);
    result.error = text.substr(0, text.find('\n'));
    result.findings = findings_of(run.report);
    result.in_another_order = run.report.result.in_another_order;
  }
  if (run.report.result.outcome == Outcome::finished && run.report.result.timed) {
    result.cost = cost_of(run.report);
    add_closed_forms(run, result);
  }
  return result;
}

nlohmann::ordered_json to_json(const PointResult& result) {
  nlohmann::ordered_json json = {{"status", result.status},
                                 {"exit_status", static_cast<int>(result.exit_status)},
                                 {"error", result.error},
                                 {"instructions_count", result.instructions}};
  if (!result.findings.empty()) json["findings"] = result.findings;
  if (result.in_another_order) json["in_another_order"] = true;
  if (!result.cost) return json;
  for (const CostKey& key : kCostKeys)
    json[key.name] = (*result.cost).*key.value;
  json[kAlgbwKey] = result.cost->algbw;
  json[kBusbwKey] = result.cost->busbw;
  if (result.schedule) {
    json[kScheduleKey] = {{"name", result.schedule->name},
                          {"form", models::form_name(result.schedule->form)},
                          {"root", result.schedule->root},
                          {"lanes_count", result.schedule->lanes}};
  }
  return json;
}

std::optional<PointResult> point_result(const nlohmann::ordered_json& json) {
  try {
    PointResult result;
    json.at("status").get_to(result.status);
    result.exit_status = static_cast<ExitStatus>(json.at("exit_status").get<int>());
    json.at("error").get_to(result.error);
    json.at("instructions_count").get_to(result.instructions);
    if (json.contains("findings")) json.at("findings").get_to(result.findings);
    result.in_another_order = json.value("in_another_order", false);
    if (!json.contains(kCostKeys[0].name)) return result;
    PointCost& cost = result.cost.emplace();
    for (const CostKey& key : kCostKeys)
      json.at(key.name).get_to(cost.*key.value);
    json.at(kAlgbwKey).get_to(cost.algbw);
    json.at(kBusbwKey).get_to(cost.busbw);
    if (json.contains(kScheduleKey)) result.schedule = run_schedule(json.at(kScheduleKey));
    return result;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace a2a3::tools
