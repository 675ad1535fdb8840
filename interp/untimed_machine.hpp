// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <vector>

#include "interp/run_events.hpp"
#include "interp/task_conditions.hpp"
#include "interp/untimed.hpp"
#include "isa/lazy_bytes.hpp"

namespace a2a3::interp {

/// One run of run_untimed().
class UntimedMachine final : public isa::GlobalPort {
 public:
  UntimedMachine(KernelRun& run, std::span<const std::span<std::byte>> gm,
                 std::uint64_t local_bytes, const UntimedOptions& options);
  UntimedResult run();

  // What the core that executes does to global memory.
  void read(isa::GlobalAddress address, std::span<std::byte> destination) override;
  void write(isa::GlobalAddress address, std::span<const std::byte> source) override;
  void atomic_add(isa::GlobalAddress address, isa::DType dtype,
                  std::span<const std::byte> source) override;

 private:
  struct WaitingCore {
    std::size_t core = 0;
    isa::TWait wait;
    isa::RunEvent event;
  };

  // Instructions, one after the other.
  std::size_t choose();
  const isa::Instruction* fetch(std::size_t core);
  bool execute(std::size_t core, const isa::Instruction& instruction);
  bool begin_wait(const WaitingCore& waiting);
  void end_task(std::size_t core, std::uint32_t task);
  void wake(isa::GlobalAddress address, std::size_t bytes);
  void settle(std::uint32_t device);
  void complete(std::uint32_t task);
  void ask_again(std::uint32_t device);
  void list_blocked();

  // Memory.
  std::byte* bytes_at(isa::GlobalAddress address);
  [[nodiscard]] std::int32_t value_of(isa::GlobalAddress cell);
  [[nodiscard]] std::int32_t value_after(const isa::TNotify& notify);

  // A relaxed order.
  bool must_wait_before(std::size_t core, const isa::Instruction& instruction);
  bool must_wait_behind(std::size_t core, const isa::Operation& operation);
  bool fetches_line(std::size_t core, const isa::Operation& operation);
  void tell_line(const isa::RunEvent& event, const isa::TNotify& notify) const;
  void write_back_line(std::size_t core, const isa::Operation& operation);
  void zero_windows(std::uint32_t device);
  bool land_one();
  void land_behind(isa::GlobalAddress address, std::size_t bytes);
  void put_in_memory(const RelaxedMemory::Landing& landing);

  const std::vector<KernelRun::Core>& cores_;
  isa::TaskQueue& tasks_;
  std::span<const std::span<std::byte>> gm_;
  const UntimedOptions& options_;
  RunEvents events_;
  std::deque<isa::LazyBytes> local_;
  std::deque<std::size_t> ready_;
  std::vector<std::vector<WaitingCore>> waiting_;  ///< by device of the cell
  std::vector<std::set<std::size_t>> idle_;        ///< by device: cores without a task
  TaskConditions conditions_;
  std::mt19937_64 random_;
  std::size_t current_ = 0;  ///< the core that executes
  UntimedResult result_;

  std::optional<RelaxedMemory> relaxed_;
  bool delays_writes_ = false;                 ///< current_ writes what is in flight for a while
  std::vector<const isa::Instruction*> held_;  ///< by core: its next one
  std::vector<bool> fencing_;                  ///< by core: it goes on when its writes have landed
  std::vector<std::vector<std::byte>> lines_;  ///< by core: that its Set will write back
};

}  // namespace a2a3::interp
