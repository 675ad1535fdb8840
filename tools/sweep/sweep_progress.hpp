// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace a2a3::tools {

/// "12 of 51 runs, 1 failed, 0:34 left": how far a sweep has come, on stderr. On a terminal one
/// line that is rewritten and removed at the end; elsewhere, when it is asked for, lines, at most
/// one a second and the last.
class SweepProgress {
 public:
  /// `weight`: of all runs together.
  SweepProgress(std::size_t runs, double weight, bool asked_for);
  SweepProgress(const SweepProgress&) = delete;
  SweepProgress& operator=(const SweepProgress&) = delete;
  ~SweepProgress();

  void finished(double weight, bool failed);

 private:
  void show();

  std::size_t runs_;
  double weight_;
  bool terminal_;
  bool lines_;
  bool shown_ = false;
  std::size_t done_ = 0;
  std::size_t failed_ = 0;
  double done_weight_ = 0;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point next_;
};

/// The text of the line. `seconds` have passed for `done_weight` of `weight`.
[[nodiscard]] std::string progress_text(std::size_t done, std::size_t runs, std::size_t failed,
                                        double done_weight, double weight, double seconds);

}  // namespace a2a3::tools
