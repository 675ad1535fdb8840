// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "isa/order/sync_trace.hpp"
#include "isa/order/task_order.hpp"

namespace a2a3::isa {

/// Threads that do nothing but signal and wait, and the order of their operations by trying: what
/// solve_order is compared with.
class SyncProgram {
 public:
  struct Signal {
    std::uint32_t cell = 0;
    NotifyOp op = NotifyOp::atomic_add;
    std::int32_t value = 1;
  };
  struct Wait {
    std::uint32_t cell = 0;
    std::int32_t expected = 1;
    bool exactly = false;
  };
  struct Operation {
    std::variant<Signal, Wait> what;
    std::uint32_t index = 0;  ///< as SyncIndex counts, the task begins at 1
  };
  /// Where every thread is, and the cells.
  struct State {
    std::vector<std::size_t> done;
    std::vector<std::int32_t> cells;
    bool operator<(const State& other) const {
      return done != other.done ? done < other.done : cells < other.cells;
    }
  };
  /// A wait: its thread, and its place among the waits there.
  using WaitId = std::pair<Thread, std::size_t>;

  SyncProgram(std::size_t threads, std::size_t cells)
      : threads_(threads), after_(threads), cells_(cells) {}
  void add(Thread thread, const std::variant<Signal, Wait>& what);
  /// The thread begins when another one, of a lower number, is done.
  void begin_after(Thread thread, Thread other) { after_[thread].push_back(other); }

  [[nodiscard]] const std::vector<std::vector<Operation>>& threads() const { return threads_; }
  [[nodiscard]] TaskOrder order() const;
  [[nodiscard]] std::vector<WaitId> waits() const;
  /// One higher than the thread's highest index.
  [[nodiscard]] std::uint32_t indices(Thread thread) const;

  /// A run in a drawn order; nullopt when it gets stuck.
  [[nodiscard]] std::optional<SyncTrace> run(std::mt19937_64& random) const;
  /// The waits that end in some run in which the thread stops before its operation `index`: all
  /// runs are tried.
  [[nodiscard]] std::set<WaitId> can_end(Thread stopped, std::uint32_t index) const;
  /// The same where nothing that a thread can do keeps another from going on: one run will do.
  [[nodiscard]] std::set<WaitId> can_end_greedily(Thread stopped, std::uint32_t index) const;

  /// Whether some run gets stuck: all are tried.
  [[nodiscard]] bool can_hang() const;

  [[nodiscard]] std::string text() const;

 private:
  [[nodiscard]] State start() const;
  [[nodiscard]] bool can_step(const State& state, Thread thread) const;
  void step(State& state, Thread thread) const;
  [[nodiscard]] bool may_step(const State& state, Thread thread, Thread stopped,
                              std::uint32_t index) const;

  std::vector<std::vector<Operation>> threads_;
  std::vector<std::vector<Thread>> after_;
  std::size_t cells_;
};

/// What programs are drawn from.
struct SyncMix {
  std::int32_t most_added = 1;
  int sets_in_ten = 0;
  int exact_in_ten = 0;
  bool takes_back = false;  ///< adds of -1 too
};

/// A program of 2 to `most_threads` threads with 1 to `most_operations` operations each.
[[nodiscard]] SyncProgram draw_program(const SyncMix& mix, std::size_t most_threads,
                                       std::size_t most_operations, std::mt19937_64& random);

}  // namespace a2a3::isa
