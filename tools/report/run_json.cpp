// SPDX-License-Identifier: Apache-2.0
#include "tools/report/run_json.hpp"

#include <nlohmann/json.hpp>

#include "ir/diagnostic.hpp"
#include "models/topology.hpp"
#include "tools/report/deadlock_json.hpp"
#include "tools/report/explain_json.hpp"
#include "tools/report/hint_report.hpp"
#include "tools/report/place_json.hpp"
#include "tools/report/race_report.hpp"
#include "tools/report/signal_table.hpp"

namespace a2a3::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

Json traffic(const sim::Traffic& traffic) {
  return {{"payload_received_bytes", traffic.payload_received_bytes},
          {"payload_sent_bytes", traffic.payload_sent_bytes},
          {"local_bytes", traffic.local_bytes},
          {"header_bytes", traffic.header_bytes},
          {"signals_received_count", traffic.signals_received},
          {"signals_sent_count", traffic.signals_sent},
          {"self_signals_count", traffic.clears},
          {"gm_read_bytes", traffic.gm_read_bytes},
          {"gm_written_bytes", traffic.gm_written_bytes}};
}

Json phase(const PhaseCost& phase) {
  Json json = {{"kernels", phase.kernels},     {"first_line", phase.first_line},
               {"last_line", phase.last_line}, {"begin_ps", phase.begin},
               {"end_ps", phase.end},          {"waiting_ps", phase.waiting}};
  json.update(traffic(phase.traffic));
  return json;
}

Json times(const std::array<sim::Picoseconds, sim::kPipes>& busy, sim::Picoseconds waiting) {
  return {{"waiting_ps", waiting},
          {"busy_scalar_ps", busy[static_cast<std::size_t>(sim::Pipe::scalar)]},
          {"busy_mte2_ps", busy[static_cast<std::size_t>(sim::Pipe::mte2)]},
          {"busy_mte3_ps", busy[static_cast<std::size_t>(sim::Pipe::mte3)]},
          {"busy_vector_ps", busy[static_cast<std::size_t>(sim::Pipe::vector)]},
          {"busy_mte1_ps", busy[static_cast<std::size_t>(sim::Pipe::mte1)]},
          {"busy_cube_ps", busy[static_cast<std::size_t>(sim::Pipe::cube)]}};
}

Json core(const sim::CoreTime& core) {
  Json json = {{"core", core.core}, {"begin_ps", core.begin}, {"end_ps", core.end}};
  json.update(times(core.busy, core.waiting));
  return json;
}

Json rank(const RankCost& cost, std::size_t index, std::uint32_t device) {
  Json json = {{"rank", index}, {"device", device}};
  json.update(traffic(cost.traffic));
  json["total_ps"] = cost.total;
  json.update(times(cost.busy, cost.waiting));
  json["cores"] = Json::array();
  for (const sim::CoreTime& one : cost.cores)
    json["cores"].push_back(core(one));
  json["phases"] = Json::array();
  for (const PhaseCost& p : cost.phases)
    json["phases"].push_back(phase(p));
  return json;
}

/// Rank and device at an end of a link; where none of the run's ranks is, the rank is null.
std::pair<Json, Json> link_end(const RunReport& report, std::uint32_t end) {
  if (end < report.device_ids.size()) return {end, report.device_ids[end]};
  const auto position = static_cast<std::uint32_t>(end - report.device_ids.size());
  models::MachineDescription machine;
  machine.placement = report.placement;
  return {nullptr, models::device_at(machine, position)};
}

Json cost(const RunReport& report) {
  const Cost& cost = report.result.cost;
  Json json;
  sim::Traffic total;
  json["ranks"] = Json::array();
  for (std::size_t r = 0; r < cost.ranks.size(); ++r) {
    json["ranks"].push_back(rank(cost.ranks[r], r, report.device_ids.at(r)));
    total += cost.ranks[r].traffic;
  }
  json["total"] = traffic(total);
  json["total"]["total_ps"] = report.result.end;
  json["links"] = Json::array();
  for (const sim::LinkTraffic& link : cost.links) {
    const auto [from_rank, from_device] = link_end(report, link.from);
    const auto [to_rank, to_device] = link_end(report, link.to);
    json["links"].push_back({{"from_rank", from_rank},
                             {"to_rank", to_rank},
                             {"from_device", from_device},
                             {"to_device", to_device},
                             {"payload_bytes", link.payload_bytes},
                             {"header_bytes", link.header_bytes},
                             {"signals_count", link.signals},
                             {"messages_count", link.messages}});
  }
  return json;
}

