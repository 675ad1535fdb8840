// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>

#include "isa/instruction_source.hpp"
#include "isa/lazy_bytes.hpp"
#include "models/machine_description.hpp"
#include "sim/core/agenda.hpp"
#include "sim/core/gm_port.hpp"
#include "sim/core/late_writes.hpp"
#include "sim/core/pipe_schedule.hpp"
#include "sim/core/scalar_unit.hpp"
#include "sim/core/time_parts.hpp"
#include "sim/memory/signal_cells.hpp"
#include "sim/network/link_access.hpp"
#include "sim/probe.hpp"
#include "sim/run_control.hpp"

namespace a2a3::sim {

struct VectorCoreParams {
  std::uint32_t device = 0;
  std::uint32_t core = 0;
  Picoseconds start = 0;  ///< when the launch reaches the core
};

/// An AI vector core (AIV): scalar unit, pipes MTE2, MTE3 and V, unified buffer, and for kernels
/// that multiply matrices the memories and pipes (MTE1, M) of a cube core beside it. Runs one
/// instruction source. One process: it wakes only when a transfer or signal asks for a link, when
/// bytes are at a memory or back from it, and when a wait can end; all other times are computed.
///
/// A load of n bytes is done startup + n / rate after its start; a remote one sends its request
/// after the startup, reads the peer's memory one hop later, and is done one hop after the reply
/// has left. A store's bytes reach memory startup + n / rate after its start; a remote one asks for
/// its link after the startup, lands one hop after its last byte has left, and is complete another
/// hop later. The core waits for the acknowledgement of a signal, which may come with a hop of its
/// own. A signal or store that is added may have to wait at its memory for others to the same
/// lines. Stores of the cube's results share MTE3. On a relaxed machine stores and signals take
/// effect later by a delay drawn for each; without fences a store is complete for the core before
/// that. Left out: bank conflicts beyond the vector costs, instruction cache.
class VectorCore : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<VectorCore> gm;
  sc_core::sc_port<SignalCells> cells;  ///< of the own device's memory
  sc_core::sc_port<LinkAccess> links;

  VectorCore(const sc_core::sc_module_name& name, const VectorCoreParams& params,
             const models::MachineDescription& machine, isa::InstructionSource& source,
             const Probe& probe, RunControl& control, TaskBoard& tasks, Sdma& sdma);

  /// Before the run: this of the own device's memory is zeroed when the core starts.
  void zero_at_start(isa::GlobalAddress begin, std::uint64_t bytes) {
    zeroed_.emplace_back(begin, bytes);
  }
  [[nodiscard]] ScalarUnit& scalar_unit() { return scalar_; }
  [[nodiscard]] const VectorCoreParams& params() const { return params_; }

 private:
  using Handle = PipeSchedule::Handle;

  void start_of_simulation() override;
  void turn();
  void happen(const Agenda::Entry& entry, Picoseconds now);
  void run_ahead();

  void begin(Handle handle);
  void depart(Handle handle, Picoseconds now);
  void at_memory(Handle handle, Picoseconds now);
  [[nodiscard]] bool is_late(Handle handle, Picoseconds now);
  void store_late(Handle handle, Picoseconds now);
  void load_arrives(Handle handle, Picoseconds now);
  Picoseconds atomic_turn(const isa::Operation& operation);
  void ask_for_reply(Handle handle, Picoseconds now);
  Picoseconds end_of_store(const InFlight& store, Picoseconds now);
  void complete(const InFlight& operation);
  /// For those who ask for causes: what the operation's time up to `until` went to.
  void spend(Handle handle, TimeUse use, Picoseconds until) {
    if (probe_.causes() != nullptr) spent_.of(handle).add(use, until);
  }
  void spend_on_way(Handle handle, const Progress& progress, Picoseconds arrived);
  void spend_until_memory(Handle handle, const Progress& progress, Picoseconds now);
  void spend_on_bytes(Handle handle, const Progress& progress, Picoseconds now);
  void begin_cause(Handle handle);
  void report_cause(const InFlight& operation);
  void fetch_line(const InFlight& signal);
  void write_line_back(const InFlight& signal);
  void report_local_transfer(const InFlight& operation) const;
  void report_landing(const InFlight& signal, Picoseconds now);
  [[nodiscard]] bool remote(const InFlight& operation) const {
    return operation.peer != params_.device;
  }

  VectorCoreParams params_;
  const models::RelaxedParameters& relaxed_;
  const bool fenced_;
  const Probe& probe_;
  RunControl& control_;
  isa::LazyBytes local_;
  PipeSchedule pipes_;
  Agenda agenda_;
  GmPort port_;
  LateWrites late_;
  std::uint64_t set_line_bytes_;
  std::vector<std::byte> line_;  ///< that the Set under way writes back
  std::vector<std::pair<isa::GlobalAddress, std::uint64_t>> zeroed_;
  ScalarUnit scalar_;
  CauseKeeper spent_;
};

}  // namespace a2a3::sim
