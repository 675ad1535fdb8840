// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "a2a3/result.hpp"
#include "ir/module.hpp"
#include "isa/array.hpp"
#include "models/machine_description.hpp"
#include "sim/observer.hpp"

namespace a2a3 {

enum class Engine : std::uint8_t {
  timed,   ///< the SystemC machine
  untimed  ///< the reference executor: same result, no times, nothing counted
};

enum class Data : std::uint8_t {
  full,
  /// Timed engine: same times and traffic, but no payload moves and no output comes out. Inputs
  /// need a dtype and a shape, no bytes. A kernel that reads data faults (Result::needs_data).
  none
};

/// So many let a mesh allreduce of 64 MiB on 256 devices pass, whose cores execute some 3 million
/// each, and end a loop that never ends in seconds on a few devices.
inline constexpr std::uint64_t kInstructionsPerDevice = 4'000'000;

/// Bounds on what a run may use; exceeding one is an error that names the program's option.
struct Limits {
  /// --max-instructions, all cores together; absent: kInstructionsPerDevice for each rank
  std::optional<std::uint64_t> max_instructions;
  std::uint64_t max_steps = 1'000'000'000;     ///< --max-steps, scalar steps of one core
  std::uint64_t max_host_steps = 100'000'000;  ///< --max-host-steps
  /// --max-tensor-bytes: all tensors of the host function together
  std::uint64_t max_tensor_bytes = std::uint64_t{4} << 30;
  std::uint64_t max_explain_records = 5'000'000;  ///< --max-explain-records, of 60 bytes each
  /// --max-race-records: what each of the run's checks remembers, about a hundred bytes each
  std::uint64_t max_race_records = 10'000'000;
  /// --max-signal-records: waits, and the notifies they counted, that Result::signals has
  std::uint64_t max_signal_records = 100'000;
};

struct Options {
  std::uint32_t ranks = 1;
  Engine engine = Engine::timed;
  Data data = Data::full;
  /// Values of dynamic dimensions and of the host function's scalar parameters by name. Other
  /// dimensions follow from the inputs' shapes or are `ranks`; every scalar needs one.
  std::map<std::string, ir::Constant> settings;
  /// Rank r is at this physical position of the machine; empty: at position r. Anything else than
  /// one position for each rank, all different, is an error.
  std::vector<std::uint32_t> positions;
  /// Rank r starts this much later than the machine's own launch skew makes it.
  std::map<std::uint32_t, sim::Picoseconds> skew;
  /// Untimed engine: absent, the cores take turns; else each step's core is drawn with this seed.
  /// Relaxed machine, either engine: goes over the machine's own seed.
  std::optional<std::uint64_t> seed;
  /// Look for accesses that nothing orders. The timed engine leaves this to the untimed one, on the
  /// same inputs, before its own run.
  bool check_races = true;
  /// What the windows hold at the start, left by another run of the same program; null: zeros.
  const WindowContents* windows = nullptr;
  bool explain = false;       ///< timed engine: return where the time went
  bool keep_windows = false;  ///< return what they hold at the end
  /// Return which notifies satisfied which wait. Takes `check_races` and Data::full: the untimed
  /// engine records it while it checks.
  bool record_signals = false;
  /// Return what the run did for nothing. Takes the same.
  bool hints = false;
  /// Which windows of the plan somebody reads after the run: `hints` calls nothing in them unread.
  /// Absent: all with keep_windows, otherwise none.
  std::optional<std::set<std::size_t>> windows_read;
  Limits limits;
  /// More observers for the timed machine, kept alive by the caller. They never change time.
  std::vector<sim::Observer*> observers;
};

/// One array per In and InOut parameter of the entry, by name: all ranks together, as the host
/// function declares it.
using Inputs = std::map<std::string, isa::Array>;

/// Runs a module that ir::check accepted on a machine: binds dimensions, lays out memory, runs
/// every core and collects what came out. Nothing is read or written outside of the arguments.
/// Wrong input, faults of the kernel and deadlocks are outcomes; exceptions are faults of ours.
[[nodiscard]] Result simulate(const ir::Module& module, const models::MachineDescription& machine,
                              const Inputs& inputs, const Options& options = {});

}  // namespace a2a3
