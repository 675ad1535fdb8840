// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sim/causes.hpp"

namespace a2a3::sim {

/// Keeps why everything happened, up to a number of records (of about 60 bytes each).
class CauseLog final : public CauseObserver {
 public:
  using CoreKey = std::pair<std::uint32_t, std::uint32_t>;  ///< device, core

  struct Operation {
    Picoseconds begin = 0;
    Picoseconds end = 0;
    std::uint64_t cause_number = 0;
    std::uint64_t first_part = 0;  ///< in parts()
    isa::SourceId source = 0;
    std::uint32_t place = 0;  ///< in the order of its pipe
    std::uint8_t part_count = 0;
    std::uint8_t issue_count = 0;  ///< of parts that follow those: until the pipe's next one
    Pipe pipe = Pipe::scalar;
    BeginCause cause = BeginCause::issued;
  };
  struct Core {
    std::vector<ScalarStep> steps;
    std::vector<Operation> operations;                     ///< by number
    std::array<std::vector<std::uint64_t>, kPipes> order;  ///< numbers, by pipe
    std::vector<AsyncTransferEnded> transfers;

    /// The first operation of the pipe that began at this time.
    [[nodiscard]] std::optional<std::uint64_t> begun_at(Pipe pipe, Picoseconds time) const;
    /// The first operation, in program order, that ended at this time.
    [[nodiscard]] std::optional<std::uint64_t> ended_at(Picoseconds time) const;
  };
  struct Landing {
    CoreKey from;
    std::uint64_t number = 0;
    Picoseconds time = 0;
  };

  explicit CauseLog(std::uint64_t max_records) : max_records_(max_records) {}

  void on_operation_ended(const OperationEnded& event) override;
  void on_scalar_step(const ScalarStep& event) override;
  void on_async_transfer_ended(const AsyncTransferEnded& event) override;
  void on_task_ended(const TaskEnded& event) override;
  void on_message_landed(const SignalLanded& event, std::uint64_t number) override;

  /// False when there was more than may be kept.
  [[nodiscard]] bool complete() const { return records_ <= max_records_; }
  [[nodiscard]] const Core* core(const CoreKey& key) const;
  [[nodiscard]] const TimePart& part(std::uint64_t index) const { return parts_[index]; }
  /// The first message that landed in the cell at this time. When several did, the wait saw them
  /// together.
  [[nodiscard]] std::optional<Landing> landed_at(isa::GlobalAddress cell, Picoseconds time) const;
  /// The last message that landed anywhere on the device up to this time.
  [[nodiscard]] std::optional<Landing> last_landed(std::uint32_t device, Picoseconds time) const;
  /// The core on which a task of the device ended at this time.
  [[nodiscard]] std::optional<CoreKey> task_ended_at(std::uint32_t device, Picoseconds time) const;

 private:
  /// False when the record must not be kept.
  bool count(std::uint64_t records = 1);

  std::uint64_t max_records_;
  std::uint64_t records_ = 0;
  std::map<CoreKey, Core> cores_;
  std::vector<TimePart> parts_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<Landing>> landings_;  ///< by cell
  std::map<std::uint32_t, std::vector<Landing>> device_landings_;
  std::map<std::pair<std::uint32_t, Picoseconds>, CoreKey> task_ends_;
};

}  // namespace a2a3::sim
