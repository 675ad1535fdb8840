// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "isa/order/happens_before.hpp"
#include "isa/order/sync_index.hpp"

namespace a2a3::isa {

/// A run told by hand: one task on each of some devices, numbered alike. Every call is the next
/// operation of a device; its source is a number that stands for the line.
class RunOfEvents {
 public:
  explicit RunOfEvents(std::uint32_t devices, std::uint64_t max_records = 1'000'000)
      : order_(one_task_each(devices)),
        max_records_(max_records),
        sync_(devices),
        values_(devices) {
    for (std::uint32_t device = 0; device < devices; ++device) {
      told_.emplace_back([device](HappensBefore& check) {
        check.on_begin({device, device, 0, 0});
      });
      sync_[device].of(TaskBegin{device});
    }
  }

  void read(std::uint32_t by, SourceId line, GlobalAddress at, std::uint64_t bytes = 64) {
    tell_access(event(by, line, ScalarRead{}), AccessKind::read, at, bytes);
  }
  void write(std::uint32_t by, SourceId line, GlobalAddress at, std::uint64_t bytes = 64) {
    tell_access(event(by, line, ScalarWrite{}), AccessKind::write, at, bytes);
  }
  void add(std::uint32_t by, SourceId line, GlobalAddress at, std::uint64_t bytes = 64) {
    tell_access(event(by, line, TStore{}), AccessKind::atomic_add, at, bytes);
  }
  /// The cells of a device are the first 4-byte words from kCells on.
  void notify(std::uint32_t by, std::uint32_t peer, std::uint32_t cell, std::int32_t value = 1,
              NotifyOp op = NotifyOp::atomic_add, SourceId line = 900) {
    const TNotify notify{cell_of(peer, cell), value, op};
    std::int32_t& now = value_of(peer, cell);
    const std::int32_t before = now;
    now = op == NotifyOp::set ? value
                              : static_cast<std::int32_t>(static_cast<std::uint32_t>(now) +
                                                          static_cast<std::uint32_t>(value));
    told_.emplace_back([event = event(by, line, notify), notify, change = CellChange{before, now}](
                           HappensBefore& check) { check.on_notify(event, notify, change); });
  }
  void wait(std::uint32_t by, std::uint32_t cell, std::int32_t expected = 1,
            WaitCmp cmp = WaitCmp::ge, SourceId line = 901) {
    const TWait wait{cell_of(by, cell), expected, cmp};
    told_.emplace_back([event = event(by, line, wait), wait, value = value_of(by, cell)](
                           HappensBefore& check) { check.on_wait(event, wait, value); });
  }

  /// Something else than a signal wrote the cell.
  void set_cell(std::uint32_t device, std::uint32_t cell, std::int32_t value) {
    value_of(device, cell) = value;
  }

  static GlobalAddress cell_of(std::uint32_t device, std::uint32_t cell) {
    return {device, kCells + 4 * cell};
  }

  /// A check that was told all so far.
  [[nodiscard]] HappensBefore told(const SolvedOrder* solved) const {
    HappensBefore check(order_, max_records_, solved);
    for (const auto& one : told_)
      one(check);
    return check;
  }
  /// One whose order is solved when that is needed.
  [[nodiscard]] HappensBefore check() const {
    HappensBefore once = told(nullptr);
    return once.needs_solving() ? check_solved() : once;
  }
  /// With its order solved in any case.
  [[nodiscard]] HappensBefore check_solved() const {
    solved_ = told(nullptr).solve();
    return solved_ ? told(&*solved_) : told(nullptr);
  }

  /// "write-write 1:10 2:20": kind, device and line of the first and of the second access, of
  /// each finding; empty when there is no race.
  [[nodiscard]] std::string races() const { return races(check()); }
  static std::string races(const HappensBefore& check) {
    std::string text;
    for (const RaceFinding& one : check.findings()) {
      static constexpr const char* kKinds[] = {"read-before-write", "write-after-read",
                                               "write-write", "plain-atomic"};
      text += fmt::format("{}{} {}:{} {}:{}", text.empty() ? "" : ", ",
                          kKinds[static_cast<int>(one.kind)], one.earlier.device,
                          one.earlier.record.source, one.later.device, one.later.record.source);
    }
    return text;
  }

  static constexpr std::uint64_t kCells = 1 << 16;

 private:
  static TaskOrder one_task_each(std::uint32_t devices) {
    TaskOrder order;
    for (std::uint32_t device = 0; device < devices; ++device) {
      order.tasks.push_back({device, device});
      order.after.emplace_back();
      order.device_of_thread.push_back(device);
    }
    return order;
  }
  void tell_access(const RunEvent& event, AccessKind kind, GlobalAddress at, std::uint64_t bytes) {
    told_.emplace_back([=](HappensBefore& check) { check.on_access(event, kind, at, bytes); });
  }
  RunEvent event(std::uint32_t by, SourceId line, const Operation& operation) {
    return {by, by, sync_[by].of(operation), line};
  }
  std::int32_t& value_of(std::uint32_t device, std::uint32_t cell) {
    if (values_[device].size() <= cell) values_[device].resize(cell + 1);
    return values_[device][cell];
  }

  TaskOrder order_;
  std::uint64_t max_records_;
  std::vector<std::function<void(HappensBefore&)>> told_;
  mutable std::optional<SolvedOrder> solved_;
  std::vector<SyncIndex> sync_;
  std::vector<std::vector<std::int32_t>> values_;
};

}  // namespace a2a3::isa
