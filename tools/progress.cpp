// SPDX-License-Identifier: Apache-2.0
#include "tools/progress.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace a2a3::tools {
namespace {

using namespace std::chrono_literals;
constexpr auto kQuiet = 2s;
constexpr auto kBetween = 200ms;
/// The clock is read once in so many operations.
constexpr std::uint64_t kCheckEvery = 4096;

}  // namespace

Progress::Progress()
    : terminal_(isatty(STDERR_FILENO) != 0),
      begin_(std::chrono::steady_clock::now()),
      next_(begin_ + kQuiet) {}

Progress::~Progress() {
  if (shown_) fmt::print(stderr, "\r\033[K");
}

void Progress::on_pipe_activity(const sim::PipeActivity& activity) {
  if (++operations_ % kCheckEvery == 0 && terminal_) show(activity.end);
}

void Progress::show(sim::Picoseconds now) {
  const auto clock = std::chrono::steady_clock::now();
  if (clock < next_) return;
  next_ = clock + kBetween;
  shown_ = true;
  const double seconds = std::chrono::duration<double>(clock - begin_).count();
  fmt::print(stderr, "\r\033[K{:.0f} s: {:.1f} us simulated, {:.1f} million operations", seconds,
             static_cast<double>(now) / 1e6, static_cast<double>(operations_) / 1e6);
  std::fflush(stderr);
}

}  // namespace a2a3::tools
