// SPDX-License-Identifier: Apache-2.0
#include "tools/report/hint_report.hpp"

#include <fmt/format.h>

#include "tools/report/place_json.hpp"
#include "tools/report/rank_rows.hpp"

namespace a2a3::tools {
namespace {

const char* counted_noun(const Hint& hint) {
  if (hint.kind == kIdleWait) return "wait";
  if (hint.kind == kIdleNotify) return "notify";
  return "transfer";
}

/// "3 transfers, 768 bytes, 1.250 us of pipe time", "16 of 56 notifies of this line, 64 bytes".
std::string cost_text(const Hint& hint) {
  const bool is_wait = hint.kind == kIdleWait;
  const bool is_part = hint.of_count && *hint.of_count != hint.count;
  const bool one = hint.of_count.value_or(hint.count) == 1;
  const std::string noun = counted_noun(hint);
  std::string text = fmt::format("{}{} {}{}, {} bytes", hint.count,
                                 is_part ? fmt::format(" of {}", *hint.of_count) : "",
                                 one                ? noun
                                 : noun == "notify" ? "notifies"
                                                    : noun + "s",
                                 is_part ? " of this line" : "", hint.bytes);
  if (hint.time)
    text += fmt::format(", {} us {}", microseconds(*hint.time),
                        is_wait ? "waited on all ranks together" : "on the pipes of all cores");
  return text;
}

}  // namespace

std::string hint_report(const RunReport& report) {
  if (!report.options.hints) return "";
  if (!report.result.hints) return "no hints: the run did not come to its end\n";
  const Hints& hints = *report.result.hints;
  std::string text;
  for (const Hint& hint : hints.all) {
    ir::Diagnostic shown = hint.diagnostic;
    shown.notes.insert(shown.notes.begin(), {cost_text(hint), {}});
    text += ir::format(shown);
  }
  text += hints.all.empty()
              ? std::string("no hints")
              : fmt::format("{} hint{}", hints.all.size(), hints.all.size() == 1 ? "" : "s");
  text += fmt::format("; {} of {} lines with waits were looked at", hints.wait_lines_looked_at,
                      hints.wait_lines);
  if (hints.wait_lines_undecided > 0)
    text += fmt::format(", {} of them are not decided", hints.wait_lines_undecided);
  if (!hints.complete) text += "; there may be more: --max-race-records sets the limit";
  return text + "\n";
}

nlohmann::ordered_json hints_json(const Hints& hints) {
  using Json = nlohmann::ordered_json;
  Json all = Json::array();
  for (const Hint& hint : hints.all) {
    Json notes = Json::array();
    for (const ir::Note& note : hint.diagnostic.notes)
      notes.push_back({{"message", note.message}, {"location", place_json(note.location)}});
    all.push_back({{"kind", hint.kind},
                   {"message", hint.diagnostic.message},
                   {"location", place_json(hint.diagnostic.location)},
                   {"notes", std::move(notes)},
                   {"place", hint.place},
                   {"ranks", hint.ranks},
                   {"times_count", hint.count},
                   {"of_count", hint.of_count ? Json(*hint.of_count) : Json(nullptr)},
                   {"size_bytes", hint.bytes},
                   {"time_ps", hint.time ? Json(*hint.time) : Json(nullptr)}});
  }
  return {{"all", std::move(all)},
          {"wait_lines_count", hints.wait_lines},
          {"wait_lines_looked_at_count", hints.wait_lines_looked_at},
          {"wait_lines_undecided_count", hints.wait_lines_undecided},
          {"complete", hints.complete}};
}

}  // namespace a2a3::tools
