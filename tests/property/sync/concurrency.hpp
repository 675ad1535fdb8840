// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "isa/instruction.hpp"
#include "isa/order/access.hpp"

namespace a2a3::sync {

/// What one instruction does to global memory.
struct Step {
  struct Access {
    isa::AccessKind kind = isa::AccessKind::read;
    isa::GlobalAddress address;
    std::uint64_t bytes = 0;
    friend bool operator==(const Access&, const Access&) = default;
  };
  /// A condition is one for the completion of the task: it does not wait.
  enum class Kind : std::uint8_t { data, notify, wait, condition };
  Kind kind = Kind::data;
  std::vector<Access> accesses;  ///< of data; none: it touches nothing that others see
  isa::TNotify notify;
  isa::TWait wait;  ///< also of a condition

  [[nodiscard]] bool is_local() const {
    return kind == Kind::condition || (kind == Kind::data && accesses.empty());
  }
  bool operator==(const Step& other) const;
};
[[nodiscard]] Step step_of(const isa::Operation& operation);

/// All steps of each task, in program order.
using Trace = std::vector<std::vector<Step>>;
/// The next step of each task.
using Positions = std::vector<std::size_t>;
/// By task: those that are complete before it begins.
using Predecessors = std::vector<std::vector<std::size_t>>;
using ValueOf = std::function<std::int32_t(isa::GlobalAddress cell)>;

/// Says which steps of different tasks can come in both orders, and whether that matters.
class Concurrency {
 public:
  Concurrency(const Trace& trace, Predecessors before);

  /// What a task's completion depends on holds for good once it holds.
  [[nodiscard]] bool conditions_stay_met() const;

  /// Nothing that the others can do before task `task` takes its next step, which must be able to,
  /// depends on that step.
  [[nodiscard]] bool is_independent(std::size_t task, const Positions& at,
                                    const ValueOf& value_of) const;

 private:
  using CellKey = std::pair<std::uint32_t, std::uint64_t>;
  /// Signals only ever bring a wait on the cell nearer: a task's own adds apart, which come in
  /// program order with its waits.
  struct Cell {
    bool grows = true;
    bool is_set = false;  ///< one task sets it to ever larger values
  };

  void judge(const CellKey& key, Cell& cell) const;
  [[nodiscard]] bool grows(isa::GlobalAddress cell) const;
  /// How far the others get while `task` stands still, at most.
  [[nodiscard]] Positions reach(std::size_t task, const Positions& at,
                                const ValueOf& value_of) const;
  [[nodiscard]] bool may_begin(std::size_t task, const Positions& reached) const;
  [[nodiscard]] bool may_pass(std::size_t task, std::size_t step, const Positions& at,
                              const Positions& reached, const ValueOf& value_of) const;
  [[nodiscard]] bool depend(const Step& a, const Step& b) const;

  const Trace& trace_;
  Predecessors before_;
  std::map<CellKey, Cell> cells_;
};

}  // namespace a2a3::sync
