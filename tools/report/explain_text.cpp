// SPDX-License-Identifier: Apache-2.0
#include "tools/report/explain_text.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "models/time/difference.hpp"
#include "tools/report/rank_rows.hpp"
#include "tools/report/table.hpp"

namespace a2a3::tools {
namespace {

constexpr std::size_t kLineRows = 10;
constexpr std::size_t kLinkRows = 8;
constexpr std::size_t kPathRows = 24;

std::string percent(sim::Picoseconds part, sim::Picoseconds whole) {
  return fmt::format(
      "{:.1f} %",
      whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string more(std::size_t rows, std::size_t shown, const char* what) {
  return rows <= shown ? "" : fmt::format("and {} more {}; --json has all\n", rows - shown, what);
}

const char* pipe_name(sim::Pipe pipe) {
  static constexpr const char* kNames[sim::kPipes] = {"scalar", "MTE2", "MTE3", "V", "MTE1", "M"};
  return kNames[static_cast<std::size_t>(pipe)];
}

std::string line_of(const ir::SourceLocation& location) {
  return location.known() ? std::to_string(location.line) : "-";
}

std::string group_table(const Explanation& explanation, sim::Picoseconds end) {
  Table table({{"the time went to", ""}, {"time", "us"}, {"share", ""}});
  for (std::size_t i = 0; i < explanation.group_times.size(); ++i) {
    const sim::Picoseconds time = explanation.group_times[i];
    if (time > 0) {
      table.add_row({name(static_cast<TimeGroup>(i)), microseconds(time), percent(time, end)});
    }
  }
  table.add_rule();
  table.add_row({"total", microseconds(end), percent(end, end)});
  return table.text();
}

std::string line_table(const Explanation& explanation, sim::Picoseconds end) {
  Table table({{"line", ""}, {"time", "us"}, {"share", ""}, {"mostly", ""}});
  const std::size_t shown = std::min(kLineRows, explanation.lines.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const LineShare& line = explanation.lines[i];
    table.add_row({line_of(line.location), microseconds(line.time), percent(line.time, end),
                   name(line.mostly)});
  }
  return table.text() + more(explanation.lines.size(), shown, "lines");
}

/// A link's end that is no rank is a place that messages pass.
std::string link_end(std::uint32_t end, std::size_t ranks) {
  return end < ranks ? std::to_string(end) : fmt::format("at {}", end - ranks);
}

std::string link_table(const RunReport& report, sim::Picoseconds end) {
  const std::vector<sim::LinkReport>& links = report.result.explanation->links;
  if (links.empty()) return "";
  const std::size_t ranks = report.device_ids.size();
  Table table({{"link", ""}, {"payload", "bytes"}, {"busy", ""}, {"peak queue", "messages"}});
  const std::size_t shown = std::min(kLinkRows, links.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const sim::LinkReport& link = links[i];
    table.add_row({fmt::format("{} -> {}", link_end(link.from, ranks), link_end(link.to, ranks)),
                   std::to_string(link.payload_sent_bytes), percent(link.busy, end),
                   std::to_string(link.peak_queue)});
  }
  return "\nbusiest links:\n" + table.text() + more(links.size(), shown, "links");
}

/// The longest pieces, in the order of time.
std::string path_table(const Explanation& explanation) {
  std::vector<const PathPiece*> pieces;
  for (const PathPiece& piece : explanation.path)
    pieces.push_back(&piece);
  const std::size_t shown = std::min(kPathRows, pieces.size());
  std::ranges::stable_sort(pieces, std::ranges::greater{}, &PathPiece::time);
  pieces.resize(shown);
  std::ranges::sort(pieces, {}, &PathPiece::from);
  Table table({{"from", "us"},
               {"to", "us"},
               {"rank", ""},
               {"core", ""},
               {"line", ""},
               {"pipe", ""},
               {"what", ""}},
              0);
  for (const PathPiece* piece : pieces) {
    table.add_row({microseconds(piece->from), microseconds(piece->to), std::to_string(piece->rank),
                   std::to_string(piece->core), line_of(piece->location), pipe_name(piece->pipe),
                   name(piece->group)});
  }
  const char* title =
      shown < explanation.path.size() ? "longest pieces of the critical path" : "the critical path";
  return fmt::format("\n{}:\n{}", title, table.text()) +
         more(explanation.path.size(), shown, "pieces");
}

/// What the operations of a pipe that wait for a group are.
const char* operations(const Bound& bound) {
  const bool remote = bound.group == TimeGroup::link_wait || bound.group == TimeGroup::link ||
                      bound.group == TimeGroup::hop || bound.group == TimeGroup::uplink ||
                      bound.group == TimeGroup::core_egress ||
                      bound.group == TimeGroup::device_egress;
  if (bound.pipe == sim::Pipe::mte2) return remote ? "remote loads" : "loads";
  if (bound.pipe == sim::Pipe::mte3) return remote ? "remote stores" : "stores";
  return pipe_name(bound.pipe);
}

/// The links whose rate bound the run: the one, if most of the time went to it.
std::string bound_links(const Bound& bound, std::size_t ranks) {
  const BoundLinks& links = *bound.links;
  const std::string ends =
      fmt::format("{} -> {}", link_end(links.from, ranks), link_end(links.to, ranks));
  if (2 * links.time > bound.time) return "rate of link " + ends;
  return links.alike ? "rate of a link" : "rate of links, most of all " + ends;
}

std::string resource(const Bound& bound, std::size_t ranks) {
  if (bound.signals) {
    const std::string_view what(name(bound.group));
    return fmt::format("signals (most of all {})", what.substr(what.find(' ') + 1));
  }
  std::string text = name(bound.group);
  if (bound.group == TimeGroup::core_egress) text = "egress of one vector core";
  if (bound.links) text = bound_links(bound, ranks);
  if (bound.rate_bytes_per_second == 0) return text;
  return fmt::format("{} ({:.4g} GB/s)", text, bound.rate_bytes_per_second / 1e9);
}

std::string sentence(const Bound& bound, sim::Picoseconds end, std::size_t ranks) {
  std::string text =
      fmt::format("bound by {}: {} of the time", resource(bound, ranks), percent(bound.time, end));
  if (!bound.location.known()) return text + "\n";
  const bool moves = bound.pipe == sim::Pipe::mte2 || bound.pipe == sim::Pipe::mte3;
  return fmt::format("{}, {} of it {}at line {}\n", text, percent(bound.line_time, bound.time),
                     moves ? std::string(operations(bound)) + " " : "", bound.location.line);
}

/// The path's time as the closed forms tell it apart.
models::SimulatedParts simulated_parts(const Explanation& explanation) {
  const auto seconds = [&](std::initializer_list<TimeGroup> groups) {
    sim::Picoseconds sum = 0;
    for (const TimeGroup group : groups)
      sum += explanation.group_times[static_cast<std::size_t>(group)];
    return static_cast<double>(sum) * 1e-12;
  };
  using enum TimeGroup;
  return {.skew = seconds({launch_skew}),
          .contention = seconds({link_wait, memory_wait, idle}),
          .chunk_latency = seconds({startup, issue, hop, barriers, scalar}),
          .signals = seconds({notify, signal_flight, poll, acquire}),
          .bytes = seconds({stream, link, memory, core_egress, device_egress, uplink, dma, cube}),
          .vector = seconds({vector})};
}

}  // namespace

std::string explanation_text(const RunReport& report) {
  if (!report.result.explanation) {
    return report.result.timed && report.options.explain
               ? "\nno explanation: the run did not come to its end\n"
               : "";
  }
  const Explanation& explanation = *report.result.explanation;
  const sim::Picoseconds end = report.result.end;
  if (!explanation.complete) {
    return fmt::format(
        "\nno explanation: the run has more than {} records of what caused what; "
        "--max-explain-records sets the limit\n{}",
        report.options.limits.max_explain_records, link_table(report, end));
  }
  return "\ncritical path, the chain of causes that ends with the last core:\n" +
         group_table(explanation, end) + "\n" + line_table(explanation, end) +
         link_table(report, end) + path_table(explanation) + "\n" +
         sentence(explanation.bound, end, report.device_ids.size()) +
         (report.modelled
              ? models::explain_difference(simulated_parts(explanation), *report.modelled) + "\n"
              : "");
}

}  // namespace a2a3::tools