Json expected(const models::ExpectedTraffic& traffic) {
  const auto value = [](const std::optional<std::int64_t>& number) {
    return number ? Json(*number) : Json(nullptr);
  };
  return {{"payload_received_bytes", value(traffic.received_bytes)},
          {"payload_sent_bytes", value(traffic.sent_bytes)},
          {"local_bytes", value(traffic.local_bytes)},
          {"signals_count", value(traffic.signals)},
          {"self_signals_count", value(traffic.clears)}};
}

Json rank_traffic(const std::vector<RankTraffic>& ranks) {
  Json json = Json::array();
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    json.push_back({{"rank", r},
                    {"right", ranks[r].right()},
                    {"expected", expected(ranks[r].expected)},
                    {"measured", traffic(ranks[r].measured)},
                    {"useful_bytes", ranks[r].useful_bytes()},
                    {"padding_bytes", ranks[r].padding_bytes()},
                    {"wire_bytes", ranks[r].wire_bytes()}});
  }
  return json;
}

/// Closed forms: every call of a collective, the claim, and their sum.
Json closed_forms(const RunReport& report) {
  Json parts = Json::array();
  for (const TrafficPart& part : report.parts) {
    parts.push_back({{"schedule", part.schedule},
                     {"form", models::form_name(part.form)},
                     {"claimed", !part.location.known()},
                     {"location", place_json(part.location)},
                     {"calls_count", part.calls},
                     {"formula", part.formula},
                     {"right", part.right()},
                     {"size_bytes", part.buffer_bytes},
                     {"time_ps", part.has_own_time() ? Json(part.time) : Json(nullptr)},
                     {"algbw_bytes_per_second", part.algbw()},
                     {"busbw_bytes_per_second", part.busbw()},
                     {"ranks", rank_traffic(part.ranks)}});
  }
  return {{"parts", std::move(parts)},
          {"sum", rank_traffic(sum(report.parts))},
          {"bandwidth_definition", models::kBandwidthSource}};
}

Json race_site(const RaceSite& site) {
  const char* const access = site.is_signal                             ? "notify"
                             : site.is_zeroing                          ? "zeroing"
                             : site.kind == isa::AccessKind::read       ? "read"
                             : site.kind == isa::AccessKind::atomic_add ? "atomic_add"
                                                                        : "write";
  return {{"rank", site.rank},
          {"block", site.block},
          {"access", access},
          {"location", place_json(site.location)}};
}

Json nearest_wait(const std::optional<NearestWait>& wait) {
  if (!wait) return nullptr;
  Json credits = Json::array();
  for (const NearestWait::Credit& credit : wait->credits) {
    credits.push_back({{"cell", credit.cell},
                       {"ranks", credit.ranks},
                       {"op", credit.op == isa::NotifyOp::set ? "Set" : "AtomicAdd"},
                       {"location", place_json(credit.location)}});
  }
  return {{"cell", wait->cell},
          {"location", place_json(wait->location)},
          {"expected", wait->expected},
          {"compare", wait->exactly ? "Eq" : "Ge"},
          {"passes_without", wait->bond == isa::RaceWait::Bond::meant},
          {"sender_ranks", wait->senders},
          {"credits", std::move(credits)}};
}

Json race_check(const RaceCheck& check) {
  Json races = Json::array();
  for (const Race& race : check.races) {
    races.push_back({{"kind", race_kind_name(race.kind)},
                     {"earlier", race_site(race.earlier)},
                     {"later", race_site(race.later)},
                     {"owner_rank", race.owner},
                     {"window", race.window},
                     {"range", race.range},
                     {"size_bytes", race.bytes},
                     {"races_count", race.count},
                     {"earlier_ranks", race.earlier_ranks},
                     {"later_ranks", race.later_ranks},
                     {"waited_on", race.waited},
                     {"nearest_wait", nearest_wait(race.wait)}});
  }
  const char* const state = check.state == RaceCheck::State::off               ? "off"
                            : check.state == RaceCheck::State::complete        ? "complete"
                            : check.state == RaceCheck::State::cut_off         ? "cut off"
                            : check.state == RaceCheck::State::too_many_orders ? "too many orders"
                                                                               : "undecided";
  return {{"state", state}, {"races", std::move(races)}};
}

