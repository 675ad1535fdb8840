// SPDX-License-Identifier: Apache-2.0
#include "tools/report/traffic_report.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "interp/id_list.hpp"
#include "tools/report/rank_rows.hpp"

namespace a2a3::tools {
namespace {

/// How a quantity is shown.
struct Shown {
  const char* title;
  const char* unit;
  const char* expectation;  ///< for sentences: "received 12 bytes"
};
/// In the order of kTrafficQuantities.
constexpr std::array kShown{Shown{"received", "bytes", "received {} bytes, expected {}"},
                            Shown{"sent", "bytes", "sent {} bytes, expected {}"},
                            Shown{"local", "bytes", "moved {} bytes locally, expected {}"},
                            Shown{"signals out", "count", "sent {} signals, expected {}"},
                            Shown{"signals in", "count", "got {} signals, expected {}"},
                            Shown{"self", "count", "signalled itself {} times, expected {}"}};
static_assert(kShown.size() == kTrafficQuantities.size());

std::string cell(const TrafficQuantity& quantity, const RankTraffic& rank) {
  const auto& expected = rank.expected.*quantity.expected;
  const std::uint64_t measured = rank.measured.*quantity.measured;
  if (!expected) return std::to_string(measured);
  return fmt::format("{} {} {}", *expected, rank.agrees(quantity) ? "=" : "!=", measured);
}

void add_part(Table& table, const std::string& title, const std::vector<RankTraffic>& ranks) {
  std::vector<RankRow> rows;
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    RankRow& row = rows.emplace_back(RankRow{r, {}});
    for (const TrafficQuantity& quantity : kTrafficQuantities)
      row.cells.push_back(cell(quantity, ranks[r]));
  }
  add_grouped(table, rows, title);
}

/// What no closed form speaks of; empty when there is nothing.
std::vector<RankTraffic> unclaimed(const RunReport& report) {
  if (report.has_claim) return {};
  std::vector<RankTraffic> ranks;
  bool any = false;
  for (const sim::Traffic& traffic : report.result.other_traffic) {
    ranks.push_back({{}, traffic});
    any = any || traffic.payload_received_bytes + traffic.payload_sent_bytes + traffic.local_bytes +
                         traffic.signals_sent + traffic.signals_received + traffic.clears >
                     0;
  }
  return any ? ranks : std::vector<RankTraffic>{};
}

/// The parts that move something, or should; a claim of nothing that holds is not worth a row.
std::vector<TrafficPart> shown_parts(const RunReport& report) {
  std::vector<TrafficPart> parts;
  for (const TrafficPart& part : report.parts) {
    if (part.schedule != "none" || !part.right()) parts.push_back(part);
  }
  return parts;
}

std::string comparison_table(const RunReport& report, const std::vector<TrafficPart>& parts) {
  std::vector<Table::Column> columns{{"", ""}, {"rank", ""}};
  for (const Shown& shown : kShown)
    columns.push_back({shown.title, shown.unit});
  Table table(std::move(columns), 2);
  for (const TrafficPart& part : parts)
    add_part(table, part_title(part), part.ranks);
  if (const auto rest = unclaimed(report); !rest.empty()) {
    add_part(table, "other, not claimed", rest);
  }
  if (parts.size() > 1) {
    table.add_rule();
    add_part(table, fmt::format("sum of {} parts", parts.size()), sum(parts));
  }
  return table.text();
}

std::string gigabytes(double bytes_per_second) {
  return bytes_per_second == 0 ? "-" : fmt::format("{:.3f}", bytes_per_second / 1e9);
}

std::string kinds_table(const std::vector<TrafficPart>& parts) {
  Table table({{"", ""},
               {"useful", "bytes"},
               {"padding", "bytes"},
               {"local", "bytes"},
               {"wire", "bytes"},
               {"size", "bytes"},
               {"time", "us"},
               {"algbw", "GB/s"},
               {"busbw", "GB/s"}});
  for (const TrafficPart& part : parts) {
    std::int64_t useful = 0;
    std::int64_t padding = 0;
    std::uint64_t local = 0;
    std::uint64_t wire = 0;
    for (const RankTraffic& rank : part.ranks) {
      padding += rank.padding_bytes();
      useful += rank.useful_bytes();
      local += rank.measured.local_bytes;
      wire += rank.wire_bytes();
    }
    table.add_row({part_title(part), std::to_string(useful), std::to_string(padding),
                   std::to_string(local), std::to_string(wire),
                   part.buffer_bytes == 0 ? "-" : std::to_string(part.buffer_bytes),
                   part.has_own_time() ? microseconds(part.time) : "-", gigabytes(part.algbw()),
                   gigabytes(part.busbw())});
  }
  return table.text();
}

std::string formulas(const std::vector<TrafficPart>& parts) {
  std::string text;
  std::set<std::string> told;
  for (const TrafficPart& part : parts) {
    const std::string name = fmt::format("{}{}", part.schedule,
                                         part.form == models::ScheduleForm::hand
                                             ? ""
                                             : fmt::format(" ({})", models::form_name(part.form)));
    if (told.insert(name).second) text += fmt::format("{}: {}\n", name, part.formula);
  }
  if (std::ranges::any_of(parts, [](const TrafficPart& p) { return p.algbw() != 0; })) {
    text += fmt::format("bandwidths as in {}\n", models::kBandwidthSource);
  }
  return text;
}

/// What is wrong with a part on these ranks, a line for each of the first ones.
std::string differences(const TrafficPart& part, const std::vector<std::uint32_t>& ranks) {
  constexpr std::size_t kRanksShown = 8;
  std::string text;
  for (std::size_t i = 0; i < ranks.size() && i < kRanksShown; ++i) {
    const RankTraffic& rank = part.ranks[ranks[i]];
    std::string line;
    for (std::size_t q = 0; q < kShown.size(); ++q) {
      const TrafficQuantity& quantity = kTrafficQuantities[q];
      if (rank.agrees(quantity)) continue;
      line += (line.empty() ? "" : "; ") + fmt::format(fmt::runtime(kShown[q].expectation),
                                                       rank.measured.*quantity.measured,
                                                       *(rank.expected.*quantity.expected));
    }
    text += fmt::format("   rank {} {}\n", ranks[i], line);
  }
  if (ranks.size() > kRanksShown)
    text += fmt::format("   and {} more ranks\n", ranks.size() - kRanksShown);
  return text;
}

/// What to do about a claim that does not hold.
std::string remedy(const ir::SourceLocation& claim) {
  if (!claim.known()) return "   if the kernel is right, correct --traffic, or leave it out\n";
  return fmt::format(
      "   claimed at {}:{}:{}; if the kernel is right, correct the claim there, or run with "
      "--no-traffic\n",
      claim.file->path(), claim.line, claim.column);
}

}  // namespace

