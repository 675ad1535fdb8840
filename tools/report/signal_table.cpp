// SPDX-License-Identifier: Apache-2.0
#include "tools/report/signal_table.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "tools/report/place_json.hpp"
#include "tools/report/table.hpp"

namespace a2a3::tools {
namespace {

/// Beyond these many, waits and the notifies of one are counted instead of listed.
constexpr std::size_t kWaitRows = 60;
constexpr std::size_t kNotifiesShown = 4;

const char* state_name(isa::WaitRecord::State state) {
  switch (state) {
    case isa::WaitRecord::State::fresh:
      return "fresh";
    case isa::WaitRecord::State::earlier_round:
      return "earlier round";
    case isa::WaitRecord::State::stale:
      return "stale";
    case isa::WaitRecord::State::at_once:
      break;
  }
  return "at once";
}

bool is_marked(const SatisfiedWait& wait) {
  return wait.record.state != isa::WaitRecord::State::fresh;
}

std::string notify_line(const ir::SourceLocation& location) {
  return location.known() ? std::to_string(location.line) : "-";
}

/// "+1 by rank 0 at 61, its 2nd", "5 found".
std::string notify_text(const SatisfiedWait::Notify& notify) {
  const isa::CountedSignal& signal = notify.signal;
  if (signal.is_found) return fmt::format("{} found in the cell", signal.value);
  return fmt::format("{}{} by rank {}, line {}, no. {}",
                     signal.op == isa::NotifyOp::set ? "Set " : "+", signal.value, notify.rank,
                     notify_line(notify.location), signal.generation);
}

std::string counted_text(const SatisfiedWait& wait) {
  std::string text;
  const std::size_t shown = std::min(wait.notifies.size(), kNotifiesShown);
  for (std::size_t i = 0; i < shown; ++i)
    text += (i == 0 ? "" : "; ") + notify_text(wait.notifies[i]);
  if (wait.notifies.size() > shown)
    text += fmt::format("; and {} more", wait.notifies.size() - shown);
  if (wait.record.state == isa::WaitRecord::State::at_once) text = "nothing";
  if (wait.record.counted_before > 0)
    text += fmt::format("; {} counted before", wait.record.counted_before);
  return text;
}

/// All waits, or as many as fit, with those that are marked before others.
std::vector<const SatisfiedWait*> shown_waits(const std::vector<SatisfiedWait>& waits) {
  std::vector<const SatisfiedWait*> shown;
  std::size_t marked = static_cast<std::size_t>(std::ranges::count_if(waits, is_marked));
  marked = std::min(marked, kWaitRows);
  std::size_t others = kWaitRows - marked;
  for (const SatisfiedWait& wait : waits) {
    std::size_t& room = is_marked(wait) ? marked : others;
    if (room == 0) continue;
    --room;
    shown.push_back(&wait);
  }
  std::ranges::stable_sort(shown, {}, &SatisfiedWait::rank);
  return shown;
}

}  // namespace

std::string signal_table(const RunReport& report) {
  if (!report.result.signals) return "";
  const SignalProvenance& signals = *report.result.signals;
  std::string text =
      "\nwhat satisfied each wait, as on the untimed engine; \"no.\" counts the waits and the "
      "signals "
      "of a\nrank on one cell:\n";
  const std::vector<const SatisfiedWait*> shown = shown_waits(signals.waits);
  Table table({{"rank", ""},
               {"line", ""},
               {"cell", ""},
               {"no.", ""},
               {"asks", ""},
               {"found", ""},
               {"state", ""},
               {"new signals", ""}},
              8);
  for (const SatisfiedWait* wait : shown) {
    const isa::WaitRecord& record = wait->record;
    table.add_row({std::to_string(wait->rank), notify_line(wait->location), wait->cell.text(),
                   std::to_string(record.generation),
                   fmt::format("{} {}", record.exactly ? "==" : ">=", record.expected),
                   std::to_string(record.value), state_name(record.state), counted_text(*wait)});
  }
  text += table.text();
  if (signals.waits.size() > shown.size())
    text +=
        fmt::format("and {} more waits; --json has them\n", signals.waits.size() - shown.size());
  if (signals.left_out > 0) {
    text += fmt::format(
        "and {} later ones that were not recorded; --max-signal-records sets the limit\n",
        signals.left_out);
  }
  return text;
}

nlohmann::ordered_json signals_json(const SignalProvenance& signals) {
  using Json = nlohmann::ordered_json;
  Json waits = Json::array();
  for (const SatisfiedWait& wait : signals.waits) {
    const isa::WaitRecord& record = wait.record;
    Json notifies = Json::array();
    for (const SatisfiedWait::Notify& notify : wait.notifies) {
      const isa::CountedSignal& signal = notify.signal;
      notifies.push_back({{"rank", signal.is_found ? Json(nullptr) : Json(notify.rank)},
                          {"location", place_json(notify.location)},
                          {"generation", signal.is_found ? Json(nullptr) : Json(signal.generation)},
                          {"op", signal.is_found                   ? "found"
                                 : signal.op == isa::NotifyOp::set ? "Set"
                                                                   : "AtomicAdd"},
                          {"value", signal.value},
                          {"counted_before", signal.counted_before}});
    }
    waits.push_back({{"rank", wait.rank},
                     {"location", place_json(wait.location)},
                     {"window", wait.cell.window},
                     {"cell", wait.cell.text()},
                     {"generation", record.generation},
                     {"compare", record.exactly ? "Eq" : "Ge"},
                     {"expected", record.expected},
                     {"value", record.value},
                     {"deferred", record.deferred},
                     {"state", state_name(record.state)},
                     {"notifies", std::move(notifies)},
                     {"counted_before_count", record.counted_before}});
  }
  return {{"waits", std::move(waits)}, {"left_out_count", signals.left_out}};
}

}  // namespace a2a3::tools
