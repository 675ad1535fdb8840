// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "isa/order/happens_before.hpp"
#include "isa/order/run_observer.hpp"

namespace a2a3::isa {

/// Follows a run as HappensBefore does, but as if the waits of some lines, and the conditions of
/// tasks there, told their core nothing.
class WithoutWaits final : public RunObserver {
 public:
  using LineOf = std::function<std::uint32_t(SourceId)>;

  /// `line_of` says which sources are one line; `lines` are those without waits. `max_records` as
  /// in HappensBefore.
  WithoutWaits(TaskOrder order, std::uint64_t max_records, LineOf line_of,
               std::set<std::uint32_t> lines = {})
      : check_(std::in_place, std::move(order), max_records),
        line_of_(std::move(line_of)),
        lines_(std::move(lines)) {}

  void leave_out(std::uint32_t line) { lines_.insert(line); }

  void on_begin(const RunEvent& event) override;
  void on_complete(std::uint32_t task) override;
  void on_access(const RunEvent& event, AccessKind kind, GlobalAddress address,
                 std::uint64_t bytes) override;
  void on_overwrite(const RunEvent& event, GlobalAddress address, std::uint64_t bytes) override;
  void on_notify(const RunEvent& event, const TNotify& notify, CellChange cell) override;
  void on_wait(const RunEvent& event, const TWait& wait, std::int32_t value) override;
  void on_meet(const RunEvent& event, const TDeferWait& condition, std::int32_t value) override;

  /// Whether something may then come in another order than the program means it to: there are
  /// races, or signals that may be lost or missed. nullopt: the check reached its bound, or several
  /// threads signal or wait on one cell; then nothing is followed any more.
  [[nodiscard]] std::optional<bool> lacks_order() const;
  [[nodiscard]] bool is_complete() const { return check_.has_value(); }

 private:
  template <class Tell>
  void tell(const Tell& tell);

  std::optional<HappensBefore> check_;
  LineOf line_of_;
  std::set<std::uint32_t> lines_;
};

}  // namespace a2a3::isa
