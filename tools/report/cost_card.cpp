// SPDX-License-Identifier: Apache-2.0
#include "tools/report/cost_card.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "interp/id_list.hpp"
#include "tools/report/rank_rows.hpp"
#include "tools/report/table.hpp"
#include "tools/report/traffic_report.hpp"

namespace a2a3::tools {
namespace {

/// "memory: relaxed, seed 7, no fences"; empty when it is ordered.
std::string memory_line(const RunReport& report) {
  if (report.memory.order == models::MemoryOrder::ordered) return {};
  std::string text = fmt::format("memory: relaxed, seed {}", report.memory.seed);
  if (report.hazards.fences == models::Fences::none) text += ", no fences";
  if (report.hazards.zeroing == models::Zeroing::late) text += ", windows zeroed late";
  if (report.hazards.set_line_bytes != 0)
    text += fmt::format(", Set writes {} bytes", report.hazards.set_line_bytes);
  return text + "\n";
}

std::string heading(const RunReport& report) {
  std::string text = report.file;
  if (!report.program.empty()) text += fmt::format(", {}", report.program);
  if (!report.mode.empty()) text += fmt::format(", mode {}", report.mode);
  const std::size_t ranks = report.device_ids.size();
  text += fmt::format("\n{} {} on device{} {} of {}", ranks, ranks == 1 ? "rank" : "ranks",
                      ranks == 1 ? "" : "s", interp::format_ids(report.device_ids), report.machine);
  return text + "\n" + memory_line(report);
}

std::vector<std::string> traffic_cells(const sim::Traffic& traffic) {
  std::vector<std::string> cells;
  for (const std::uint64_t value :
       {traffic.payload_received_bytes, traffic.payload_sent_bytes, traffic.local_bytes,
        traffic.header_bytes, traffic.signals_received, traffic.signals_sent, traffic.clears,
        traffic.gm_read_bytes, traffic.gm_written_bytes}) {
    cells.push_back(std::to_string(value));
  }
  return cells;
}

std::string traffic_table(const Cost& cost) {
  Table table({{"rank", ""},
               {"received", "bytes"},
               {"sent", "bytes"},
               {"local", "bytes"},
               {"headers", "bytes"},
               {"signals in", "count"},
               {"signals out", "count"},
               {"self", "count"},
               {"GM read", "bytes"},
               {"GM written", "bytes"}});
  std::vector<RankRow> rows;
  sim::Traffic total;
  for (std::uint32_t r = 0; r < cost.ranks.size(); ++r) {
    rows.push_back({r, traffic_cells(cost.ranks[r].traffic)});
    total += cost.ranks[r].traffic;
  }
  add_grouped(table, rows);
  std::vector<std::string> last{"total"};
  for (std::string& cell : traffic_cells(total))
    last.push_back(std::move(cell));
  table.add_rule();
  table.add_row(std::move(last));
  return table.text();
}

/// Ranks of one table that are listed; beyond, the longest row alone says enough.
constexpr std::size_t kTimeRows = 64;

/// Columns of the pipes' busy times in the order of sim::Pipe; those of the cube core, which come
/// last, when it worked.
void add_pipe_columns(std::vector<Table::Column>& columns, const Cost& cost) {
  for (const char* title : {"scalar", "MTE2 load", "MTE3 store", "V vector"})
    columns.push_back({title, "us"});
  const bool uses_cube = std::any_of(cost.ranks.begin(), cost.ranks.end(), [](const RankCost& r) {
    return r.busy[static_cast<std::size_t>(sim::Pipe::cube)] > 0;
  });
  if (!uses_cube) return;
  columns.push_back({"MTE1 feed", "us"});
  columns.push_back({"M cube", "us"});
}

std::string time_table(const Cost& cost) {
  std::vector<Table::Column> columns{{"rank", ""}, {"total", "us"}, {"waiting", "us"}};
  add_pipe_columns(columns, cost);
  const std::size_t shown = columns.size() - 1;
  Table table(std::move(columns));
  std::vector<RankRow> rows;
  std::vector<sim::Picoseconds> longest(shown, 0);
  for (std::uint32_t r = 0; r < cost.ranks.size(); ++r) {
    const RankCost& rank = cost.ranks[r];
    std::vector<sim::Picoseconds> times{rank.total, rank.waiting};
    times.insert(times.end(), rank.busy.begin(), rank.busy.end());
    times.resize(shown);
    std::vector<std::string> cells;
    for (std::size_t t = 0; t < times.size(); ++t) {
      longest[t] = std::max(longest[t], times[t]);
      cells.push_back(microseconds(times[t]));
    }
    if (r < kTimeRows) rows.push_back({r, std::move(cells)});
  }
  add_grouped(table, rows);
  if (cost.ranks.size() > kTimeRows) {
    table.add_row({fmt::format("and {} more", cost.ranks.size() - kTimeRows)});
  }
  std::vector<std::string> last{"longest"};
  for (const sim::Picoseconds time : longest)
    last.push_back(microseconds(time));
  table.add_rule();
  table.add_row(std::move(last));
  return table.text();
}

/// Cores of all ranks that are listed; with more, the ranks' rows must do.
constexpr std::size_t kCoreRows = 256;

/// Empty when no rank used more than one core.
std::string core_table(const Cost& cost) {
  std::size_t cores = 0;
  bool several = false;
  for (const RankCost& rank : cost.ranks) {
    cores += rank.cores.size();
    several = several || rank.cores.size() > 1;
  }
  if (!several) return "";
  if (cores > kCoreRows) return fmt::format("\n{} cores; --json has the times of each\n", cores);
  std::vector<Table::Column> columns{
      {"rank", ""}, {"core", ""}, {"begin", "us"}, {"end", "us"}, {"waiting", "us"}};
  constexpr std::size_t kTitles = 2;
  add_pipe_columns(columns, cost);
  const std::size_t shown = columns.size() - kTitles;
  Table table(std::move(columns), kTitles);
  for (std::size_t r = 0; r < cost.ranks.size(); ++r) {
    std::vector<RankRow> rows;
    for (const sim::CoreTime& core : cost.ranks[r].cores) {
      std::vector<std::string> cells{microseconds(core.begin), microseconds(core.end),
                                     microseconds(core.waiting)};
      for (const sim::Picoseconds busy : core.busy)
        cells.push_back(microseconds(busy));
      cells.resize(shown);
      rows.push_back({core.core, std::move(cells)});
    }
    add_grouped(table, rows, std::to_string(r));
  }
  return "\ncores that worked:\n" + table.text();
}

/// One phase of all ranks together.
struct PhaseSum {
  std::vector<std::string> kernels;  ///< of the ranks, each once
  std::uint32_t first_line = 0;
  std::uint32_t last_line = 0;
  sim::Traffic traffic;
  sim::Picoseconds begin = 0;
  sim::Picoseconds end = 0;
  sim::Picoseconds longest_wait = 0;
};

std::string lines(const PhaseSum& phase) {
  if (phase.first_line == phase.last_line) return std::to_string(phase.first_line);
  return fmt::format("{}-{}", phase.first_line, phase.last_line);
}

std::vector<PhaseSum> sum_phases(const Cost& cost) {
  std::vector<PhaseSum> sums;
  for (const RankCost& rank : cost.ranks) {
    if (rank.phases.size() > sums.size()) sums.resize(rank.phases.size());
    for (std::size_t p = 0; p < rank.phases.size(); ++p) {
      const PhaseCost& phase = rank.phases[p];
      PhaseSum& sum = sums[p];
      sum.traffic += phase.traffic;
      if (phase.first_line == 0) continue;
      const bool first = sum.first_line == 0;
      if (std::ranges::find(sum.kernels, phase.kernels) == sum.kernels.end()) {
        sum.kernels.push_back(phase.kernels);
      }
      sum.first_line = first ? phase.first_line : std::min(sum.first_line, phase.first_line);
      sum.last_line = std::max(sum.last_line, phase.last_line);
      sum.begin = first ? phase.begin : std::min(sum.begin, phase.begin);
      sum.end = std::max(sum.end, phase.end);
      sum.longest_wait = std::max(sum.longest_wait, phase.waiting);
    }
  }
  return sums;
}

/// Empty when the kernels have no barriers.
std::string phase_table(const Cost& cost) {
  const std::vector<PhaseSum> phases = sum_phases(cost);
  if (phases.size() < 2) return "";
  Table table({{"phase", ""},
               {"kernel", ""},
               {"lines", ""},
               {"begin", "us"},
               {"end", "us"},
               {"longest wait", "us"},
               {"received", "bytes"},
               {"local", "bytes"},
               {"signals", "count"}},
              3);
  for (std::size_t p = 0; p < phases.size(); ++p) {
    const PhaseSum& phase = phases[p];
    const char* more = p == sim::kLastPhase ? "-" : "";  // and those behind it
    table.add_row({std::to_string(p + 1) + more, fmt::format("{}", fmt::join(phase.kernels, ", ")),
                   lines(phase), microseconds(phase.begin), microseconds(phase.end),
                   microseconds(phase.longest_wait),
                   std::to_string(phase.traffic.payload_received_bytes),
                   std::to_string(phase.traffic.local_bytes),
                   std::to_string(phase.traffic.signals_received)});
  }
  return "\nall ranks together, between barriers:\n" + table.text();
}

}  // namespace

std::string cost_card(const RunReport& report) {
  std::string text = heading(report);
  const Result& result = report.result;
  if (result.outcome == Outcome::invalid) return text;
  if (!result.timed) {
    return text + fmt::format("untimed: {} instructions; times and traffic are not measured\n",
                              result.instructions);
  }
  if (result.outcome == Outcome::fault || result.outcome == Outcome::over_limit) {
    text += fmt::format("the run was stopped after {} instructions; what it cost until then:\n",
                        result.instructions);
  }
  return text + "\n" + traffic_table(result.cost) + "\n" + time_table(result.cost) +
         core_table(result.cost) + phase_table(result.cost) + traffic_report(report);
}

}  // namespace a2a3::tools
