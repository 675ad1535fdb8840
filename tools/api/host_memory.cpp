// SPDX-License-Identifier: Apache-2.0
#include "a2a3/host_memory.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/vocabulary.hpp"

namespace a2a3 {
namespace {

std::string describe(isa::DType dtype, const std::vector<std::int64_t>& shape) {
  return fmt::format("{} [{}]", isa::name(dtype), fmt::join(shape, ", "));
}

}  // namespace

std::vector<isa::Array> host_tensors(const std::vector<interp::HostParameter>& parameters,
                                     const Inputs& inputs, ir::Diagnostics& diagnostics) {
  std::vector<isa::Array> tensors;
  std::vector<std::string> names;
  for (const interp::HostParameter& parameter : parameters) {
    names.push_back(parameter.name);
    const auto input = inputs.find(parameter.name);
    if (input == inputs.end()) {
      if (parameter.direction != ir::Direction::out) {
        diagnostics.error(parameter.location,
                          fmt::format("no input given for '{}'", parameter.name));
      }
      tensors.emplace_back(parameter.dtype, parameter.shape);
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
