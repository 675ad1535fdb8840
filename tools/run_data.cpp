// SPDX-License-Identifier: Apache-2.0
#include "tools/run_data.hpp"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "a2a3/host_memory.hpp"
#include "interp/launch_plan.hpp"
#include "ir/utf8.hpp"
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

/// A place in a specification's text as a place in the run file that holds it. A text that does not
/// stand there on one line, letter by letter, is shown as a whole.
ir::SourceLocation place_in_run_file(const SpecText& spec, const ir::SourceLocation& at) {
  const std::string_view line = spec.location.file->line(spec.location.line);
  std::size_t begin = 0;
  for (std::uint32_t column = 1; column < spec.location.column && begin < line.size(); ++column)
    begin += ir::utf8::decode(line, begin).bytes;
  const std::size_t text = line.find(spec.text, begin);
  const bool quoted = text == begin + 1;
  if (at.line != 1 || (text != begin && !quoted)) return spec.location;
  ir::SourceLocation place = spec.location;
  place.column += at.column - 1 + (quoted ? 1 : 0);
  place.length = at.length;
  return place;
}

/// Adds what is wrong with a specification, at its place in the run file when it comes from there.
void append_placed(const SpecText& spec, ir::Diagnostics found, ir::Diagnostics& diagnostics) {
  if (!spec.location.known()) return diagnostics.append(std::move(found));
  const auto place = [&spec](const ir::SourceLocation& at) {
    return at.file == nullptr ? at : place_in_run_file(spec, at);
  };
  for (const ir::Diagnostic& one : found.all()) {
    ir::Diagnostic& placed = diagnostics.error(place(one.location), one.message);
    for (const ir::Note& note : one.notes)
      placed.notes.push_back({note.message, place(note.location)});
  }
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
    ir::Diagnostics found;
    found.keep(source);
    auto array = models::fill_input(source, {parameter.dtype, parameter.shape},
                                    {setup.options.ranks, numbers(setup.options.settings),
                                     spec.base_dir, options.run_limits.max_tensor_bytes},
                                    found);
    append_placed(spec, std::move(found), diagnostics);
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
    ir::Diagnostics found;
    const auto golden = models::Golden::parse(spec.text, spec.shown_as, found);
    std::optional<isa::Array> value;
    if (golden && inputs_right) {
      value = golden->evaluate(scope, output->dtype, output->shape, found, options.golden_limits);
    }
    append_placed(spec, std::move(found), diagnostics);
    if (value) data.expected.push_back({name, spec.text, *std::move(value)});
  }
}

void evaluate_traffic(const RunSetup& setup, const Parameters& parameters, RunData& data,
                      ir::Diagnostics& diagnostics) {
  if (setup.traffic.empty()) return;
  models::ClaimScope scope{setup.options.ranks, {}, numbers(setup.options.settings)};
  for (const interp::HostParameter& parameter : parameters) {
    if (parameter.kind == ir::TypeKind::scalar) continue;
    scope.tensors[parameter.name] = {parameter.dtype, parameter.shape, is_input(parameter)};
  }
  for (const auto& [name, capture] : *setup.module->entry->captures) {
    const auto* constant = capture.value ? std::get_if<ir::Constant>(&*capture.value) : nullptr;
    const auto* number =
        constant == nullptr ? nullptr : std::get_if<std::int64_t>(&constant->value);
    if (number != nullptr) scope.values.emplace(name, static_cast<double>(*number));
  }
  data.claim = models::evaluate_claim(setup.traffic, scope, diagnostics);
}

}  // namespace

void check_golden_syntax(const RunSetup& setup, ir::Diagnostics& diagnostics) {
  for (const auto& [name, spec] : setup.goldens) {
    ir::Diagnostics found;
    (void)models::Golden::parse(spec.text, spec.shown_as, found);
    append_placed(spec, std::move(found), diagnostics);
  }
}

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
  evaluate_traffic(setup, parameters, data, diagnostics);
  return data;
}

RunData data_of_launch(const RunSetup& setup, const RunOptions& options, const RunData& first,
                       std::uint32_t launch, ir::Diagnostics& diagnostics) {
  RunData data = first;
  for (auto& [name, array] : data.inputs) {
    if (array.elements() == 0) continue;
    const auto by = static_cast<std::ptrdiff_t>(launch % array.elements()) *
                    static_cast<std::ptrdiff_t>(isa::size_of(array.dtype));
    std::rotate(array.bytes.begin(), array.bytes.begin() + by, array.bytes.end());
  }
  data.expected.clear();
  const interp::BoundSignature signature = bind(setup, options);
  evaluate_goldens(setup, options, signature.parameters, true, data, diagnostics);
  evaluate_traffic(setup, signature.parameters, data, diagnostics);
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
