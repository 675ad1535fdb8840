// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "isa/instruction_source.hpp"
#include "isa/task_queue.hpp"
#include "models/machine_description.hpp"
#include "models/topology.hpp"
#include "sim/causes.hpp"
#include "sim/observer.hpp"

namespace a2a3::sim {

/// One core that has work.
struct CoreProgram {
  std::uint32_t device = 0;
  std::uint32_t core = 0;
  isa::InstructionSource* source = nullptr;
  Picoseconds start = 0;  ///< launch skew
};

struct BlockedCore {
  std::uint32_t device = 0;
  std::uint32_t core = 0;
  isa::SourceId source = 0;
  isa::TWait wait;
  std::int32_t value = 0;  ///< the cell's value at the end
  Picoseconds since = 0;
  bool deferred = false;  ///< not the core but a task that it has ended waits
};

enum class Outcome : std::uint8_t { finished, deadlock, fault, event_limit, data_needed };

struct RunReport {
  Outcome outcome = Outcome::finished;
  Picoseconds end = 0;               ///< when the last core finished; on deadlock, of everything
  std::vector<BlockedCore> blocked;  ///< on deadlock, ordered by device and core
  isa::SourceId data_needed = 0;     ///< by whom, when the outcome says so
  std::uint64_t instructions = 0;
  std::vector<Picoseconds> core_end;  ///< by CoreProgram index; of a blocked core, `end`
};

/// What one directed link carried. After a finished run as much was received as sent. Its ends are
/// devices, or number of devices + position where none of the run's devices is.
struct LinkReport {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t payload_sent_bytes = 0;
  std::uint64_t payload_received_bytes = 0;
  std::uint64_t header_bytes = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  Picoseconds busy = 0;
  std::uint64_t peak_queue = 0;  ///< most messages that used or wanted the link at once
  models::LinkRates rates{};
};

struct RunLimits {
  std::uint64_t max_instructions = 10'000'000'000;
};

/// A simulated machine, wired and ready. Owns a SystemC context of its own, so that any number of
/// machines can live in one process one after the other (not in several threads).
class Machine {
 public:
  /// `gm_bytes[d]` is how much of device d's global memory is in use; its size is the device count.
  /// `tasks` deals tasks to the programs' cores, device by device; null: every core runs its source
  /// alone. `positions[d]` is where on the network device d is; empty: at position d.
  Machine(const models::MachineDescription& description, const std::vector<std::uint64_t>& gm_bytes,
          std::vector<CoreProgram> programs, isa::TaskQueue* tasks = nullptr,
          std::vector<std::uint32_t> positions = {});
  ~Machine();

  /// Untimed access by the host before and after the run.
  void write_gm(isa::GlobalAddress address, std::span<const std::byte> source);
  void read_gm(isa::GlobalAddress address, std::span<std::byte> destination) const;
  /// Before the run: these bytes are zeroed when the first core of the device starts, whatever
  /// others wrote there by then.
  void zero_at_start(isa::GlobalAddress address, std::uint64_t bytes);

  /// Before run(): payload takes its time and is counted, but no byte of it moves; signals and
  /// scalar accesses are real. A program that asks for a value which only payload could give ends
  /// with Outcome::data_needed.
  void leave_out_data();
  /// In such a run: the host would have written something here.
  void forget_gm(isa::GlobalAddress address, std::uint64_t bytes);

  void attach(Observer& observer);  ///< before run(); the caller keeps it alive
  /// One at most, before run().
  void attach_causes(CauseObserver& observer);
  /// Runs the programs to their end, once. Throws std::exception for faults of the machine itself:
  /// an access outside of global memory, an error or warning of SystemC.
  [[nodiscard]] RunReport run(const RunLimits& limits = {});
  /// The links that carried anything, ordered by source and destination.
  [[nodiscard]] std::vector<LinkReport> links() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace a2a3::sim
