// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "a2a3/simulate.hpp"
#include "ir/module.hpp"

/// Programs around collectives, called in a kernel or in the host function, and their runs.
namespace a2a3::collectives {

/// A tensor of the kernel. Inputs and outputs are one per rank; windows are allocated.
struct Parameter {
  enum class Kind : std::uint8_t { in, out, window } kind = Kind::in;
  std::string name;
  std::vector<std::int64_t> shape;
  isa::DType dtype = isa::DType::fp32;
};

/// The program text; `body` is the kernel's, not indented.
[[nodiscard]] std::string program(const std::vector<Parameter>& parameters,
                                  const std::string& body);

/// A program whose host function dispatches a kernel with the body `publish` to all ranks, executes
/// `calls`, and dispatches a kernel with the body `consume`. The first kernel has the inputs and
/// the windows, the last one the outputs and the windows; `devices` are the bounds of both loops.
[[nodiscard]] std::string host_program(const std::vector<Parameter>& parameters,
                                       const std::string& publish, const std::string& calls,
                                       const std::string& consume,
                                       const std::string& devices = "pld.world_size()");

/// A kernel with this body and the chip-level function `name` that calls it. Behind the tensors
/// come the scalars `indices`.
[[nodiscard]] std::string chip_functions(const std::string& name,
                                         const std::vector<Parameter>& tensors,
                                         const std::vector<std::string>& indices,
                                         const std::string& body);
/// What a host function gives to such a function of rank r.
[[nodiscard]] std::vector<std::string> dispatch_arguments(const std::vector<Parameter>& tensors,
                                                          const std::vector<std::string>& indices);
/// A program of these functions and a host function; `host_body` is indented.
[[nodiscard]] std::string host_file(const std::vector<Parameter>& tensors,
                                    const std::string& functions, const std::string& host_body);

/// `pl.load(tensor, [row, 0], ...)` of one row of `size` elements, in a tile of whole blocks.
[[nodiscard]] std::string load_row(const std::string& tensor, const std::string& row,
                                   std::int64_t size);
/// `target = pl.store(...)` of such a row.
[[nodiscard]] std::string copy_row(const std::string& from, const std::string& from_row,
                                   const std::string& to, const std::string& to_row,
                                   std::int64_t size);

/// Element i of rank r's part of an input.
using Input = std::function<double(const std::string& name, std::int64_t rank, std::int64_t i)>;

struct ProgramRun {
  std::unique_ptr<ir::Module> module;  ///< lowered; keeps what `result` points to alive
  ir::Diagnostics diagnostics;         ///< of all steps before the run
  Result result;

  /// All diagnostics as text.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool finished() const {
    return !diagnostics.has_errors() && result.outcome == Outcome::finished;
  }
  /// Element i of rank r's part of an output.
  [[nodiscard]] double at(const std::string& output, std::int64_t rank, std::int64_t i) const;
};

/// What changes a module on its way to a run; null changes nothing.
struct Edits {
  std::function<void(ir::Module&)> checked;  ///< as the user wrote it
  std::function<void(ir::Module&)> lowered;  ///< in simple operations
};
/// Parses, elaborates, checks and lowers a text; `module` is null when it does not parse.
[[nodiscard]] ProgramRun lower(const std::string& text, std::int64_t ranks, const Edits& edits = {},
                               bool self_clearing = false);
/// The arrays of a module's inputs.
[[nodiscard]] Inputs inputs_of(const ir::Module& module, std::int64_t ranks, const Input& input,
                               const std::map<std::string, std::int64_t>& dims = {});
/// Runs what lower() gave, unless it has errors. The untimed engine checks the synchronisation.
void execute(ProgramRun& program, std::int64_t ranks, const Inputs& inputs, Engine engine,
             std::optional<std::uint64_t> seed = {});

/// All of these. `dims` binds dynamic dimensions by name, the
/// first dimension of a host tensor is the rank count. `self_clearing`: a HOST allreduce may stand
/// in a loop.
[[nodiscard]] ProgramRun run(const std::string& text, std::int64_t ranks, const Input& input,
                             Engine engine, std::optional<std::uint64_t> seed = {},
                             const std::map<std::string, std::int64_t>& dims = {},
                             bool self_clearing = false);

/// Traffic of one rank as traffic.md counts it.
struct Traffic {
  std::uint64_t received = 0;
  std::uint64_t sent = 0;
  std::uint64_t local = 0;
  std::uint64_t signals = 0;  ///< sent, and as many received
  std::uint64_t clears = 0;

  friend bool operator==(const Traffic&, const Traffic&) = default;
};
[[nodiscard]] Traffic traffic(const ProgramRun& run, std::int64_t rank);
[[nodiscard]] std::string to_string(const Traffic& traffic);

}  // namespace a2a3::collectives
