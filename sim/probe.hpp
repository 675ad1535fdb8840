// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/causes.hpp"
#include "sim/observer.hpp"

namespace a2a3::sim {

/// Hands what happens to the attached observers, in the order of their registration. The machine
/// has one; its parts report to it and never read from it, so that observers cannot change time.
class Probe {
 public:
  void attach(Observer& observer) { observers_.push_back(&observer); }
  void attach_causes(CauseObserver& observer) { causes_ = &observer; }
  /// Who is told why things happened; null when nobody asks.
  [[nodiscard]] CauseObserver* causes() const { return causes_; }
  /// False when nobody listens, so that costly details need not be gathered.
  [[nodiscard]] bool active() const { return !observers_.empty(); }

  void report(const PipeActivity& event) const {
    for (Observer* observer : observers_)
      observer->on_pipe_activity(event);
  }
  void report(const MemoryAccess& event) const {
    for (Observer* observer : observers_)
      observer->on_memory_access(event);
  }
  void report(const LinkTransfer& event) const {
    for (Observer* observer : observers_)
      observer->on_link_transfer(event);
  }
  void report(const LocalTransfer& event) const {
    for (Observer* observer : observers_)
      observer->on_local_transfer(event);
  }
  void report(const SignalLanded& event) const {
    for (Observer* observer : observers_)
      observer->on_signal_landed(event);
  }
  void report(const WaitEnded& event) const {
    for (Observer* observer : observers_)
      observer->on_wait_ended(event);
  }
  void report_stuck(const WaitEnded& event) const {
    for (Observer* observer : observers_)
      observer->on_wait_stuck(event);
  }

 private:
  std::vector<Observer*> observers_;
  CauseObserver* causes_ = nullptr;
};

}  // namespace a2a3::sim
