// SPDX-License-Identifier: Apache-2.0
#include "tools/report/explain_json.hpp"

namespace a2a3::tools {
namespace {

using ExplainJson = nlohmann::ordered_json;

ExplainJson file_line(const ir::SourceLocation& location) {
  if (!location.known()) return nullptr;
  return {{"file", location.file->path()}, {"line", location.line}};
}

const char* pipe_key(sim::Pipe pipe) {
  static constexpr const char* kKeys[sim::kPipes] = {"scalar", "mte2", "mte3",
                                                     "vector", "mte1", "cube"};
  return kKeys[static_cast<std::size_t>(pipe)];
}

ExplainJson path(const Explanation& explanation) {
  ExplainJson json = ExplainJson::array();
  for (const PathPiece& piece : explanation.path) {
    json.push_back({{"from_ps", piece.from},
                    {"to_ps", piece.to},
                    {"rank", piece.rank},
                    {"core", piece.core},
                    {"pipe", pipe_key(piece.pipe)},
                    {"what", name(piece.group)},
                    {"location", file_line(piece.location)}});
  }
  return json;
}

ExplainJson links(const Explanation& explanation) {
  ExplainJson json = ExplainJson::array();
  for (const sim::LinkReport& link : explanation.links) {
    json.push_back({{"from", link.from},
                    {"to", link.to},
                    {"payload_bytes", link.payload_sent_bytes},
                    {"header_bytes", link.header_bytes},
                    {"messages_count", link.messages_sent},
                    {"busy_ps", link.busy},
                    {"peak_queue_count", link.peak_queue}});
  }
  return json;
}

}  // namespace

nlohmann::ordered_json explanation_json(const Explanation& explanation) {
  ExplainJson json = {{"complete", explanation.complete}, {"links", links(explanation)}};
  if (!explanation.complete) return json;
  for (std::size_t i = 0; i < explanation.group_times.size(); ++i)
    json["time_ps"][name(static_cast<TimeGroup>(i))] = explanation.group_times[i];
  json["lines"] = ExplainJson::array();
  for (const LineShare& line : explanation.lines) {
    json["lines"].push_back({{"location", file_line(line.location)},
                             {"time_ps", line.time},
                             {"mostly", name(line.mostly)}});
  }
  const Bound& bound = explanation.bound;
  ExplainJson bound_link = nullptr;
  if (bound.links) bound_link = {{"from", bound.links->from}, {"to", bound.links->to}};
  json["bound"] = {
      {"what", name(bound.group)},       {"all_signals", bound.signals},
      {"time_ps", bound.time},           {"rate_bytes_per_second", bound.rate_bytes_per_second},
      {"pipe", pipe_key(bound.pipe)},    {"location", file_line(bound.location)},
      {"line_time_ps", bound.line_time}, {"link", bound_link}};
  json["path"] = path(explanation);
  return json;
}

}  // namespace a2a3::tools
