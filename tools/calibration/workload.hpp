// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/config/quantity.hpp"
#include "models/machine_description.hpp"
#include "sim/observer.hpp"

namespace a2a3::tools {

/// A value that a workload takes: a number in a range, or one of several words.
struct WorkloadKey {
  std::string key;
  models::Quantity quantity = models::Quantity::count;
  double low = 0;
  double high = 0;
  std::vector<std::string> words;  ///< in place of a number; the value is the word's index
};

/// Values of a workload's keys; each key has one.
using WorkloadInput = std::map<std::string, double>;

/// What one run of a workload took, and what it moved.
struct Simulated {
  sim::Picoseconds time = 0;
  std::uint64_t bytes = 0;
};

/// A program of ours that does on the simulated machine what a published measurement did on a real
/// one.
struct Workload {
  const char* name;
  std::vector<WorkloadKey> keys;
  Simulated (*simulate)(const WorkloadInput& input, const models::MachineDescription& machine);
};

/// get: one TGET of `bytes` in a loop, through a stage of one row of `stage` bytes of fp32, without
///   the barriers that the compiler puts around a transfer.
/// get_async: one TGET_ASYNC of `bytes` and the wait for it.
/// all_to_all: one core a rank; for each of `ranks` destinations, the own one too, a notify that
///   sets a cell, then chunks of `chunk` bytes (barrier, load, flag, barrier, store, barrier) until
///   `bytes` are there; then a notify that adds to each peer, and a wait for each.
/// parallel_loads: `loads` loads of `bytes` by each of `cores` cores of one device.
/// serial_transfer: a local load or store of `bytes` with a full barrier behind it, in a loop.
/// dma_block: `bytes` read from or written to device `peer` by `streams` asynchronous transfers of
///   device 0 at once.
/// load: one local load of `rows` rows, each a DMA command, of `bytes`.
/// operation: one vector operation on tiles of `rows` x `cols`.
/// matmul: one matrix product [m, k] x [k, n].
[[nodiscard]] const std::vector<Workload>& workloads();

}  // namespace a2a3::tools
