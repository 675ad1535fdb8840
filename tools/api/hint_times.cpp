// SPDX-License-Identifier: Apache-2.0
#include "a2a3/hint_times.hpp"

namespace a2a3 {

HintTimes::HintTimes(Hints& hints, std::function<ir::SourceLocation(isa::SourceId)> locate)
    : hints_(hints), lines_(std::move(locate)) {
  for (const HintPieces& one : hints_.pieces) {
    const std::uint32_t line = lines_.number(one.line);
    want({one.task, line, false}, one.pieces.first_load, one.pieces.loads, one.hint);
    want({one.task, line, true}, one.pieces.first_store, one.pieces.stores, one.hint);
  }
  for (std::size_t h = 0; h < hints_.all.size(); ++h) {
    if (hints_.all[h].kind == kIdleWait)
      waits_.emplace(lines_.number(hints_.all[h].diagnostic.location), h);
  }
}

void HintTimes::want(const Key& key, std::uint64_t first, std::uint64_t count, std::size_t hint) {
  if (count > 0) pieces_[key].wanted.insert_or_assign(first, std::pair(first + count, hint));
}

void HintTimes::on_pipe_activity(const sim::PipeActivity& activity) {
  const bool is_store = std::holds_alternative<isa::TStore>(*activity.operation);
  if (!is_store && !std::holds_alternative<isa::TLoad>(*activity.operation)) return;
  const sim::Pipe pipe = is_store ? sim::Pipe::mte3 : sim::Pipe::mte2;
  if (activity.pipe != pipe) return;
  const auto pieces =
      pieces_.find({activity.origin.task, lines_.line_of(activity.origin.source), is_store});
  if (pieces == pieces_.end()) return;
  const std::uint64_t number = pieces->second.seen++;
  const auto behind = pieces->second.wanted.upper_bound(number);
  if (behind == pieces->second.wanted.begin()) return;
  const auto& [end, hint] = std::prev(behind)->second;
  if (number >= end) return;
  auto& time = hints_.all[hint].time;
  time = time.value_or(0) + activity.end - activity.begin;
}

void HintTimes::on_wait_ended(const sim::WaitEnded& wait) {
  const auto hint = waits_.find(lines_.line_of(wait.origin.source));
  if (hint == waits_.end()) return;
  auto& time = hints_.all[hint->second].time;
  time = time.value_or(0) + wait.end - wait.begin;
}

}  // namespace a2a3
