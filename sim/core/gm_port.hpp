// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <tlm>
#include <vector>

#include "isa/memory.hpp"
#include "isa/write_lane.hpp"
#include "sim/memory/access_extension.hpp"
#include "sim/probe.hpp"

namespace a2a3::sim {

class LateWrites;

/// The accesses of an operation's effect as TLM transactions of one core. They all happen at one
/// moment; the time they take adds up in delay().
class GmPort final : public isa::GlobalPort {
 public:
  GmPort(tlm::tlm_initiator_socket<>& socket, const Probe& probe);
  ~GmPort() override;

  struct Access {
    Origin origin;
    Picoseconds now = 0;
    Picoseconds streamed = 0;   ///< see AccessExtension::streamed
    bool without_data = false;  ///< see AccessExtension::without_data
    bool signal = false;        ///< of a notify or the last poll of a wait
  };
  /// What the accesses up to the next begin() belong to; resets delay() and
  /// served().
  void begin(const Access& access);
  [[nodiscard]] Picoseconds delay() const { return delay_.value(); }
  /// What their bytes take at the rate of the memory, without waits for others.
  [[nodiscard]] Picoseconds served() const { return extension_.served; }

  void read(isa::GlobalAddress address, std::span<std::byte> destination) override;
  void write(isa::GlobalAddress address, std::span<const std::byte> source) override;
  void atomic_add(isa::GlobalAddress address, isa::DType dtype,
                  std::span<const std::byte> source) override;

  /// From now on the core's own stores in flight are in memory before it accesses their bytes.
  void settle_first(LateWrites& late) { late_ = &late; }
  /// The oldest writes of the lane reach memory, as this access and between the accesses of what
  /// has begun.
  void land(isa::WriteLane& lane, std::size_t count, const Access& access);

  /// How long what is added to these bytes has to wait for others to the same lines. It has its
  /// turn then.
  [[nodiscard]] Picoseconds take_atomic_turn(isa::GlobalAddress address, std::uint64_t bytes);

  /// The value of an int32 cell, without time and unseen by observers.
  [[nodiscard]] std::int32_t peek(isa::GlobalAddress cell);
  /// Up to `bytes` of memory from there on, as far as it goes, in the same way.
  [[nodiscard]] std::vector<std::byte> peek_line(isa::GlobalAddress begin, std::uint64_t bytes);
  /// Zeroes memory in the same way.
  void clear(isa::GlobalAddress begin, std::uint64_t bytes);
  /// Whether the last peek() saw what a run without data does not know.
  [[nodiscard]] bool peeked_unknown() const { return peek_extension_.unknown; }
  /// The same of the reads since begin().
  [[nodiscard]] bool read_unknown() const { return extension_.unknown; }

 private:
  void transport(MemoryAccess::Kind kind, isa::GlobalAddress address,
                 std::span<const std::byte> data);

  tlm::tlm_initiator_socket<>& socket_;
  const Probe& probe_;
  LateWrites* late_ = nullptr;
  Access access_;
  sc_core::sc_time delay_;
  tlm::tlm_generic_payload transaction_;
  AccessExtension extension_;
  AccessExtension peek_extension_;
  tlm::tlm_generic_payload peek_;  ///< apart: a write of this core can make it peek
};

}  // namespace a2a3::sim
