// SPDX-License-Identifier: Apache-2.0
#include "tools/calibration/workload.hpp"

#include "tools/calibration/workload_runs.hpp"

namespace a2a3::tools {
namespace {

/// Whether it fits the machine is checked where the operations are made.
constexpr double kMaxBytes = 1U << 30;

WorkloadKey bytes_key(const char* key) {
  return {key, models::Quantity::bytes, 4, kMaxBytes, {}};
}
WorkloadKey count_key(const char* key, double high) {
  return {key, models::Quantity::count, 1, high, {}};
}
WorkloadKey word_key(const char* key, std::vector<std::string> words) {
  return {key, {}, 0, 0, std::move(words)};
}

}  // namespace

const std::vector<Workload>& workloads() {
  static const std::vector<Workload> all = {
      {"get", {bytes_key("bytes"), bytes_key("stage")}, run_get},
      {"get_async", {bytes_key("bytes")}, run_get_async},
      {"all_to_all",
       {count_key("ranks", 64), bytes_key("bytes"), bytes_key("chunk")},
       run_all_to_all},
      {"parallel_loads",
       {count_key("cores", 1024), count_key("loads", 1e6), bytes_key("bytes")},
       run_parallel_loads},
      {"serial_transfer",
       {word_key("op", {"load", "store"}), bytes_key("bytes")},
       run_serial_transfer},
      {"dma_block",
       {word_key("op", {"read", "write"}), bytes_key("bytes"), count_key("peer", 1023),
        count_key("streams", 64)},
       run_dma_block},
      {"load", {count_key("rows", 64), bytes_key("bytes")}, run_load},
      {"operation",
       {word_key("op", vector_operations()), word_key("dtype", {"fp32", "fp16"}),
        count_key("rows", 4096), count_key("cols", 4096)},
       run_operation},
      {"matmul",
       {word_key("dtype", {"fp32", "fp16", "int8"}), count_key("m", 128), count_key("k", 128),
        count_key("n", 128)},
       run_matmul},
  };
  return all;
}

}  // namespace a2a3::tools
