// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "ir/diagnostic.hpp"
#include "ir/module.hpp"
#include "ir/parser.hpp"
#include "ir/passes/pipeline.hpp"

namespace a2a3::tools {

/// For KernelRequest::last_pass: the program as it is written.
inline constexpr const char* kNoPass = "none";

/// Which program of which kernel file.
struct KernelRequest {
  std::string file;
  std::string entry;        ///< empty: the only one there is
  bool entry_lost = false;  ///< what names it was wrong, which was reported
  /// Reports mistakes of functions that the program does not reach, too.
  bool check_unreached = true;
  std::map<std::string, std::string> settings;
  std::map<std::string, ir::SourceLocation> setting_places;  ///< in the run file, when known
  std::uint32_t ranks = 1;
  ir::ParseLimits limits;
  ir::LoweringOptions lowering = {};
  std::int64_t vector_cores = 1;  ///< of a device of the machine: the most lanes of a collective
  std::string last_pass = {};     ///< stop behind this one, or kNoPass; empty: run all
  bool self_clearing_host_allreduce = false;
};

struct LoadedKernel {
  ir::SourceFilePtr source;
  std::unique_ptr<ir::Module> module;  ///< null when there were errors
};

/// Reads, parses, elaborates, checks and lowers a kernel file.
[[nodiscard]] LoadedKernel load_kernel(const KernelRequest& request, ir::Diagnostics& diagnostics);

}  // namespace a2a3::tools
