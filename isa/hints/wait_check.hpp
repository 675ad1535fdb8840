// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "isa/hints/without_waits.hpp"
#include "isa/order/run_observer.hpp"

namespace a2a3::isa {

/// All waits, and conditions of tasks, of one line.
struct WaitLine {
  enum class Use : std::uint8_t {
    needed,  ///< without its waits there are races, or signals that may be lost or missed
    idle,    ///< without them there is nothing of this
    /// The whole run has such faults, several threads signal or wait on one cell, or the check
    /// reached its bound.
    undecided,
    left_out  ///< too many lines: it was not looked at
  };
  std::uint32_t line = 0;  ///< as line_of() numbers it
  std::set<SourceId> sources;
  std::set<std::uint32_t> devices;  ///< that waited
  std::uint64_t waits = 0;
  Use use = Use::needed;
};

/// Finds the lines whose waits order nothing that matters in this run: it follows the run once as
/// it is, and for each line as if its waits told their core nothing. Every line is looked at by
/// itself, all others in place: of two lines that do the same both may be idle, and one must stay.
class WaitCheck final : public RunObserver {
 public:
  /// At most `max_lines` lines are looked at, the first ones; each takes up to `max_records`
  /// records of HappensBefore. `line_of` says which sources are one line.
  WaitCheck(TaskOrder order, std::uint64_t max_records, std::size_t max_lines,
            WithoutWaits::LineOf line_of);

  void on_begin(const RunEvent& event) override;
  void on_complete(std::uint32_t task) override;
  void on_access(const RunEvent& event, AccessKind kind, GlobalAddress address,
                 std::uint64_t bytes) override;
  void on_overwrite(const RunEvent& event, GlobalAddress address, std::uint64_t bytes) override;
  void on_notify(const RunEvent& event, const TNotify& notify, CellChange cell) override;
  void on_wait(const RunEvent& event, const TWait& wait, std::int32_t value) override;
  void on_meet(const RunEvent& event, const TDeferWait& condition, std::int32_t value) override;

  /// In the order in which they came up; of a run that is over.
  [[nodiscard]] std::vector<WaitLine> lines() const;

 private:
  struct Followed {
    WaitLine line;
    /// The run without these waits; null when nobody looks.
    std::unique_ptr<WithoutWaits> without;
  };
  void follow(const RunEvent& event);
  template <class Tell>
  void tell_all(const Tell& tell);
  [[nodiscard]] WaitLine::Use use_of(std::size_t followed, bool whole_is_in_order) const;

  WithoutWaits whole_;  ///< without none
  std::size_t max_lines_;
  WithoutWaits::LineOf line_of_;
  std::vector<Followed> followed_;
  std::map<std::uint32_t, std::size_t> index_of_line_;
};

}  // namespace a2a3::isa
