// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/calibration/workload.hpp"

namespace a2a3::tools {

// One function for each row of workloads(), which says what it does.
[[nodiscard]] Simulated run_get(const WorkloadInput& input,
                                const models::MachineDescription& machine);
[[nodiscard]] Simulated run_get_async(const WorkloadInput& input,
                                      const models::MachineDescription& machine);
[[nodiscard]] Simulated run_all_to_all(const WorkloadInput& input,
                                       const models::MachineDescription& machine);
[[nodiscard]] Simulated run_parallel_loads(const WorkloadInput& input,
                                           const models::MachineDescription& machine);
[[nodiscard]] Simulated run_serial_transfer(const WorkloadInput& input,
                                            const models::MachineDescription& machine);
[[nodiscard]] Simulated run_dma_block(const WorkloadInput& input,
                                      const models::MachineDescription& machine);
[[nodiscard]] Simulated run_load(const WorkloadInput& input,
                                 const models::MachineDescription& machine);
[[nodiscard]] Simulated run_operation(const WorkloadInput& input,
                                      const models::MachineDescription& machine);
[[nodiscard]] Simulated run_matmul(const WorkloadInput& input,
                                   const models::MachineDescription& machine);

/// The words of the key `op` of `operation`.
[[nodiscard]] std::vector<std::string> vector_operations();

}  // namespace a2a3::tools
