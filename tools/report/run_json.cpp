// SPDX-License-Identifier: Apache-2.0
#include "tools/report/run_json.hpp"

#include <nlohmann/json.hpp>

#include "ir/diagnostic.hpp"

namespace a2a3::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

Json place(const ir::SourceLocation& location) {
  if (!location.known()) return nullptr;
  return {{"file", location.file->path()}, {"line", location.line}, {"column", location.column}};
}

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

Json rank(const RankCost& cost, std::size_t index, std::uint32_t device) {
  Json json = {{"rank", index}, {"device", device}};
  json.update(traffic(cost.traffic));
  json["total_ps"] = cost.total;
  json["waiting_ps"] = cost.waiting;
  json["busy_scalar_ps"] = cost.busy[static_cast<std::size_t>(sim::Pipe::scalar)];
  json["busy_mte2_ps"] = cost.busy[static_cast<std::size_t>(sim::Pipe::mte2)];
  json["busy_mte3_ps"] = cost.busy[static_cast<std::size_t>(sim::Pipe::mte3)];
  json["busy_vector_ps"] = cost.busy[static_cast<std::size_t>(sim::Pipe::vector)];
  json["phases"] = Json::array();
  for (const PhaseCost& p : cost.phases)
    json["phases"].push_back(phase(p));
  return json;
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
    json["links"].push_back({{"from_rank", link.from},
                             {"to_rank", link.to},
                             {"payload_bytes", link.payload_bytes},
                             {"header_bytes", link.header_bytes},
                             {"signals_count", link.signals},
                             {"messages_count", link.messages}});
  }
  return json;
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
                    {"mismatches", std::move(mismatches)}});
  }
  return json;
}

Json credits(const std::vector<Credit>& credits) {
  Json json = Json::array();
  for (const Credit& credit : credits) {
    json.push_back({{"cell", credit.cell.text()},
                    {"from_rank", credit.from_rank},
                    {"op", credit.op == isa::NotifyOp::set ? "Set" : "AtomicAdd"},
                    {"value", credit.value},
                    {"notifies_count", credit.count},
                    {"location", place(credit.location)}});
  }
  return json;
}

Json blocked(const RunReport& report) {
  Json json = Json::array();
  for (const BlockedRank& one : report.result.blocked) {
    json.push_back({{"rank", one.rank},
                    {"core", one.core},
                    {"location", place(one.location)},
                    {"window", one.cell.window},
                    {"cell", one.cell.text()},
                    {"value", one.value},
                    {"expected", one.expected},
                    {"compare", one.cmp == isa::WaitCmp::ge ? "Ge" : "Eq"},
                    {"since_ps", one.since ? Json(*one.since) : Json(nullptr)},
                    {"received", credits(one.received)},
                    {"elsewhere", credits(one.elsewhere)}});
  }
  return json;
}

Json diagnostics(const RunReport& report) {
  const auto severity = [](ir::Severity value) {
    switch (value) {
      case ir::Severity::error:
        return "error";
      case ir::Severity::warning:
        return "warning";
      case ir::Severity::note:
        break;
    }
    return "note";
  };
  Json json = Json::array();
  for (const ir::Diagnostic& one : report.diagnostics.all()) {
    Json notes = Json::array();
    for (const ir::Note& note : one.notes) {
      notes.push_back({{"message", note.message}, {"location", place(note.location)}});
    }
    json.push_back({{"severity", severity(one.severity)},
                    {"message", one.message},
                    {"location", place(one.location)},
                    {"notes", std::move(notes)}});
  }
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

std::string run_json(const RunReport& report) {
  const bool timed = report.options.engine == Engine::timed;
  Json json = {{"schema_version", kSchemaVersion},
               {"program", "a2a3sim " A2A3_VERSION},
               {"kernel",
                {{"file", report.file},
                 {"entry", report.program},
                 {"mode", report.mode},
                 {"settings", report.settings},
                 {"inputs", report.inputs}}},
               {"machine", {{"name", report.machine}, {"devices", report.device_ids}}},
               {"engine", timed ? "timed" : "untimed"},
               {"seed", report.options.seed ? Json(*report.options.seed) : Json(nullptr)},
               {"skew_ps_by_rank", skew(report)},
               {"verdict", report.verdict()},
               {"exit_status", static_cast<int>(report.status)},
               {"instructions_count", report.result.instructions}};
  const bool stopped =
      report.result.outcome == Outcome::fault || report.result.outcome == Outcome::over_limit;
  if (report.result.timed && !stopped) json.update(cost(report));
  json["goldens"] = goldens(report);
  json["blocked"] = blocked(report);
  json["diagnostics"] = diagnostics(report);
  // Text of the user's that is no UTF-8 must not keep the file from being written.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace a2a3::tools
