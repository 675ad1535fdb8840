// SPDX-License-Identifier: Apache-2.0
#include "sim/observers/critical_path.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace a2a3::sim {
namespace {

/// Goes from the end back to the beginning. It is either at a time of a core's scalar unit or
/// inside of one of its operations.
class PathWalk {
 public:
  PathWalk(const CauseLog& log, const CauseLog::CoreKey& core, Picoseconds end)
      : log_(log), key_(core), core_(log.core(core)), time_(end) {}

  std::vector<PathSegment> all() {
    while (time_ > 0)
      in_operation_ ? through_operation() : through_step();
    std::ranges::reverse(segments_);
    return std::move(segments_);
  }

 private:
  /// The time since `from` went to this.
  void spend(TimeUse use, Picoseconds from, Pipe pipe, isa::SourceId source,
             const Resource& resource = {}) {
    if (from >= time_) return;
    const bool message = in_operation_ && pipe == Pipe::scalar;
    if (!segments_.empty()) {
      PathSegment& next = segments_.back();
      if (next.use == use && next.pipe == pipe && next.source == source &&
          next.message == message && next.resource == resource && next.device == key_.first &&
          next.core == key_.second) {
        next.from = time_ = from;
        return;
      }
    }
    segments_.push_back({.device = key_.first,
                         .core = key_.second,
                         .pipe = pipe,
                         .source = source,
                         .use = use,
                         .resource = resource,
                         .message = message,
                         .from = from,
                         .to = time_});
    time_ = from;
  }

  void go_to(const CauseLog::CoreKey& core) {
    key_ = core;
    core_ = log_.core(core);
    in_operation_ = false;
  }
  void go_into(std::uint64_t number) {
    number_ = number;
    in_operation_ = true;
  }
  [[nodiscard]] const CauseLog::Operation& operation(std::uint64_t number) const {
    return core_->operations.at(number);
  }

  /// Back to the begin of the operation and to what let it begin.
  void through_operation() {
    const CauseLog::Operation& at = operation(number_);
    const auto& order = core_->order[static_cast<std::size_t>(at.pipe)];
    const Picoseconds own_end =
        at.part_count == 0 ? at.begin : log_.part(at.first_part + at.part_count - 1).until;
    if (time_ > own_end && time_ == at.end && at.place > 0)
      return go_into(order[at.place - 1]);  // it could not end before that one
    if (time_ > own_end) spend(TimeUse::startup, own_end, at.pipe, at.source);
    for (std::uint64_t i = at.part_count; i-- > 0;) {
      const Picoseconds from = i == 0 ? at.begin : log_.part(at.first_part + i - 1).until;
      const TimePart& part = log_.part(at.first_part + i);
      if (part.waited && from < time_ && through_own(at, part, from)) return;
      spend(part.use(), from, at.pipe, at.source, part.resource);
    }
    if (at.cause == BeginCause::pipe && at.place > 0) return through_issue(order[at.place - 1]);
    if (at.cause == BeginCause::operation) {
      spend(TimeUse::flag, operation(at.cause_number).end, at.pipe, at.source);
      return go_into(at.cause_number);
    }
    in_operation_ = false;
  }

  /// Back to the begin of the operation before, from where its pipe was free again.
  void through_issue(std::uint64_t number) {
    const CauseLog::Operation& before = operation(number);
    const std::uint64_t first = before.first_part + before.part_count;
    for (std::uint64_t i = before.issue_count; i-- > 0;) {
      const Picoseconds from = i == 0 ? before.begin : log_.part(first + i - 1).until;
      spend(log_.part(first + i).use(), from, before.pipe, before.source);
    }
    go_into(number);
  }

