// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/instruction.hpp"

namespace a2a3::isa {

enum class FetchStatus : std::uint8_t {
  instruction,  ///< `instruction` points at the next instruction
  idle,         ///< nothing to execute until another task is complete: ask again then
  done,         ///< the core has nothing left to execute
  fault,        ///< the program did something wrong; the source keeps the diagnostic
};

struct Fetch {
  FetchStatus status = FetchStatus::done;
  const Instruction* instruction = nullptr;  ///< owned by the source, valid until its next `next()`
};

/// Supplies one core with its instructions. The core fetches, the source never runs ahead of it.
///
/// Contract: `idle` comes only from a source with a TaskQueue. The value asked for by a ScalarRead
/// is in its result slot before the following next(); after `done` or `fault` every further call
/// returns the same status.
class InstructionSource {
 public:
  InstructionSource() = default;
  InstructionSource& operator=(const InstructionSource&) = delete;
  virtual ~InstructionSource() = default;

  virtual Fetch next() = 0;

 protected:
  InstructionSource(const InstructionSource&) = default;
};

}  // namespace a2a3::isa
