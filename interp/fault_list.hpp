// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/diagnostic.hpp"

namespace a2a3::interp {

/// Whose program a fault ended.
struct FaultPlace {
  std::string kernel;
  std::uint32_t device = 0;
  bool has_rank = false;  ///< a kernel without windows does not know its rank
  std::uint32_t rank = 0;
  std::uint32_t ranks = 0;
  std::uint32_t block = 0;
  std::uint32_t blocks = 1;  ///< of the launch
  ir::SourceLocation call;   ///< of the kernel
};

/// The faults of a run. What several devices run into at one place of one kernel is one fault.
class FaultList {
 public:
  void add(ir::Diagnostic fault, const FaultPlace& place);
  /// One error for each, with a note that names the kernel, all devices and
  /// the blocks of a pl.spmd launch.
  void append_to(ir::Diagnostics& diagnostics) const;

 private:
  struct Fault {
    ir::Diagnostic diagnostic;  ///< of the first device
    FaultPlace place;           ///< of the first device
    std::vector<std::uint32_t> devices;
    std::vector<std::uint32_t> ranks;
    std::vector<std::uint32_t> blocks;
    bool alike = true;  ///< in the same words on all devices
  };

  std::vector<Fault> faults_;
};

}  // namespace a2a3::interp
