// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "a2a3/simulate.hpp"
#include "models/golden.hpp"
#include "tools/option_values.hpp"

namespace a2a3::tools {

/// --host-allreduce: what a HOST allreduce with a signal leaves in it (kernel_language 5).
inline constexpr const char* kSingleUse = "single-use";
inline constexpr const char* kSelfClearing = "self-clearing";

/// --data: whether payload moves. With `auto`, not unless the kernel reads it.
inline constexpr const char* kFullData = "full";
inline constexpr const char* kNoData = "none";
inline constexpr const char* kAutoData = "auto";

/// --memory: what goes over the machine's `memory.order`.
inline constexpr const char* kOrdered = "ordered";
inline constexpr const char* kRelaxed = "relaxed";

/// --max-file-bytes and --max-nesting, for every text file that a command reads.
struct FileLimits {
  std::optional<std::uint64_t> max_file_bytes;
  std::optional<std::uint32_t> max_nesting;

  /// The limits of one kind of file with these over them.
  template <typename Limits>
  [[nodiscard]] Limits of(Limits limits) const {
    if (max_file_bytes) limits.max_file_bytes = *max_file_bytes;
    if (max_nesting) limits.max_nesting = *max_nesting;
    return limits;
  }
};

/// The options of `run` as they stand on the command line.
struct RunOptions {
  std::string file;
  std::string platform = "a2a3sim";
  std::string devices = "0,1";
  std::string memory;  ///< ordered or relaxed; empty: as the machine says
  std::string mode;
  std::string entry;
  std::string host_allreduce = kSingleUse;
  bool check_whole_file = false;      ///< `lower` and `diff`: functions of other programs too
  std::string last_pass;              ///< `lower` and `diff`: stop behind it; empty: run all
  std::vector<std::string> settings;  ///< NAME=VALUE
  std::vector<std::string> inputs;    ///< name: specification
  std::vector<std::string> goldens;   ///< name: expression
  std::string compare;                ///< of all outputs; empty: as the run file says
  std::vector<std::string> output_compares;  ///< name: comparison
  std::vector<std::string> traffic;          ///< a schedule, or quantity: formula
  std::vector<std::string> dumps;            ///< name=file
  std::string json;
  std::vector<std::string> skews;  ///< rank=R:TIME
  std::string engine = "timed";    ///< or "untimed"
  std::optional<std::uint64_t> seed;
  std::string data = kFullData;
  std::uint32_t launches = 1;
  bool persistent = false;    ///< windows keep their contents from launch to launch
  bool check_goldens = true;  ///< false: no golden is computed, time and traffic only
  bool check_traffic = true;  ///< false: what is claimed of the traffic is compared with nothing
  bool explain = false;       ///< say where the time went
  bool no_race_check = false;
  bool hints = false;    ///< say what the run did for nothing
  bool signals = false;  ///< say which notifies satisfied which wait
  bool quiet = false;
  bool print_plan = false;

  std::uint32_t max_devices = kDefaultMaxDevices;
  FileLimits files;
  models::GoldenLimits golden_limits;
  Limits run_limits;
};

}  // namespace a2a3::tools
