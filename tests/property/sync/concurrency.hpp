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
  };
  enum class Kind : std::uint8_t { data, notify, wait };
  Kind kind = Kind::data;
  std::vector<Access> accesses;  ///< of data; none: it touches nothing that others see
  isa::TNotify notify;
  isa::TWait wait;

  [[nodiscard]] bool is_local() const { return kind == Kind::data && accesses.empty(); }
};
[[nodiscard]] Step step_of(const isa::Instruction& instruction);

/// All steps of each rank, in program order.
using Trace = std::vector<std::vector<Step>>;
/// The next step of each rank.
using Positions = std::vector<std::size_t>;
using ValueOf = std::function<std::int32_t(isa::GlobalAddress cell)>;

/// Says which steps of different ranks can come in both orders, and whether that matters.
class Concurrency {
 public:
  explicit Concurrency(const Trace& trace);

  /// Nothing that the others can do before rank `rank` takes its next step, which must be able to,
  /// depends on that step.
  [[nodiscard]] bool is_independent(std::size_t rank, const Positions& at,
                                    const ValueOf& value_of) const;

 private:
  using CellKey = std::pair<std::uint32_t, std::uint64_t>;
  /// Signals only ever bring a wait on the cell nearer: a rank's own adds apart, which come in
  /// program order with its waits.
  struct Cell {
    bool grows = true;
    bool is_set = false;  ///< one rank sets it to ever larger values
  };

  void judge(const CellKey& key, Cell& cell) const;
  [[nodiscard]] bool grows(isa::GlobalAddress cell) const;
  /// How far the others get while `rank` stands still, at most.
  [[nodiscard]] Positions reach(std::size_t rank, const Positions& at,
                                const ValueOf& value_of) const;
  [[nodiscard]] bool may_pass(std::size_t rank, std::size_t step, const Positions& at,
                              const Positions& reached, const ValueOf& value_of) const;
  [[nodiscard]] bool depend(const Step& a, const Step& b) const;

  const Trace& trace_;
  std::map<CellKey, Cell> cells_;
};

}  // namespace a2a3::sync
