// SPDX-License-Identifier: Apache-2.0
#include "tools/run_data.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "a2a3/host_memory.hpp"
#include "interp/id_list.hpp"
#include "interp/launch_plan.hpp"
#include "ir/vocabulary.hpp"
#include "models/golden.hpp"
#include "models/input_spec.hpp"
#include "tools/placed_diagnostics.hpp"
#include "tools/reduction_uses.hpp"
#include "tools/window_dump.hpp"

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

std::optional<isa::Array> fill(const RunSetup& setup, const RunOptions& options,
                               const interp::HostParameter& parameter, const SpecText& spec,
                               ir::Diagnostics& diagnostics) {
  return models::fill_input(std::make_shared<const ir::SourceFile>(spec.shown_as, spec.text),
                            {parameter.dtype, parameter.shape},
                            {setup.options.ranks, numbers(setup.options.settings), spec.base_dir,
                             options.run_limits.max_tensor_bytes},
                            diagnostics);
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
    if (setup.options.data == Data::none) {
      isa::Array shape_only;
      shape_only.dtype = parameter.dtype;
      shape_only.shape = parameter.shape;
      data.inputs.emplace(parameter.name, std::move(shape_only));
      data.input_texts.emplace(parameter.name, spec.text);
      continue;
    }
    ir::Diagnostics found;
    auto array = fill(setup, options, parameter, spec, found);
    append_placed(spec, std::move(found), diagnostics);
    all = all && array.has_value();
    if (!array) continue;
    data.inputs.emplace(parameter.name, *std::move(array));
    data.input_texts.emplace(parameter.name, spec.text);
  }
  return all;
}

/// What one output must be.
class GoldenReader {
 public:
  GoldenReader(const RunSetup& setup, const RunOptions& options, const RunData& data)
      : setup_(setup),
        options_(options),
        uses_(reduction_uses(*setup.module, data.claim)),
        claim_is_wrong_(!setup.traffic.empty() && !data.claim) {
    scope_.ranks = setup.options.ranks;
    scope_.settings = numbers(setup.options.settings);
    for (const auto& [name, array] : data.inputs)
      scope_.tensors[name] = &array;
  }

  std::optional<ExpectedOutput> read(const interp::HostParameter& output, const SpecText& spec,
                                     bool inputs_right, ir::Diagnostics& diagnostics) {
    const auto own = setup_.comparisons.find(output.name);
    ExpectedOutput expected{
        output.name,
        spec.text,
        {},
        own == setup_.comparisons.end() ? setup_.comparison : own->second.comparison};
    std::optional<isa::Array> value;
    if (models::npy_file(spec.text, spec.base_dir)) {
      value = from_file(output, spec, diagnostics);
    } else if (const auto golden = models::Golden::parse(spec.text, spec.shown_as, diagnostics)) {
      if (!inputs_right || !choose_order(*golden, output, expected.comparison, diagnostics)) {
        return std::nullopt;
      }
      value =
          golden->evaluate(scope_, output.dtype, output.shape, diagnostics, options_.golden_limits);
    }
    if (!value) return std::nullopt;
    expected.value = *std::move(value);
    return expected;
  }

 private:
  std::optional<isa::Array> from_file(const interp::HostParameter& output, const SpecText& spec,
                                      ir::Diagnostics& diagnostics) {
    if (options_.launches == 1) return fill(setup_, options_, output, spec, diagnostics);
    diagnostics.error({},
                      fmt::format("{}: a file holds the result of one launch, and every launch "
                                  "has inputs of its own: with --launches {} give an expression",
                                  spec.shown_as, options_.launches));
    return std::nullopt;
  }

  /// False when sums are to be replayed and it is not known how.
  bool choose_order(const models::Golden& golden, const interp::HostParameter& output,
                    models::Comparison& comparison, ir::Diagnostics& diagnostics) {
    scope_.order.reset();
    const bool replays =
        comparison.mode == models::Comparison::Mode::replay && isa::is_float(output.dtype);
    const auto sum = golden.first_sum();
    if (!replays || !sum) return true;
    if (claim_is_wrong_) return false;  // its error is enough
    scope_.order =
        models::choose_reduction_order(uses_, comparison.order, output.dtype, *sum, diagnostics);
    if (scope_.order) comparison.order = scope_.order->schedule;
    return scope_.order.has_value();
  }

  const RunSetup& setup_;
  const RunOptions& options_;
  std::vector<models::ReductionUse> uses_;
  bool claim_is_wrong_;
  models::GoldenScope scope_;
};

void evaluate_goldens(const RunSetup& setup, const RunOptions& options,
                      const Parameters& parameters, bool inputs_right, RunData& data,
                      ir::Diagnostics& diagnostics) {
  if (!options.check_goldens || setup.options.data == Data::none) return;
  for (const auto& [name, compared] : setup.comparisons) {
    if (find(parameters, name, is_output) == nullptr) {
      report_unknown(parameters, name, compared.location, "output", is_output, diagnostics);
    }
  }
  GoldenReader reader(setup, options, data);
  for (const auto& [name, spec] : setup.goldens) {
    const interp::HostParameter* output = find(parameters, name, is_output);
    if (output == nullptr) {
      report_unknown(parameters, name, spec.location, "output", is_output, diagnostics);
      continue;
    }
    ir::Diagnostics found;
    auto expected = reader.read(*output, spec, inputs_right, found);
    append_placed(spec, std::move(found), diagnostics);
    if (expected) data.expected.push_back(*std::move(expected));
  }
}

