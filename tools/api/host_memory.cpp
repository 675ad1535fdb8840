// SPDX-License-Identifier: Apache-2.0
#include "a2a3/host_memory.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "interp/dim_binding.hpp"
#include "ir/vocabulary.hpp"

namespace a2a3 {
namespace {

std::string describe(isa::DType dtype, const std::vector<std::int64_t>& shape) {
  return fmt::format("{} [{}]", isa::name(dtype), fmt::join(shape, ", "));
}

}  // namespace

void check_tensor_bytes(const std::vector<interp::HostParameter>& parameters,
                        std::uint64_t max_bytes, ir::Diagnostics& diagnostics) {
  std::uint64_t left = max_bytes;
  for (const interp::HostParameter& parameter : parameters) {
    const auto bytes = interp::tensor_bytes(parameter.shape, parameter.dtype);
    if (!bytes || *bytes > left) {
      diagnostics.error(
          parameter.location,
          fmt::format("the tensors are larger than the {} bytes that "
                      "--max-tensor-bytes allows (up to '{}' {})",
                      max_bytes, parameter.name, describe(parameter.dtype, parameter.shape)));
      return;
    }
    left -= *bytes;
  }
}

std::vector<isa::Array> host_tensors(const std::vector<interp::HostParameter>& parameters,
                                     const Inputs& inputs, Data data,
                                     ir::Diagnostics& diagnostics) {
  std::vector<isa::Array> tensors;
  std::vector<std::string> names;
  for (const interp::HostParameter& parameter : parameters) {
    if (parameter.kind == ir::TypeKind::scalar) {
      tensors.emplace_back();
      continue;
    }
    names.push_back(parameter.name);
    const auto input = inputs.find(parameter.name);
    if (input == inputs.end()) {
      if (parameter.direction != ir::Direction::out) {
        diagnostics.error(parameter.location,
                          fmt::format("no input given for '{}'", parameter.name));
      }
      if (data == Data::full)
        tensors.emplace_back(parameter.dtype, parameter.shape);
      else
        tensors.emplace_back();
      continue;
    }
    if (input->second.dtype != parameter.dtype || input->second.shape != parameter.shape) {
      diagnostics.error(parameter.location,
                        fmt::format("input '{}' is {}, but the parameter is {}", parameter.name,
                                    describe(input->second.dtype, input->second.shape),
                                    describe(parameter.dtype, parameter.shape)));
    }
    tensors.push_back(input->second);
  }
  for (const auto& [name, array] : inputs) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      diagnostics.error(
          {}, fmt::format("the program has no input '{}'{}", name, ir::suggestion(name, names)));
    }
  }
  return tensors;
}

std::map<std::string, isa::Array> written_tensors(
    const std::vector<interp::HostParameter>& parameters, std::vector<isa::Array> tensors) {
  std::map<std::string, isa::Array> outputs;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].direction == ir::Direction::in) continue;
    outputs.emplace(parameters[i].name, std::move(tensors[i]));
  }
  return outputs;
}

}  // namespace a2a3
