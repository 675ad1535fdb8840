// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "property/collectives/program.hpp"

/// Random kernels made of collectives, their text and what they must give.
namespace a2a3::collectives {

enum class Act : std::uint8_t {
  stage,   ///< copies the input into the own window
  add,     ///< adds the input to the own window, row by row
  record,  ///< copies the own window to the next rows of its output
  barrier,
  broadcast,
  mesh,
  ring,
  allgather,
  reduce_scatter,
  all_to_all,
  all_to_all_v,
  record_counts,  ///< copies recv_counts of the window to the next rows of its output
  for_loop,
  while_loop,
  branch,   ///< the last one of kernels
  publish,  ///< copies the own window to what a host function sends: `src`, `one` and `send`
  dispatch  ///< of a kernel with this body to all ranks
};
inline constexpr std::size_t kKernelActs = static_cast<std::size_t>(Act::branch) + 1;

enum class Reduce : std::uint8_t { sum, max, min, prod };

/// True on every rank or on none.
struct Condition {
  bool reads_flag = true;  ///< flags[index] > bound, else index of the innermost loop > bound
  std::int64_t index = 0;
  std::int64_t bound = 0;
};

/// The signals of HOST collectives. Launches that share one, or a data window, run in order.
enum class HostSignal : std::uint8_t {
  flat,      ///< [P], of all collectives but some allreduces
  column,    ///< the same buffer as [P, 1]
  other,     ///< [P]
  lanes,     ///< [P, 4], a column for each core
  ring,      ///< [2(P-1) + 1, P]
  automatic  ///< none: it is made for the call
};
inline constexpr std::int64_t kLanes = 4;

struct Statement {
  Act act = Act::barrier;
  std::size_t window = 0;
  std::size_t signal = 0;  ///< of the mesh windows, or of the ring windows
  bool on_host = false;
  HostSignal host_signal = HostSignal::flat;
  std::int64_t cores = 1;  ///< core_num of a HOST allreduce
  Reduce op = Reduce::sum;
  std::int64_t root = 0;
  bool rebinds = false;        ///< `w = pld.tensor...(w, ...)`
  std::int64_t first_row = 0;  ///< of a record, in its output
  std::int64_t trips = 0;      ///< most rounds of a loop
  std::int64_t flag = -1;      ///< a while loop's rounds are flags[flag]; -1: always `trips`
  Condition condition;
  std::vector<Statement> body;
  std::vector<Statement> otherwise;
};

/// A window with its inputs: `x` [1, cols] and `a` [rows, cols] of the same dtype. A window of
/// ranks * capacity rows can take all_to_all_v, one of `ranks` rows the other exchanges too. What
/// is published for HOST exchanges stands in the windows `src` [rows, cols], `one` [1, cols] and
/// `send` [ranks, 1], which holds `counts`.
struct DataWindow {
  isa::DType dtype = isa::DType::fp32;
  std::int64_t rows = 1;
  std::int64_t cols = 1;
  bool takes_counts = false;         ///< all_to_all_v is called on it
  bool published = false;            ///< in some kernel
  std::int64_t recorded = 0;         ///< rows of its output
  std::int64_t counts_recorded = 0;  ///< rows of the output of its recv_counts
};

struct RandomProgram {
  std::uint64_t seed = 0;
  std::int64_t ranks = 1;
  std::vector<DataWindow> windows;
  std::size_t mesh_signals = 1;
  std::size_t ring_signals = 0;
  bool on_host = false;        ///< the statements are those of a host function
  bool self_clearing = false;  ///< needs --host-allreduce=self-clearing
  std::vector<std::int64_t> flags;
  std::vector<Statement> statements;

  [[nodiscard]] std::int64_t ring_rows() const { return ranks == 1 ? 1 : 2 * (ranks - 1); }
};

/// The same program for the same seed, on every machine. Its synchronisation is complete: whatever
/// order the cores run in, the result is the same.
[[nodiscard]] RandomProgram random_program(std::uint64_t seed);
/// A program of 2 or 3 ranks that has few interleavings.
[[nodiscard]] RandomProgram small_random_program(std::uint64_t seed);
/// The same of a host function with kernels and HOST collectives in loops.
[[nodiscard]] RandomProgram random_host_program(std::uint64_t seed);

/// The kernel file.
[[nodiscard]] std::string text(const RandomProgram& program);

/// Element i of rank r's part of an input of the file.
[[nodiscard]] double input(const RandomProgram& program, const std::string& name, std::int64_t rank,
                           std::int64_t i);

/// What every output must hold, per rank, by name; NaN where the program writes nothing. Sums are
/// taken in the order of kernel_language.md 4.6 and rounded after every step. The cells of all
/// signal windows are zero.
using Expected = std::map<std::string, std::vector<std::vector<double>>>;
[[nodiscard]] Expected interpret(const RandomProgram& program);

}  // namespace a2a3::collectives
