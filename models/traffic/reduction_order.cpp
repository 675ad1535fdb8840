// SPDX-License-Identifier: Apache-2.0
#include "models/traffic/reduction_order.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace a2a3::models {
namespace {

struct AddingSchedule {
  std::string_view name;
  ReductionOrder::Kind kind;
};
constexpr std::array kAddingSchedules{
    AddingSchedule{"allreduce.mesh", ReductionOrder::Kind::own_first},
    AddingSchedule{"allreduce.two_phase", ReductionOrder::Kind::owner_first},
    AddingSchedule{"allreduce.ring", ReductionOrder::Kind::ring},
    AddingSchedule{"reduce_scatter", ReductionOrder::Kind::own_first}};

std::vector<std::int64_t> own_then_others(std::int64_t ranks, std::int64_t own) {
  std::vector<std::int64_t> order{own};
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    if (rank != own) order.push_back(rank);
  }
  return order;
}

std::vector<std::int64_t> round_the_ring(std::int64_t ranks, std::int64_t owner) {
  std::vector<std::int64_t> order;
  for (std::int64_t step = 1; step <= ranks; ++step)
    order.push_back((owner + step) % ranks);
  return order;
}

std::string described(const ReductionUse& use) {
  return fmt::format("{} ({})", use.schedule, form_name(use.form));
}

}  // namespace

bool ReductionOrder::adds_like(const ReductionOrder& other) const {
  if (kind != other.kind) return false;
  return kind == Kind::own_first || (grain == other.grain && elements == other.elements);
}

std::vector<ReductionSegment> reduction_segments(const ReductionOrder& order, std::int64_t elements,
                                                 std::int64_t ranks, std::int64_t rank) {
  std::vector<ReductionSegment> segments;
  if (order.kind == ReductionOrder::Kind::own_first) {
    if (elements != 0) segments.push_back({0, elements, own_then_others(ranks, rank)});
    return segments;
  }
  for (std::int64_t owner = 0; owner < ranks; ++owner) {
    const std::int64_t begin = segment_begin(elements, ranks, owner, order.grain);
    const std::int64_t end = segment_begin(elements, ranks, owner + 1, order.grain);
    if (begin == end) continue;
    segments.push_back({begin, end,
                        order.kind == ReductionOrder::Kind::ring ? round_the_ring(ranks, owner)
                                                                 : own_then_others(ranks, owner)});
  }
  return segments;
}

std::optional<ReductionOrder> reduction_order(std::string_view schedule, ScheduleForm form,
                                              isa::DType dtype) {
  const auto* found = std::ranges::find(kAddingSchedules, schedule, &AddingSchedule::name);
  if (found == kAddingSchedules.end() || find_schedule(schedule, form) == nullptr) {
    return std::nullopt;
  }
  ReductionOrder order{std::string(schedule), form, found->kind, 1, 0};
  // The ring that a kernel calls cuts values of two bytes at whole blocks.
  const std::int64_t element_bytes = isa::size_of(dtype);
  if (order.kind == ReductionOrder::Kind::ring && form == ScheduleForm::in_core &&
      element_bytes < 4) {
    order.grain = isa::kBlockBytes / element_bytes;
  }
  return order;
}

const std::vector<std::string>& reduction_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const AddingSchedule& schedule : kAddingSchedules)
      all.emplace_back(schedule.name);
    return all;
  }();
  return names;
}

std::optional<ReductionOrder> choose_reduction_order(const std::vector<ReductionUse>& uses,
                                                     const std::string& named, isa::DType dtype,
                                                     const ir::SourceLocation& where,
                                                     ir::Diagnostics& diagnostics) {
  std::vector<std::pair<ReductionOrder, ReductionUse>> found;
  for (const ReductionUse& use : uses) {
    if (!named.empty() && use.schedule != named) continue;
    auto order = reduction_order(use.schedule, use.form, dtype);
    if (!order) continue;
    order->elements = use.elements;
    const auto same = std::ranges::find_if(
        found, [&](const auto& other) { return other.first.adds_like(*order); });
    if (same == found.end()) {
      found.emplace_back(*std::move(order), use);
    } else {
      std::int64_t& most = same->first.elements;
      most = most == 0 || use.elements == 0 ? 0 : std::max(most, use.elements);
    }
  }
  if (found.size() == 1) return std::move(found.front().first);
  if (found.empty() && !named.empty()) {
    return reduction_order(named, ScheduleForm::hand, dtype);
  }
  if (found.empty()) {
    diagnostics
        .error(
            where,
            "replay: it is not known in which order the program adds: it claims no schedule that "
            "adds, and calls none")
        .notes.push_back({fmt::format("name the schedule, as in --compare 'replay({})'; known: {}",
                                      reduction_names()[2], fmt::join(reduction_names(), ", ")),
                          {}});
    return std::nullopt;
  }
  ir::Diagnostic& error = diagnostics.error(
      where,
      named.empty()
          ? "replay: the program adds in several orders, and nothing says in which one this output"
          : fmt::format("replay({}): the program runs it in several ways, which add in different "
                        "orders",
                        named));
  for (const auto& [order, use] : found) {
    error.notes.push_back(
        {fmt::format("{}{}{}", described(use),
                     use.elements == 0 ? "" : fmt::format(" of {} elements", use.elements),
                     use.call.known() ? "" : ", claimed"),
         use.call});
  }
  if (named.empty()) {
    error.notes.push_back({fmt::format("name one for each output, as in --compare 'y: replay({})'",
                                       found.front().first.schedule),
                           {}});
  }
  return std::nullopt;
}

}  // namespace a2a3::models
