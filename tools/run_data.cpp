// SPDX-License-Identifier: Apache-2.0
#include "tools/run_data.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "a2a3/host_memory.hpp"
#include "interp/launch_plan.hpp"
#include "ir/vocabulary.hpp"
#include "models/golden.hpp"
#include "models/input_spec.hpp"

namespace a2a3::tools {
namespace {

using Parameters = std::vector<interp::HostParameter>;
using Selects = bool (*)(const interp::HostParameter&);

bool is_tensor(const interp::HostParameter& parameter) {
  return parameter.kind != ir::TypeKind::scalar;
}
bool is_input(const interp::HostParameter& parameter) {
  return is_tensor(parameter) && parameter.direction != ir::Direction::out;
}
bool is_output(const interp::HostParameter& parameter) {
  return is_tensor(parameter) && parameter.direction != ir::Direction::in;
}

const interp::HostParameter* find(const Parameters& parameters, const std::string& name,
                                  Selects selects) {
  const auto found = std::ranges::find_if(parameters, [&](const interp::HostParameter& parameter) {
    return parameter.name == name && selects(parameter);
  });
  return found == parameters.end() ? nullptr : &*found;
}

void report_unknown(const Parameters& parameters, const std::string& name,
                    const ir::SourceLocation& location, const char* what, Selects selects,
                    ir::Diagnostics& diagnostics) {
  std::vector<std::string> names;
  for (const interp::HostParameter& parameter : parameters) {
    if (selects(parameter)) names.push_back(parameter.name);
  }
  std::string message =
      fmt::format("the program has no {} '{}'{}", what, name, ir::suggestion(name, names));
  std::string list;
  for (const std::string& known : names)
    list += (list.empty() ? "" : ", ") + known;
  ir::Diagnostic& error = diagnostics.error(location, std::move(message));
  error.notes.push_back(
      {list.empty() ? fmt::format("it has no {}s", what) : fmt::format("it has {}", list), {}});
}

/// Settings that are numbers: what the names of inputs and goldens stand for.
std::map<std::string, double> numbers(const std::map<std::string, ir::Constant>& settings) {
  std::map<std::string, double> found;
  for (const auto& [name, constant] : settings) {
    if (const auto* integer = std::get_if<std::int64_t>(&constant.value)) {
      found[name] = static_cast<double>(*integer);
    } else if (const auto* real = std::get_if<double>(&constant.value)) {
      found[name] = *real;
    }
  }
  return found;
}

/// Shapes that files decide about: a dynamic dimension takes its value from them. What is wrong
/// with a file is reported when it is read as an input.
void bind_known_shapes(const RunSetup& setup, const RunOptions& options,
                       const Parameters& parameters, interp::BindOptions& bind) {
  for (const interp::HostParameter& parameter : parameters) {
    const auto spec = setup.inputs.find(parameter.name);
    if (spec == setup.inputs.end()) continue;
    auto shape = models::npy_input_shape(spec->second.text, parameter.dtype, spec->second.base_dir,
                                         options.run_limits.max_tensor_bytes);
    if (shape) bind.known_shapes[parameter.name] = *std::move(shape);
  }
}

interp::BoundSignature bind(const RunSetup& setup, const RunOptions& options) {
  interp::BindOptions bind{setup.options.ranks, setup.options.settings, {}};
  interp::BoundSignature signature = interp::bind_signature(*setup.module, bind);
  bind_known_shapes(setup, options, signature.parameters, bind);
  if (bind.known_shapes.empty()) return signature;
  return interp::bind_signature(*setup.module, bind);
}

/// True when every input could be filled.
bool fill_inputs(const RunSetup& setup, const RunOptions& options, const Parameters& parameters,
                 RunData& data, ir::Diagnostics& diagnostics) {
  bool all = true;
  for (const interp::HostParameter& parameter : parameters) {
    if (!is_input(parameter)) continue;
    const auto given = setup.inputs.find(parameter.name);
    const SpecText spec = given == setup.inputs.end()
                              ? SpecText{models::kDefaultInput, "default input", {}, {}}
                              : given->second;
    const auto source = std::make_shared<const ir::SourceFile>(spec.shown_as, spec.text);
    diagnostics.keep(source);
    auto array = models::fill_input(source, {parameter.dtype, parameter.shape},
                                    {setup.options.ranks, numbers(setup.options.settings),
                                     spec.base_dir, options.run_limits.max_tensor_bytes},
                                    diagnostics);
    all = all && array.has_value();
    if (!array) continue;
    data.inputs.emplace(parameter.name, *std::move(array));
    data.input_texts.emplace(parameter.name, spec.text);
  }
  return all;
}

void evaluate_goldens(const RunSetup& setup, const RunOptions& options,
                      const Parameters& parameters, bool inputs_right, RunData& data,
                      ir::Diagnostics& diagnostics) {
  models::GoldenScope scope{setup.options.ranks, {}, numbers(setup.options.settings)};
  for (const auto& [name, array] : data.inputs)
    scope.tensors[name] = &array;
  for (const auto& [name, spec] : setup.goldens) {
    const interp::HostParameter* output = find(parameters, name, is_output);
    if (output == nullptr) {
      report_unknown(parameters, name, spec.location, "output", is_output, diagnostics);
      continue;
    }
    const auto golden = models::Golden::parse(spec.text, spec.shown_as, diagnostics);
    if (!golden || !inputs_right) continue;
    auto value =
        golden->evaluate(scope, output->dtype, output->shape, diagnostics, options.golden_limits);
    if (value) data.expected.push_back({name, spec.text, *std::move(value)});
  }
}

}  // namespace

RunData prepare_data(const RunSetup& setup, const RunOptions& options,
                     ir::Diagnostics& diagnostics) {
  RunData data;
  interp::BoundSignature signature = bind(setup, options);
  const bool bound = !signature.diagnostics.has_errors();
  diagnostics.append(std::move(signature.diagnostics));
  if (!bound) return data;

  const Parameters& parameters = signature.parameters;
  for (const auto& [name, spec] : setup.inputs) {
    if (find(parameters, name, is_input) == nullptr) {
      report_unknown(parameters, name, spec.location, "input", is_input, diagnostics);
    }
  }
  for (const auto& [name, file] : setup.dumps) {
    if (find(parameters, name, is_tensor) == nullptr) {
      report_unknown(parameters, name, {}, "tensor", is_tensor, diagnostics);
    }
  }
  ir::Diagnostics too_large;
  check_tensor_bytes(parameters, options.run_limits.max_tensor_bytes, too_large);
  const bool fits = !too_large.has_errors();
  diagnostics.append(std::move(too_large));
  if (!fits) return data;
  const bool inputs_right = fill_inputs(setup, options, parameters, data, diagnostics);
  evaluate_goldens(setup, options, parameters, inputs_right, data, diagnostics);
  return data;
}

std::vector<GoldenCheck> check_goldens(const RunData& data, const models::Comparison& comparison,
                                       std::uint32_t ranks, const Result& result) {
  std::vector<GoldenCheck> checks;
  for (const ExpectedOutput& expected : data.expected) {
    const isa::Array& got = result.outputs.at(expected.name);
    checks.push_back({expected.name, expected.expression, comparison.text(),
                      models::compare_slices(got, expected.value, ranks, comparison)});
  }
  return checks;
}

}  // namespace a2a3::tools
