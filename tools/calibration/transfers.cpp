// SPDX-License-Identifier: Apache-2.0
// Workloads that move data.
#include <algorithm>
#include <memory>

#include "isa/transfer_plan.hpp"
#include "tools/calibration/operands.hpp"
#include "tools/calibration/program.hpp"
#include "tools/calibration/workload_runs.hpp"

namespace a2a3::tools {
namespace {

std::uint64_t number(const WorkloadInput& input, const char* key) {
  return static_cast<std::uint64_t>(input.at(key));
}

/// What one more turn of a loop takes.
template <class TimeOfTurns>
sim::Picoseconds time_of_turn(TimeOfTurns time_of_turns) {
  return time_of_turns(2) - time_of_turns(1);
}

/// The chunks of a transfer without the first and the last step, the compiler's barriers.
class InnerSteps {
 public:
  explicit InnerSteps(const isa::TGet& get) : plan_(get) {
    const isa::TransferCounts counts = plan_.counts();
    left_ = counts.loads + counts.stores + counts.barriers - 2;
    isa::Operation open;
    plan_.next(open);
  }
  bool next(isa::Operation& step) { return left_-- > 0 && plan_.next(step); }

 private:
  isa::TransferPlan plan_;
  std::int64_t left_ = 0;
};

}  // namespace

Simulated run_get(const WorkloadInput& input, const models::MachineDescription& machine) {
  const std::uint64_t bytes = number(input, "bytes");
  const std::uint64_t stage = std::min(number(input, "stage"), bytes);
  const isa::TGet get{gm_row(0, 0, bytes), gm_row(1, 0, bytes), row_tile(stage), {}};
  const auto turns = [&](int count) {
    auto steps = std::make_shared<InnerSteps>(get);
    const MadeProgram program{.make = [=](std::uint64_t, isa::Operation& step) mutable {
      if (steps->next(step)) return true;
      if (--count == 0) return false;
      steps = std::make_shared<InnerSteps>(get);
      return steps->next(step);
    }};
    return time_of({program}, {bytes, bytes}, machine);
  };
  return {time_of_turn(turns), bytes};
}

Simulated run_get_async(const WorkloadInput& input, const models::MachineDescription& machine) {
  const std::uint64_t bytes = number(input, "bytes");
  const MadeProgram program =
      program_of({isa::TGetAsync{gm_row(0, 0, bytes), gm_row(1, 0, bytes), 0}, isa::TWaitEvent{0}});
  return {time_of({program}, {bytes, bytes}, machine), bytes};
}

Simulated run_dma_block(const WorkloadInput& input, const models::MachineDescription& machine) {
  const bool read = input.at("op") == 0;
  const std::uint64_t bytes = number(input, "bytes");
  const std::uint64_t streams = number(input, "streams");
  const auto peer = static_cast<std::uint32_t>(number(input, "peer"));
  std::vector<isa::Operation> operations;
  for (std::uint64_t i = 0; i < streams; ++i) {
    const std::uint64_t from = bytes / 4 * i / streams * 4;
    const std::uint64_t part = bytes / 4 * (i + 1) / streams * 4 - from;
    if (read)
      operations.push_back(isa::TGetAsync{gm_row(0, from, part), gm_row(peer, from, part), 0});
    else
      operations.push_back(isa::TPutAsync{gm_row(peer, from, part), gm_row(0, from, part), 0});
  }
  operations.push_back(isa::TWaitEvent{0});
  const std::vector<std::uint64_t> memories(peer + 1, bytes);
  return {time_of({program_of(operations)}, memories, machine), bytes};
}

Simulated run_serial_transfer(const WorkloadInput& input,
                              const models::MachineDescription& machine) {
  const bool load = input.at("op") == 0;
  const std::uint64_t bytes = number(input, "bytes");
  const isa::GmBox box = gm_row(0, 0, bytes);
  const isa::Tile tile = row_tile(bytes);
  const isa::Operation transfer =
      load ? isa::Operation(isa::TLoad{box, tile}) : isa::Operation(isa::TStore{tile, box});
  const auto turns = [&](int count) {
    std::vector<isa::Operation> operations;
    for (int i = 0; i < count; ++i) {
      operations.push_back(transfer);
      operations.push_back(isa::PipeBarrier{});
    }
    return time_of({program_of(operations)}, {bytes}, machine);
  };
  return {time_of_turn(turns), bytes};
}

Simulated run_parallel_loads(const WorkloadInput& input,
                             const models::MachineDescription& machine) {
  const std::uint64_t cores = number(input, "cores");
  const std::uint64_t loads = number(input, "loads");
  const std::uint64_t bytes = number(input, "bytes");
  // As many tiles as fit, up to what can be under way at once, so that loads overlap.
  constexpr std::uint64_t kMaxTiles = 64;
  const std::uint64_t tile_bytes = (bytes + 31) / 32 * 32;
  const std::uint64_t tiles =
      std::clamp<std::uint64_t>(machine.core.ub_bytes / tile_bytes, 1, kMaxTiles);
  std::vector<MadeProgram> programs;
  for (std::uint64_t core = 0; core < cores; ++core) {
    const std::uint64_t base = core * loads * bytes;
    programs.push_back({.core = static_cast<std::uint32_t>(core),
                        .make = [=](std::uint64_t index, isa::Operation& operation) {
                          if (index == loads) return false;
                          const std::uint64_t at = index % tiles * tile_bytes;
                          operation = isa::TLoad{gm_row(0, base + index * bytes, bytes),
                                                 row_tile(bytes, static_cast<std::uint32_t>(at))};
                          return true;
                        }});
  }
  const std::uint64_t all = cores * loads * bytes;
  return {time_of(programs, {all}, machine), all};
}

Simulated run_all_to_all(const WorkloadInput& input, const models::MachineDescription& machine) {
  const std::uint64_t ranks = number(input, "ranks");
  const std::uint64_t bytes = number(input, "bytes");
  const std::uint64_t chunk = std::min(number(input, "chunk"), bytes);
  const std::uint64_t chunks = (bytes + chunk - 1) / chunk;
  const std::uint64_t steps = 1 + 5 * chunks;  // for one destination
  // The slots of what a rank sends, of what it receives, and its cells: one to be set, one to be
  // added to.
  const std::uint64_t received = ranks * bytes;
  const std::uint64_t cells = 2 * received;
  const auto cell = [=](std::uint64_t rank, std::uint64_t number) {
    return isa::GlobalAddress{static_cast<std::uint32_t>(rank), cells + 4 * number};
  };
  std::vector<MadeProgram> programs;
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    const auto own = static_cast<std::uint32_t>(rank);
    programs.push_back({.device = own, .make = [=](std::uint64_t index, isa::Operation& operation) {
                          if (index < ranks * steps) {
                            const std::uint64_t to = (rank + index / steps) % ranks;
                            const std::uint64_t step = index % steps;
                            if (step == 0) {
                              operation = isa::TNotify{cell(to, rank), 1, isa::NotifyOp::set};
                              return true;
                            }
                            const std::uint64_t at = (step - 1) / 5 * chunk;
                            const std::uint64_t size = std::min(chunk, bytes - at);
                            const isa::Tile tile = row_tile(size);
                            if ((step - 1) % 5 == 1)
                              operation = isa::TLoad{gm_row(own, to * bytes + at, size), tile};
                            else if ((step - 1) % 5 == 3)
                              operation = isa::TStore{tile,
                                                      gm_row(static_cast<std::uint32_t>(to),
                                                             received + rank * bytes + at, size),
                                                      false, true};
                            else
                              operation = isa::PipeBarrier{.after_flag = (step - 1) % 5 == 2};
                            return true;
                          }
                          const std::uint64_t rest = index - ranks * steps;
                          if (rest >= 2 * (ranks - 1)) return false;
                          const std::uint64_t peer = (rank + 1 + rest % (ranks - 1)) % ranks;
                          if (rest < ranks - 1)
                            operation = isa::TNotify{cell(peer, ranks + rank), 1};
                          else
                            operation = isa::TWait{cell(rank, ranks + peer), 1};
                          return true;
                        }});
  }
  const std::vector<std::uint64_t> gm_bytes(ranks, cells + 8 * ranks);
  return {time_of(programs, gm_bytes, machine), ranks * ranks * bytes};
}

}  // namespace a2a3::tools