std::string part_title(const TrafficPart& part) {
  if (!part.location.known()) return part.schedule + ", claimed";
  const std::string times = part.calls == 1 ? "" : fmt::format(", {} times", part.calls);
  return fmt::format("{}, line {}{}", part.schedule, part.location.line, times);
}

std::string traffic_report(const RunReport& report) {
  const std::vector<TrafficPart> parts = shown_parts(report);
  if (parts.empty()) return "";
  return "\ntraffic, closed form = measured:\n" + comparison_table(report, parts) +
         "\nall ranks together; wire: payload and headers:\n" + kinds_table(parts) + "\n" +
         formulas(parts);
}

std::string traffic_mismatches(const RunReport& report) {
  const bool in_brief = !report.result.race_check.races.empty();
  std::string text;
  for (const TrafficPart& part : report.parts) {
    std::vector<std::uint32_t> ranks;
    for (std::uint32_t r = 0; r < part.ranks.size(); ++r) {
      if (!part.ranks[r].right()) ranks.push_back(r);
    }
    if (ranks.empty()) continue;
    text += fmt::format("wrong traffic: {} does not move what its closed form says on {}{}\n",
                        part_title(part), interp::rank_list(ranks),
                        in_brief ? "; look at the races first" : "");
    if (in_brief) continue;
    text += differences(part, ranks);
    text += fmt::format("   closed form: {}\n", part.formula);
    const bool is_claim = report.has_claim && &part == &report.parts.back();
    if (is_claim) text += remedy(report.claim_location);
  }
  return text;
}

}  // namespace a2a3::tools
