// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/order/run_observer.hpp"
#include "sim/observers/signal_log.hpp"

namespace a2a3 {

/// Tells the log of a machine without times.
class SignalFeed final : public isa::RunObserver {
 public:
  /// `log` outlives this.
  explicit SignalFeed(sim::SignalLog& log) : log_(log) {}

  void on_notify(const isa::RunEvent& event, const isa::TNotify& notify,
                 isa::CellChange cell) override {
    log_.on_signal_landed({.origin = origin(event), .notify = notify, .value = cell.after});
  }
  void on_wait(const isa::RunEvent& event, const isa::TWait& wait, std::int32_t value) override {
    log_.on_wait_ended({.origin = origin(event), .wait = wait, .value = value});
  }
  [[nodiscard]] bool sees_accesses() const override { return false; }

 private:
  static sim::Origin origin(const isa::RunEvent& event) {
    return {.device = event.device, .task = event.task, .source = event.source};
  }
  sim::SignalLog& log_;
};

}  // namespace a2a3
