// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <utility>

#include "random_program.hpp"

namespace a2a3::collectives {

/// What may be said of a window at one point of a random program, on every rank.
struct WindowState {
  bool written = false;     ///< every row
  bool touched = true;      ///< somebody used it after the last barrier: peers may not push into it
  bool peers_read = false;  ///< a peer may still be reading the own part
  bool counts_touched = true;  ///< the same of recv_counts
  double bound = 0;            ///< of the elements' magnitude
};

inline constexpr double kInputBound = 2;
/// Large enough that every reduction asks for fresh values first.
inline constexpr double kAnything = 1e300;
inline constexpr std::int64_t kFlags = 6;
inline constexpr std::int64_t kMaxTrips = 3;

/// Makes the statements of kernels. It keeps track of the windows and adds the barriers and the
/// fresh values that a statement needs.
class Generator {
 public:
  explicit Generator(std::uint64_t seed, bool small = false) : random_(seed), small_(small) {
    program_.seed = seed;
  }

  RandomProgram generate();

 protected:
  using Statements = std::vector<Statement>;

  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(std::int64_t percent) { return between(1, 100) <= percent; }
  template <class T, std::size_t N>
  T one_of(const T (&choices)[N]) {
    return choices[between(0, N - 1)];
  }
  std::size_t any_window() {
    return static_cast<std::size_t>(between(0, std::ssize(program_.windows) - 1));
  }

  /// Ranks, signals, flags and windows.
  void choose_world();
  void record_everything(Statements& out);
  DataWindow data_window();
  Statement make(Act act, std::size_t window);

  void passed_a_barrier();
  void add_barrier(Statements& out);
  void need_no_reader(Statements& out, std::size_t window);
  void add_stage(Statements& out, std::size_t window);
  void need_written(Statements& out, std::size_t window);
  /// Fresh values, when `reach(bound)` might leave the dtype.
  template <class Reach>
  void need_bound(Statements& out, std::size_t window, Reach reach) {
    need_written(out, window);
    WindowState& state = states_[window];
    if (!fits(window, reach(state.bound))) add_stage(out, window);
    state.bound = reach(state.bound);
  }
  [[nodiscard]] bool fits(std::size_t window, double bound) const;
  /// The bound of the result of a reduction of this one.
  [[nodiscard]] double reduced(Reduce op, double bound) const;
  Statement record(std::size_t window);

  void add_reduction(Statements& out, std::size_t window, Act act);
  void add_broadcast(Statements& out, std::size_t window);
  void add_push(Statements& out, std::size_t window, Act act);
  void add_collective(Statements& out, std::size_t window);
  void add_loop(Statements& out);
  void add_branch(Statements& out);
  /// The body of a loop comes behind the code before it and behind itself.
  void enter_loop();
  /// What holds on both of two ways to here.
  void join(const std::vector<WindowState>& other);
  Statements block(std::int64_t length);

  std::mt19937_64 random_;
  bool small_;  ///< 2 or 3 ranks, short rows, few statements
  RandomProgram program_;
  std::vector<WindowState> states_;
  std::int64_t rounds_ = 1;  ///< of the loops around the statement, most
  std::int64_t depth_ = 0;
  bool in_branch_ = false;
};

/// Allreduce takes it.
[[nodiscard]] bool is_reducible(isa::DType dtype);

}  // namespace a2a3::collectives
