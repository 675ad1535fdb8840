// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "sim/observer.hpp"

namespace a2a3::tools {

/// A line on stderr that says how far a long run has come: nothing for the first two seconds, and
/// nothing at all unless stderr is a terminal. Removes the line when it goes out of scope.
class Progress : public sim::Observer {
 public:
  Progress();
  ~Progress() override;

  void on_pipe_activity(const sim::PipeActivity& activity) override;

 private:
  void show(sim::Picoseconds now);

  bool terminal_ = false;
  bool shown_ = false;
  std::uint64_t operations_ = 0;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace a2a3::tools
