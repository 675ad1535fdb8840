// SPDX-License-Identifier: Apache-2.0
#include "explorer.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "concurrency.hpp"
#include "interp/memory.hpp"
#include "interp/untimed.hpp"

namespace a2a3::sync {
namespace {

using Schedule = std::vector<std::size_t>;  ///< the ranks chosen where the order matters

/// 128 bits tell the states apart.
struct Digest {
  std::uint64_t low = 0x9e3779b97f4a7c15U;
  std::uint64_t high = 0xc2b2ae3d27d4eb4fU;

  void add(std::uint64_t value) {
    low = (low ^ value) * 0xbf58476d1ce4e5b9U;
    low ^= low >> 29U;
    high = (high ^ low ^ value) * 0x94d049bb133111ebU;
    high ^= high >> 31U;
  }
  void add(std::span<const std::byte> bytes) {
    add(bytes.size());
    std::size_t i = 0;
    for (; i + 8 <= bytes.size(); i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + i, sizeof(word));
      add(word);
    }
    for (; i < bytes.size(); ++i)
      add(std::to_integer<std::uint64_t>(bytes[i]));
  }
  friend auto operator<=>(const Digest&, const Digest&) = default;
};

/// Ends a run whose rest is known.
struct KnownState {};
/// A rank does something else than in the first run.
struct OtherWay {};

bool is_supported(const isa::Operation& operation) {
  return !std::holds_alternative<isa::TDeferWait>(operation) &&
         !std::holds_alternative<isa::TPutAsync>(operation) &&
         !std::holds_alternative<isa::TGetAsync>(operation);
}

class Explorer {
 public:
  Explorer(const interp::LaunchPlan& plan, const Inputs& inputs,
           const std::map<std::string, isa::Array>& expected)
      : plan_(plan), expected_(expected) {
    for (const interp::HostParameter& parameter : plan.parameters) {
      const auto given = inputs.find(parameter.name);
      arrays_.push_back(given != inputs.end() ? given->second
                                              : isa::Array(parameter.dtype, parameter.shape));
    }
  }

  Exploration run(std::uint64_t max_runs) {
    if (plan_.tasks.size() != plan_.gm_bytes.size()) {
      result_.verdict = Exploration::Verdict::undecided;
      return result_;
    }
    record();
    const Concurrency concurrency(trace_);
    concurrency_ = &concurrency;
    open_.emplace_back();
    while (!open_.empty() && result_.verdict == Exploration::Verdict::same) {
      if (++result_.runs > max_runs) {
        result_.verdict = Exploration::Verdict::undecided;
        break;
      }
      const Schedule schedule = std::move(open_.back());
      open_.pop_back();
      follow(schedule);
    }
    return result_;
  }

 private:
  using Verdict = Exploration::Verdict;

  /// Zeros and the inputs.
  void reset_memory() {
    memory_ = interp::make_memory(plan_);
    interp::copy_in(plan_, arrays_, memory_);
    spans_.assign(memory_.begin(), memory_.end());
  }

  interp::UntimedResult execute(const interp::UntimedOptions& options) {
    reset_memory();
    const interp::CoreLimits limits;
    interp::KernelRun kernels(plan_, limits);
    ranks_.clear();
    for (const interp::KernelRun::Core& core : kernels.cores())
      ranks_.push_back(core.device);
    return interp::run_untimed(kernels, spans_, limits.local_bytes(), options);
  }

  /// What each rank executes.
  void record() {
    trace_.resize(plan_.gm_bytes.size());
    interp::UntimedOptions options;
    options.on_instruction = [&](std::size_t core, const isa::Instruction& instruction) {
      if (!is_supported(instruction.operation)) result_.verdict = Verdict::undecided;
      trace_[ranks_[core]].push_back(step_of(instruction));
    };
    if (execute(options).outcome != interp::UntimedResult::Outcome::finished)
      result_.verdict = Verdict::deadlock;
  }

  /// One run: along the schedule, then the first of the ranks where several may matter.
  void follow(const Schedule& schedule) {
    at_.assign(trace_.size(), 0);
    seen_.assign(trace_.size(), {});
    chosen_.clear();
    interp::UntimedOptions options;
    options.choose = [&](std::span<const std::size_t> ready) { return choose(ready, schedule); };
    options.on_instruction = [&](std::size_t core, const isa::Instruction& instruction) {
      const std::size_t rank = ranks_[core];
      if (at_[rank] == trace_[rank].size() || !is_like(instruction, trace_[rank][at_[rank]]))
        throw OtherWay{};
      ++at_[rank];
    };
    try {
      const interp::UntimedResult end = execute(options);
      if (end.outcome != interp::UntimedResult::Outcome::finished)
        result_.verdict = Verdict::deadlock;
      else
        compare();
    } catch (const KnownState&) {
      return;
    } catch (const OtherWay&) {
      result_.verdict = Verdict::undecided;
    }
  }

