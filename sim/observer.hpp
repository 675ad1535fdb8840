// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/instruction.hpp"

namespace a2a3::sim {

/// Simulated time in picoseconds since the launch.
using Picoseconds = std::uint64_t;

/// mte1 feeds the cube from L1, which multiplies on its own pipe.
enum class Pipe : std::uint8_t { scalar, mte2, mte3, vector, mte1, cube };
inline constexpr int kPipes = 6;

/// The last phase of a core: it holds everything behind its barriers so far, so that what is kept
/// by phase stays small in a run of any length.
inline constexpr std::uint32_t kLastPhase = 255;

/// Which instruction of which core an event belongs to. `phase` counts the core's barriers: it goes
/// up at the first instruction after a group of waits, until it is kLastPhase.
struct Origin {
  std::uint32_t device = 0;
  std::uint32_t core = 0;
  std::uint32_t task = 0;
  std::uint32_t phase = 0;
  isa::SourceId source = 0;
};

/// One operation occupied a pipe from `begin` to `end`; for TPut and TGet one event per chunk load
/// and store. On the scalar pipe: the scalar operations that precede `operation`, a scalar access,
/// a barrier (its own time), a notify, or a wait for asynchronous transfers.
struct PipeActivity {
  Origin origin;
  Pipe pipe = Pipe::scalar;
  const isa::Operation* operation = nullptr;
  Picoseconds begin = 0;
  Picoseconds end = 0;
};

/// Bytes read from or written to a device's global memory, at the moment the data changes or is
/// sampled; one event per contiguous piece.
struct MemoryAccess {
  Origin origin;
  isa::GlobalAddress address;
  std::uint64_t bytes = 0;
  enum class Kind : std::uint8_t { read, write, atomic_add } kind = Kind::read;
  Picoseconds time = 0;
  bool signal = false;  ///< the write of a notify or the poll that ended a wait
};

/// One message on a directed link of its route.
struct LinkTransfer {
  Origin origin;
  /// The link's ends: ranks, or number of ranks + physical position where no rank is.
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t source = 0;  ///< rank whose memory or core the message comes from
  std::uint32_t destination = 0;
  enum class Kind : std::uint8_t { write, read_request, read_reply, signal } kind = Kind::write;
  std::uint64_t payload_bytes = 0;
  std::uint64_t header_bytes = 0;
  Picoseconds begin = 0;  ///< first byte on the link
  Picoseconds end = 0;    ///< last byte at the far side
};

/// Payload that never left its device because source and destination are the same (peer == own
/// rank).
struct LocalTransfer {
  Origin origin;
  std::uint64_t payload_bytes = 0;
};

/// A notify took effect on its cell.
struct SignalLanded {
  Origin origin;
  isa::TNotify notify;
  std::int32_t value = 0;  ///< of the cell afterwards
  Picoseconds time = 0;
};

/// A wait ended; it had begun at `begin`. Also of a wait that a deadlocked run ended in, with the
/// time from which nothing could run any more.
struct WaitEnded {
  Origin origin;
  isa::TWait wait;
  std::int32_t value = 0;
  Picoseconds begin = 0;
  Picoseconds end = 0;
};

/// Sees everything that happens on the machine. Observers never change time: a run is identical
/// with any set of them. Events reach all observers in the order of registration. Memory and
/// signal events come in the order of time, link events in the order in which the messages arrive
/// at their destination; pipe activities and waits, which are known ahead, in the order of time per
/// core and pipe.
class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  virtual void on_pipe_activity(const PipeActivity&) {}
  virtual void on_memory_access(const MemoryAccess&) {}
  virtual void on_link_transfer(const LinkTransfer&) {}
  virtual void on_local_transfer(const LocalTransfer&) {}
  virtual void on_signal_landed(const SignalLanded&) {}
  virtual void on_wait_ended(const WaitEnded&) {}
  virtual void on_wait_stuck(const WaitEnded&) {}
};

}  // namespace a2a3::sim