/// A setting gives every tensor so many parts as the run has no ranks: most likely the program was
/// made for another number of devices.
void warn_of_parts(const RunSetup& setup, const Parameters& parameters,
                   ir::Diagnostics& diagnostics) {
  std::optional<std::int64_t> parts;
  for (const interp::HostParameter& parameter : parameters) {
    if (!is_tensor(parameter)) continue;
    if (parameter.shape.empty() || parts.value_or(parameter.shape[0]) != parameter.shape[0]) return;
    parts = parameter.shape[0];
  }
  if (!parts || *parts == static_cast<std::int64_t>(setup.options.ranks)) return;
  for (const auto& [name, value] : numbers(setup.options.settings)) {
    if (value != static_cast<double>(*parts)) continue;
    diagnostics.warning(
        {}, fmt::format("{0} = {1}, and the tensors of the host function have {1} parts, but the "
                        "run has {2} devices: set {0} to {2}, or choose {1} devices with -d",
                        name, *parts, setup.options.ranks));
    return;
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

/// Every name of --dump is a tensor of the host function or a window. Those windows.
std::set<std::size_t> check_dumps(const RunSetup& setup, const interp::BoundSignature& signature,
                                  const RunOptions& options, ir::Diagnostics& diagnostics) {
  std::set<std::size_t> windows;
  std::optional<interp::PlanResult> planned;
  for (const auto& [name, file] : setup.dumps) {
    if (find(signature.parameters, name, is_tensor) != nullptr) continue;
    if (!planned) {
      planned = interp::plan_launch(
          *setup.module, signature,
          {setup.options.ranks, models::kMaxMemoryBytes, options.run_limits.max_host_steps});
    }
    if (planned->diagnostics.has_errors()) break;  // the run says so
    if (const auto window = find_window(planned->plan, name)) {
      windows.insert(window->window);
      continue;
    }
    std::vector<std::string> tensors;
    for (const interp::HostParameter& parameter : signature.parameters) {
      if (is_tensor(parameter)) tensors.push_back(parameter.name);
    }
    std::vector<std::string> known = tensors;
    std::ranges::copy(window_names(planned->plan), std::back_inserter(known));
    ir::Diagnostic& error =
        diagnostics.error({}, fmt::format("--dump {}: the program has no tensor or window '{}'{}",
                                          name, name, ir::suggestion(name, known)));
    const std::vector<std::string> described = describe_windows(planned->plan);
    error.notes.push_back({fmt::format("its tensors: {}", fmt::join(tensors, ", ")), {}});
    error.notes.push_back({described.empty()
                               ? "it has no windows"
                               : fmt::format("its windows: {}", fmt::join(described, ", ")),
                           {}});
  }
  return windows;
}

/// Where a difference that is only rounding may come from.
std::optional<ir::Diagnostic> rounding_note(const GoldenCheck& check, const Result& result) {
  const auto is_rounding = &models::SliceMismatch::is_rounding;
  if (!result.float_adds || std::ranges::none_of(check.mismatches, is_rounding))
    return std::nullopt;
  const SharedFloatAdds& adds = *result.float_adds;
  return ir::Diagnostic{
      ir::Severity::note,
      adds.location,
      fmt::format(
          "{} add to the same floats, {} of rank {} for one: such a sum rounds in the order "
          "in which the adds land",
          interp::rank_list(adds.ranks), adds.place, adds.owner),
      {{"where nothing orders them that changes with the timing, and no golden has it: compare "
        "with a "
        "tolerance, "
        "or add whole numbers",
        {}}}};
}

}  // namespace

void check_golden_syntax(const RunSetup& setup, ir::Diagnostics& diagnostics) {
  for (const auto& [name, spec] : setup.goldens) {
    if (models::npy_file(spec.text, spec.base_dir)) continue;
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
  data.dumped_windows = check_dumps(setup, signature, options, diagnostics);
  ir::Diagnostics too_large;
  check_tensor_bytes(parameters, options.run_limits.max_tensor_bytes, too_large);
  data.over_limit = too_large.has_errors();
  diagnostics.append(std::move(too_large));
  if (data.over_limit) return data;
  warn_of_parts(setup, parameters, diagnostics);
  const bool inputs_right = fill_inputs(setup, options, parameters, data, diagnostics);
  evaluate_traffic(setup, parameters, data, diagnostics);
  evaluate_goldens(setup, options, parameters, inputs_right, data, diagnostics);
  return data;
}

RunData data_of_launch(const RunSetup& setup, const RunOptions& options, const RunData& first,
                       std::uint32_t launch, ir::Diagnostics& diagnostics) {
  RunData data = first;
  for (auto& [name, array] : data.inputs) {
    if (array.bytes.empty()) continue;
    const auto by = static_cast<std::ptrdiff_t>(launch % array.elements()) *
                    static_cast<std::ptrdiff_t>(isa::size_of(array.dtype));
    std::rotate(array.bytes.begin(), array.bytes.begin() + by, array.bytes.end());
  }
  data.expected.clear();
  const interp::BoundSignature signature = bind(setup, options);
  evaluate_traffic(setup, signature.parameters, data, diagnostics);
  evaluate_goldens(setup, options, signature.parameters, true, data, diagnostics);
  return data;
}

std::vector<GoldenCheck> check_goldens(const RunData& data, std::uint32_t ranks,
                                       const Result& result) {
  std::vector<GoldenCheck> checks;
  for (const ExpectedOutput& expected : data.expected) {
    const isa::Array& got = result.outputs.at(expected.name);
    GoldenCheck& check = checks.emplace_back(
        GoldenCheck{expected.name, expected.expression, expected.comparison.text(),
                    models::compare_slices(got, expected.value, ranks, expected.comparison)});
    check.note = rounding_note(check, result);
  }
  return checks;
}

}  // namespace a2a3::tools
