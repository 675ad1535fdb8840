// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/sweep_progress.hpp"

#include <cmath>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace a2a3::tools {

std::string progress_text(std::size_t done, std::size_t runs, std::size_t failed,
                          double done_weight, double weight, double seconds) {
  std::string text = fmt::format("{} of {} runs", done, runs);
  if (failed > 0) text += fmt::format(", {} failed", failed);
  if (done_weight <= 0 || done >= runs) return text;
  const auto left = static_cast<long>(std::ceil(seconds * (weight - done_weight) / done_weight));
  constexpr long kMinute = 60;
  constexpr long kHour = 60 * kMinute;
  if (left >= kHour) {
    return text + fmt::format(", {}:{:02}:{:02} left", left / kHour, left % kHour / kMinute,
                              left % kMinute);
  }
  return text + fmt::format(", {}:{:02} left", left / kMinute, left % kMinute);
}

SweepProgress::SweepProgress(std::size_t runs, double weight, bool asked_for)
    : runs_(runs),
      weight_(weight),
      terminal_(isatty(STDERR_FILENO) != 0),
      lines_(asked_for && !terminal_),
      begin_(std::chrono::steady_clock::now()),
      next_(begin_) {
  if (terminal_ && runs_ > 0) show();
}

SweepProgress::~SweepProgress() {
  if (shown_ && terminal_) fmt::print(stderr, "\r\033[K");
}

void SweepProgress::finished(double weight, bool failed) {
  ++done_;
  if (failed) ++failed_;
  done_weight_ += weight;
  const auto now = std::chrono::steady_clock::now();
  if (terminal_ || (lines_ && (now >= next_ || done_ == runs_))) {
    next_ = now + std::chrono::seconds(1);
    show();
  }
}

void SweepProgress::show() {
  shown_ = true;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  const std::string text = progress_text(done_, runs_, failed_, done_weight_, weight_, seconds);
  if (terminal_) {
    fmt::print(stderr, "\r\033[K{}", text);
  } else {
    fmt::print(stderr, "{}\n", text);
  }
  std::fflush(stderr);
}

}  // namespace a2a3::tools