  /// Of a load or store that waited since `from`: goes to the last transfer of the core itself that
  /// was through in that time; the wait behind that one is for others. False when there is none.
  bool through_own(const CauseLog::Operation& at, const TimePart& wait, Picoseconds from) {
    std::optional<std::uint64_t> last;
    Picoseconds until = from;
    for (const Pipe pipe : {Pipe::mte2, Pipe::mte3}) {
      const auto& order = core_->order[static_cast<std::size_t>(pipe)];
      auto behind = std::ranges::lower_bound(
          order, time_, {}, [this](std::uint64_t number) { return operation(number).begin; });
      for (; behind != order.begin() && operation(*std::prev(behind)).end > until; --behind) {
        const Picoseconds through = through_at(operation(*std::prev(behind)), wait.resource);
        if (through <= until || through > time_) continue;
        until = through;
        last = *std::prev(behind);
      }
    }
    if (!last) return false;
    spend(wait.use(), until, at.pipe, at.source, wait.resource);
    go_into(*last);
    return true;
  }

  /// When the operation's bytes had passed the resource; 0 if that is not what bound them.
  [[nodiscard]] Picoseconds through_at(const CauseLog::Operation& at,
                                       const Resource& resource) const {
    for (std::uint64_t i = at.first_part; i < at.first_part + at.part_count; ++i)
      if (!log_.part(i).waited && log_.part(i).resource == resource) return log_.part(i).until;
    return 0;
  }

  void through_step() {
    const ScalarStep* step = nullptr;
    if (core_ != nullptr) {
      const auto behind = std::ranges::lower_bound(core_->steps, time_, {}, &ScalarStep::from);
      if (behind != core_->steps.begin()) step = &*std::prev(behind);
    }
    if (step == nullptr || step->to < time_)
      throw std::logic_error("the critical path is lost: a core has no step at a time it reached");
    if (step->to == time_ && follow(*step)) return;
    spend(step->use, step->from, Pipe::scalar, step->origin.source);
  }

  /// Goes to what ended the step; false when there is nothing else than the step itself.
  bool follow(const ScalarStep& step) {
    switch (step.cause) {
      case StepCause::none:
        return false;
      case StepCause::queue:
        return follow_begin(step.pipe);
      case StepCause::operations:
        return follow_end();
      case StepCause::acknowledged:
        go_into(step.number);
        return true;
      case StepCause::signal: {
        const auto landing = log_.landed_at(step.cell, time_);
        if (landing) follow_message(*landing);
        return landing.has_value();
      }
      case StepCause::task:
        return follow_task(step);
    }
    return false;
  }

  bool follow_begin(Pipe pipe) {
    const auto number = core_->begun_at(pipe, time_);
    if (number) go_into(*number);
    return number.has_value();
  }

  bool follow_end() {
    if (const auto number = core_->ended_at(time_)) {
      go_into(*number);
      return true;
    }
    const auto transfer = std::ranges::find(core_->transfers, time_, &AsyncTransferEnded::end);
    if (transfer == core_->transfers.end() || transfer->asked >= time_) return false;
    spend(TimeUse::dma, transfer->asked, Pipe::scalar, transfer->origin.source);
    return true;
  }

  void follow_message(const CauseLog::Landing& landing) {
    go_to(landing.from);
    go_into(landing.number);
  }

  /// A task has ended on another core, or a condition that it left has held.
  bool follow_task(const ScalarStep& step) {
    const auto core = log_.task_ended_at(key_.first, time_);
    if (core && *core != key_) {
      go_to(*core);
      return true;
    }
    const auto landing = log_.last_landed(key_.first, time_);
    if (!landing || landing->time <= step.from) return false;
    spend(TimeUse::poll, landing->time, Pipe::scalar, step.origin.source);
    follow_message(*landing);
    return true;
  }

  const CauseLog& log_;
  CauseLog::CoreKey key_;
  const CauseLog::Core* core_;
  Picoseconds time_;
  bool in_operation_ = false;
  std::uint64_t number_ = 0;
  std::vector<PathSegment> segments_;  ///< the last one first
};

}  // namespace

std::vector<PathSegment> critical_path(const CauseLog& log, const CauseLog::CoreKey& last_core,
                                       Picoseconds end) {
  return PathWalk(log, last_core, end).all();
}

}  // namespace a2a3::sim
