// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/interrupt.hpp"

namespace a2a3::tools {
namespace {

constexpr std::array kWatchedSignals{SIGINT, SIGTERM};

volatile std::sig_atomic_t noted_signal = 0;

void note_signal(int signal) {
  noted_signal = signal;
}

}  // namespace

InterruptWatch::InterruptWatch() {
  noted_signal = 0;
  struct sigaction action {};
  action.sa_handler = note_signal;
  for (std::size_t i = 0; i < kWatchedSignals.size(); ++i)
    sigaction(kWatchedSignals[i], &action, &before_[i]);
}

InterruptWatch::~InterruptWatch() {
  for (std::size_t i = 0; i < kWatchedSignals.size(); ++i)
    sigaction(kWatchedSignals[i], &before_[i], nullptr);
}

void InterruptWatch::check() {
  if (noted_signal != 0) throw Interrupted(noted_signal);
}

void InterruptWatch::forget() {
  for (const int signal : kWatchedSignals)
    std::signal(signal, SIG_DFL);
}

}  // namespace a2a3::tools
