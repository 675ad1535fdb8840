// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "a2a3/simulate.hpp"
#include "interp/launch_plan.hpp"
#include "ir/diagnostic.hpp"
#include "isa/array.hpp"

namespace a2a3 {

/// An error when the parameters are larger than --max-tensor-bytes allows.
void check_tensor_bytes(const std::vector<interp::HostParameter>& parameters,
                        std::uint64_t max_bytes, ir::Diagnostics& diagnostics);

/// The host function's tensors: one array per bound parameter, in order. Inputs are copied in,
/// outputs start as zeros; with Data::none no array has bytes. Reports inputs that are missing,
/// unknown, or of another shape or dtype.
[[nodiscard]] std::vector<isa::Array> host_tensors(
    const std::vector<interp::HostParameter>& parameters, const Inputs& inputs, Data data,
    ir::Diagnostics& diagnostics);

/// The tensors that the run may have written, by parameter name.
[[nodiscard]] std::map<std::string, isa::Array> written_tensors(
    const std::vector<interp::HostParameter>& parameters, std::vector<isa::Array> tensors);

}  // namespace a2a3