  static bool is_like(const isa::Instruction& instruction, const Step& known) {
    const Step step = step_of(instruction);
    if (step.kind != known.kind) return false;
    const auto same = [](isa::GlobalAddress a, isa::GlobalAddress b) {
      return a.device == b.device && a.offset_bytes == b.offset_bytes;
    };
    if (step.kind == Step::Kind::notify)
      return same(step.notify.cell, known.notify.cell) && step.notify.value == known.notify.value;
    if (step.kind == Step::Kind::wait)
      return same(step.wait.cell, known.wait.cell) && step.wait.expected == known.wait.expected;
    return std::ranges::equal(
        step.accesses, known.accesses, [&](const Step::Access& a, const Step::Access& b) {
          return a.kind == b.kind && a.bytes == b.bytes && same(a.address, b.address);
        });
  }

  [[nodiscard]] std::int32_t value_of(isa::GlobalAddress cell) const {
    std::int32_t value = 0;
    std::memcpy(&value, memory_[cell.device].data() + cell.offset_bytes, sizeof(value));
    return value;
  }

  [[nodiscard]] bool is_blocked(std::size_t rank) const {
    const Step& next = trace_[rank][at_[rank]];
    return next.kind == Step::Kind::wait &&
           !isa::condition_holds(next.wait, value_of(next.wait.cell));
  }

  std::size_t choose(std::span<const std::size_t> ready, const Schedule& schedule) {
    std::vector<std::size_t> able;  // places in `ready`
    for (std::size_t place = 0; place < ready.size(); ++place) {
      const std::size_t rank = ranks_[ready[place]];
      if (at_[rank] == trace_[rank].size()) return place;  // it is done
      if (!is_blocked(rank)) able.push_back(place);
    }
    if (able.empty()) return 0;  // the engine finds the deadlock
    const auto rank_at = [&](std::size_t place) { return ranks_[ready[place]]; };
    const auto cell = [&](isa::GlobalAddress address) { return value_of(address); };
    for (const std::size_t place : able) {
      if (concurrency_->is_independent(rank_at(place), at_, cell)) {
        remember_reads(rank_at(place));
        return place;
      }
    }
    std::size_t place = able.front();
    if (chosen_.size() < schedule.size()) {
      place = *std::ranges::find(able, schedule[chosen_.size()], rank_at);
    } else {
      if (!states_.insert(state()).second) throw KnownState{};
      ++result_.states;
      for (const std::size_t other : able) {
        if (other == place) continue;
        open_.push_back(chosen_);
        open_.back().push_back(rank_at(other));
      }
    }
    chosen_.push_back(rank_at(place));
    remember_reads(rank_at(place));
    return place;
  }

  /// What a rank has read is all that its own memory can depend on.
  void remember_reads(std::size_t rank) {
    for (const Step::Access& access : trace_[rank][at_[rank]].accesses) {
      if (access.kind != isa::AccessKind::read) continue;
      seen_[rank].add(std::span<const std::byte>(memory_[access.address.device])
                          .subspan(access.address.offset_bytes, access.bytes));
    }
  }

  [[nodiscard]] Digest state() const {
    Digest digest;
    for (std::size_t rank = 0; rank < trace_.size(); ++rank) {
      digest.add(at_[rank]);
      digest.add(seen_[rank].low);
      digest.add(seen_[rank].high);
      digest.add(std::span<const std::byte>(memory_[rank]));
    }
    return digest;
  }

  void compare() {
    std::vector<isa::Array> outputs = arrays_;
    interp::copy_out(plan_, outputs, memory_);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const auto expected = expected_.find(plan_.parameters[i].name);
      if (expected == expected_.end() || expected->second.bytes == outputs[i].bytes) continue;
      const std::size_t part = outputs[i].bytes.size() / trace_.size();
      const auto first = std::ranges::mismatch(expected->second.bytes, outputs[i].bytes).in2 -
                         outputs[i].bytes.begin();
      result_.verdict = Verdict::differs;
      result_.difference = fmt::format("{} of rank {}", plan_.parameters[i].name,
                                       static_cast<std::size_t>(first) / part);
      return;
    }
  }

  const interp::LaunchPlan& plan_;
  const std::map<std::string, isa::Array>& expected_;
  std::vector<isa::Array> arrays_;  ///< by parameter
  interp::DeviceMemory memory_;
  std::vector<std::span<std::byte>> spans_;
  std::vector<std::size_t> ranks_;  ///< by core
  Trace trace_;
  const Concurrency* concurrency_ = nullptr;
  Positions at_;
  std::vector<Digest> seen_;  ///< by rank: everything read so far
  Schedule chosen_;           ///< in this run
  std::vector<Schedule> open_;
  std::set<Digest> states_;
  Exploration result_;
};

}  // namespace

Exploration explore(const ir::Module& module, std::int64_t ranks, const Inputs& inputs,
                    const std::map<std::string, isa::Array>& expected, std::uint64_t max_runs) {
  interp::BindOptions bind;
  bind.world_size = ranks;
  for (const auto& [name, array] : inputs)
    bind.known_shapes[name] = array.shape;
  const interp::BoundSignature signature = interp::bind_signature(module, bind);
  interp::PlanOptions options;
  options.world_size = ranks;
  const interp::PlanResult planned = interp::plan_launch(module, signature, options);
  if (signature.diagnostics.has_errors() || planned.diagnostics.has_errors())
    throw std::invalid_argument(ir::format(signature.diagnostics) +
                                ir::format(planned.diagnostics));
  return Explorer(planned.plan, inputs, expected).run(max_runs);
}

}  // namespace a2a3::sync