Json diagnostic(const ir::Diagnostic& one) {
  const char* const severity = one.severity == ir::Severity::error     ? "error"
                               : one.severity == ir::Severity::warning ? "warning"
                                                                       : "note";
  Json notes = Json::array();
  for (const ir::Note& note : one.notes) {
    notes.push_back({{"message", note.message}, {"location", place_json(note.location)}});
  }
  return {{"severity", severity},
          {"message", one.message},
          {"location", place_json(one.location)},
          {"notes", std::move(notes)}};
}

Json goldens(const RunReport& report) {
  Json json = Json::array();
  for (const GoldenCheck& check : report.goldens) {
    Json mismatches = Json::array();
    for (const models::SliceMismatch& mismatch : check.mismatches) {
      mismatches.push_back({{"rank", mismatch.rank},
                            {"wrong_count", mismatch.wrong},
                            {"elements_count", mismatch.elements},
                            {"first_index", mismatch.first_index},
                            {"value", mismatch.got},
                            {"expected", mismatch.expected},
                            {"hint", mismatch.hint}});
    }
    json.push_back({{"output", check.output},
                    {"expression", check.expression},
                    {"comparison", check.comparison},
                    {"right", check.right()},
                    {"mismatches", std::move(mismatches)},
                    {"note", check.note ? diagnostic(*check.note) : Json(nullptr)}});
  }
  return json;
}

Json diagnostics(const std::vector<ir::Diagnostic>& all) {
  Json json = Json::array();
  for (const ir::Diagnostic& one : all)
    json.push_back(diagnostic(one));
  return json;
}

Json findings(const RunReport& report) {
  Json json = Json::array();
  for (const Finding& finding : report.result.findings) {
    Json one = {{"kind", finding.kind},
                {"place", finding.place},
                {"ranks", finding.ranks},
                {"times_count", finding.count}};
    one.update(diagnostic(finding.diagnostic));
    json.push_back(std::move(one));
  }
  return json;
}

Json machine(const RunReport& report) {
  Json json = {{"name", report.machine}, {"devices", report.device_ids}};
  if (report.memory.order == models::MemoryOrder::ordered) return json;
  json["memory"] = {
      {"order", "relaxed"},
      {"seed", report.memory.seed},
      {"fences", report.hazards.fences == models::Fences::automatic ? "automatic" : "none"},
      {"zeroing", report.hazards.zeroing == models::Zeroing::early ? "early" : "late"},
      {"set_line_bytes", report.hazards.set_line_bytes}};
  return json;
}

Json skew(const RunReport& report) {
  Json json = Json::object();
  for (const auto& [rank, picoseconds] : report.options.skew) {
    json[std::to_string(rank)] = picoseconds;
  }
  return json;
}

}  // namespace

Json run_json(const RunReport& report) {
  const bool timed = report.options.engine == Engine::timed;
  Json json = {{"schema_version", kSchemaVersion},
               {"program", "a2a3sim " A2A3_VERSION},
               {"kernel",
                {{"file", report.file},
                 {"entry", report.program},
                 {"mode", report.mode},
                 {"settings", report.settings},
                 {"inputs", report.inputs}}},
               {"machine", machine(report)},
               {"engine", timed ? "timed" : "untimed"},
               {"data", report.options.data == Data::full ? "full" : "none"},
               {"seed", report.options.seed ? Json(*report.options.seed) : Json(nullptr)},
               {"skew_ps_by_rank", skew(report)},
               {"start_ps_by_rank", report.result.rank_start},
               {"verdict", report.verdict()},
               {"exit_status", static_cast<int>(report.status)},
               {"instructions_count", report.result.instructions}};
  if (report.result.timed) {
    json.update(cost(report));
    json["closed_forms"] = closed_forms(report);
  }
  if (report.result.explanation) json["explanation"] = explanation_json(*report.result.explanation);
  json["goldens"] = goldens(report);
  json["outputs_without_golden"] = report.without_golden;
  json.update(deadlock_json(report.result));
  json["race_check"] = race_check(report.result.race_check);
  json["findings"] = findings(report);
  if (report.result.hints) json["hints"] = hints_json(*report.result.hints);
  if (report.result.signals) json["signals"] = signals_json(*report.result.signals);
  json["diagnostics"] = diagnostics(report.diagnostics.all());
  return json;
}

}  // namespace a2a3::tools
