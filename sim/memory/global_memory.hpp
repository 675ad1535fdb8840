// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <systemc>
#include <tlm>
#include <vector>

#include <tlm_utils/passthrough_target_socket.h>

#include "isa/lazy_bytes.hpp"
#include "sim/memory/access_extension.hpp"
#include "sim/memory/atomic_lines.hpp"
#include "sim/memory/bandwidth_server.hpp"
#include "sim/memory/signal_cells.hpp"
#include "sim/memory/unknown_bytes.hpp"

namespace a2a3::sim {

struct GlobalMemoryParams {
  std::uint64_t size_bytes = 0;
  double read_bytes_per_second = 0;
  double write_bytes_per_second = 0;
  std::uint64_t atomic_line_bytes = 0;
  Picoseconds atomic_distance = 0;  ///< between atomic adds to one line
};

/// A device's HBM. Data changes at the moment of the transaction; the time the bytes take at the
/// bandwidth shared by all cores comes back in the delay. Reads of a core begin to flow when they
/// are asked for; a write, and what a DMA engine does, is made at its last byte (see
/// AccessExtension::streamed). Left out: L2 and banks.
class GlobalMemory : public sc_core::sc_module, public SignalCells {
 public:
  tlm_utils::passthrough_target_socket<GlobalMemory> port;
  sc_core::sc_export<SignalCells> signals;

  GlobalMemory(const sc_core::sc_module_name& name, const GlobalMemoryParams& params);

  void watch(std::uint64_t offset_bytes, SignalWaiter& waiter) override;
  void unwatch(SignalWaiter& waiter) override;

  /// The contents, for the host outside the run.
  [[nodiscard]] std::span<std::byte> contents() { return bytes_.bytes(); }
  [[nodiscard]] std::span<const std::byte> contents() const { return bytes_.bytes(); }

  /// In a run without data: what these bytes would be is not known.
  void forget(std::uint64_t begin, std::uint64_t bytes) { unknown_.add(begin, begin + bytes); }
  [[nodiscard]] bool knows(std::uint64_t begin, std::uint64_t bytes) const {
    return !unknown_.touches(begin, begin + bytes);
  }

  /// Time the memory was moving bytes.
  [[nodiscard]] Picoseconds busy() const { return bandwidth_.busy(); }

 private:
  struct Watch {
    std::uint64_t offset_bytes;
    SignalWaiter* waiter;
  };

  void transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  unsigned int debug(tlm::tlm_generic_payload& transaction);
  [[nodiscard]] bool inside(const tlm::tlm_generic_payload& transaction) const;
  void store(std::uint64_t begin, std::span<const std::byte> source,
             const AccessExtension* extension);
  void wake(std::uint64_t begin, std::uint64_t end);

  GlobalMemoryParams params_;
  isa::LazyBytes bytes_;
  BandwidthServer bandwidth_;
  AtomicLines lines_;
  UnknownBytes unknown_;
  std::vector<Watch> watches_;
};

}  // namespace a2a3::sim
