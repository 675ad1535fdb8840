// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <csignal>
#include <exception>

namespace a2a3::tools {

/// The user ended the program (Ctrl-C) or the system asked it to go; thrown where work is waited
/// for, so that nothing is left behind.
class Interrupted : public std::exception {
 public:
  explicit Interrupted(int signal) : signal_(signal) {}
  [[nodiscard]] int signal() const { return signal_; }
  [[nodiscard]] const char* what() const noexcept override { return "interrupted"; }

 private:
  int signal_;
};

/// While it lives, SIGINT and SIGTERM do not end the process, but are noted; waiting calls return
/// with EINTR.
class InterruptWatch {
 public:
  InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();

  /// Throws when there was one.
  static void check();
  /// For a child: both signals end it again.
  static void forget();

 private:
  std::array<struct sigaction, 2> before_{};
};

}  // namespace a2a3::tools
