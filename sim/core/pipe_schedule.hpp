// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "isa/hazard.hpp"
#include "models/instruction_timing.hpp"
#include "sim/causes.hpp"
#include "sim/observer.hpp"

namespace a2a3::sim {

/// An operation between its issue and the moment nothing depends on it any more.
struct InFlight {
  enum class State : std::uint8_t { free, queued, started, executed, complete };
  State state = State::free;
  Pipe pipe = Pipe::scalar;
  std::uint32_t peer = 0;    ///< of transfers and signals: device whose memory is accessed
  std::uint64_t number = 0;  ///< in program order
  Picoseconds end = 0;       ///< known once executed; final once complete
  isa::ByteRanges ranges;
  Picoseconds issued = 0;
  Picoseconds begin = 0;
  models::InstructionTime time;
  std::uint64_t payload_bytes = 0;  ///< of transfers and signals
  Picoseconds streamed = 0;         ///< of transfers and signals: first byte to last
  Picoseconds served = 0;           ///< of remote loads: its bytes at the memory's own rate
  std::uint32_t transit = 0;        ///< of a message on its way
  bool has_turn = false;  ///< of what is added: its wait for others to the same lines is over
  bool was_late = false;  ///< of writes and signals: a relaxed machine's delay is over
  Origin origin;
  std::uint32_t cause = kIssued;  ///< why it began when it did: these, or kAfter + a number
  isa::Operation operation;

  static constexpr std::uint32_t kIssued = 0;
  static constexpr std::uint32_t kPipeFree = 1;
  static constexpr std::uint32_t kAfter = 2;
};

/// The pipes of one core, by arithmetic on times: which operation starts when. An operation starts
/// when the scalar unit has issued it, its pipe is free, and all earlier operations with a
/// conflicting byte range are complete, those of another pipe for the time of a flag. Pipes start
/// and complete in order and overlap their operations by the issue interval. Pipe::scalar stands
/// for the signals that the scalar unit sends: each leaves when the one before has been
/// acknowledged.
///
/// The end of an operation that touches shared state is not known before the simulation has come
/// there; whatever depends on it stays queued meanwhile. The effect of an operation is applied
/// between start and `executed`, so conflicting effects are applied in program order.
class PipeSchedule {
 public:
  using Handle = std::uint32_t;

  /// `flag`: from the end of an operation to what depends on it on another pipe.
  PipeSchedule(std::uint32_t queue_depth, Picoseconds flag)
      : queue_depth_(queue_depth), ring_mask_(std::bit_ceil(queue_depth) - 1), flag_(flag) {}

  /// When the pipe's queue has room for one more operation; nothing while that is not known.
  [[nodiscard]] std::optional<Picoseconds> room(Pipe pipe) const;

  /// Appends an operation in program order, after room() <= `issued`. Issue times never decrease.
  InFlight& issue(Pipe pipe, const isa::Operation& operation, const models::InstructionTime& time,
                  const Origin& origin, Picoseconds issued);

  /// Starts the next operation whose start is known; null when there is none.
  [[nodiscard]] std::optional<Handle> start_next();
  [[nodiscard]] InFlight& at(Handle handle) { return slots_[handle]; }
  /// Of an operation that at() or complete_next() gave.
  [[nodiscard]] Handle handle_of(const InFlight& operation) const {
    return static_cast<Handle>(&operation - slots_.data());
  }

  /// The operation's effect is applied and it would end at `end` if it were alone on its pipe.
  void executed(Handle handle, Picoseconds end);
  /// The next operation that is complete, in the order of each pipe; null when there is none. Valid
  /// until the next issue().
  [[nodiscard]] const InFlight* complete_next();

  /// When all operations with a range that conflicts with these are complete; nothing while that
  /// is not known.
  [[nodiscard]] std::optional<Picoseconds> clear_of(const isa::ByteRanges& ranges) const;
  /// When the pipes are empty, on request also with every signal acknowledged.
  [[nodiscard]] std::optional<Picoseconds> drained(bool with_signals) const;

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  struct Lane {
    std::vector<Handle> operations;  ///< not yet complete, in program order, from `first`
    std::size_t first = 0;
    std::size_t next_start = 0;               ///< index of the first one not started
    Handle blocked_by = 0;                    ///< what that one was last seen waiting for...
    std::uint64_t blocked_by_number = kNone;  ///< ...and its number
    std::uint64_t issued = 0;
    std::uint64_t started = 0;
    Picoseconds free = 0;             ///< when the pipe can start its next operation
    Picoseconds end = 0;              ///< of its last complete operation
    std::vector<Picoseconds> begins;  ///< of its last `queue_depth` operations, by number
  };

  [[nodiscard]] static constexpr std::uint32_t bit(Pipe pipe) {
    return 1U << static_cast<std::uint32_t>(pipe);
  }
  [[nodiscard]] Lane& lane(Pipe pipe) { return lanes_[static_cast<std::size_t>(pipe)]; }
  [[nodiscard]] const Lane& lane(Pipe pipe) const { return lanes_[static_cast<std::size_t>(pipe)]; }
  [[nodiscard]] bool still_blocked(const Lane& lane) const {
    if (lane.blocked_by_number == kNone) return false;
    const InFlight& other = slots_[lane.blocked_by];
    return other.number == lane.blocked_by_number && other.state != InFlight::State::complete;
  }
  [[nodiscard]] bool try_start(Lane& lane);
  void retire(Picoseconds issued);

  std::uint32_t queue_depth_;
  std::uint32_t ring_mask_;  ///< of Lane::begins
  Picoseconds flag_;
  std::uint64_t issued_ = 0;
  // The lanes worth a look, one bit each: most of them have nothing to do at any moment.
  std::uint32_t queued_ = 0;     ///< with operations that have not started
  std::uint32_t executed_ = 0;   ///< where the first operation may be executed
  std::uint32_t under_way_ = 0;  ///< with operations that are not complete
  Picoseconds pipes_end_ = 0;    ///< of the last complete operation that is no signal
  std::array<Lane, kPipes> lanes_;
  std::vector<InFlight> slots_;
  std::vector<Handle> free_;
  std::vector<Handle> order_;  ///< slots in use, in program order
};

}  // namespace a2a3::sim
