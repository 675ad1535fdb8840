// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/check.hpp"
#include "ir/elaborate.hpp"
#include "ir/parser.hpp"
#include "ir/passes/pipeline.hpp"
#include "models/load_machine.hpp"

namespace a2a3::collectives {
namespace {

using Kind = Parameter::Kind;

std::string type_text(const Parameter& parameter, const std::string& leading) {
  const std::string shape = fmt::format("[{}{}]", leading, fmt::join(parameter.shape, ", "));
  switch (parameter.kind) {
    case Kind::in:
      return fmt::format("pl.Tensor[{}, pl.{}]", shape, isa::name(parameter.dtype));
    case Kind::out:
      return fmt::format("pl.Out[pl.Tensor[{}, pl.{}]]", shape, isa::name(parameter.dtype));
    case Kind::window:
      break;
  }
  return fmt::format("pl.InOut[pld.DistributedTensor[{}, pl.{}]]", shape,
                     isa::name(parameter.dtype));
}

std::string signature(const std::vector<Parameter>& parameters) {
  std::string text = "self";
  for (const Parameter& parameter : parameters)
    text += fmt::format(", {}: {}", parameter.name, type_text(parameter, ""));
  return text;
}

std::string indented(const std::string& body, std::size_t blanks) {
  std::string text;
  std::size_t begin = 0;
  while (begin < body.size()) {
    const std::size_t end = std::min(body.find('\n', begin), body.size());
    text += std::string(blanks, ' ') + body.substr(begin, end - begin) + '\n';
    begin = end + 1;
  }
  return text;
}

const models::MachineDescription& machine() {
  static const auto loaded = models::load_machine(
      std::string(A2A3_SOURCE_DIR) + "/yaml/machines/a2a3sim.yaml", A2A3_SOURCE_DIR);
  return *loaded.machine;
}

}  // namespace

std::string program(const std::vector<Parameter>& parameters, const std::string& body) {
  std::vector<std::string> names;
  std::vector<std::string> arguments;
  std::string host_signature = "self";
  std::string buffers;
  std::string views;
  for (const Parameter& parameter : parameters) {
    names.push_back(parameter.name);
    if (parameter.kind != Kind::window) {
      arguments.push_back(parameter.name + "[r]");
      host_signature += fmt::format(", {}: {}", parameter.name, type_text(parameter, "RANKS, "));
      continue;
    }
    arguments.push_back(parameter.name);
    const std::string shape = fmt::format("[{}], dtype=pl.{}", fmt::join(parameter.shape, ", "),
                                          isa::name(parameter.dtype));
    buffers +=
        fmt::format("        {0}_buf = pld.alloc_window_buffer({1})\n", parameter.name, shape);
    views += fmt::format("            {0} = pld.window({0}_buf, {1})\n", parameter.name, shape);
  }
  return fmt::format(
      "import pypto.language as pl\nimport pypto.language.distributed as pld\n\n"
      "RANKS = 1\n\n\n@pl.program\nclass Program:\n"
      "    @pl.function(type=pl.FunctionType.InCore)\n"
      "    def kernel({0}):\n{1}\n"
      "    @pl.function(type=pl.FunctionType.Orchestration)\n"
      "    def chip({0}):\n        self.kernel({2})\n\n"
      "    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)\n"
      "    def host({3}):\n{4}        for r in pl.range(pld.world_size()):\n{5}"
      "            self.chip({6}, device=r)\n",
      signature(parameters), indented(body, 8), fmt::join(names, ", "), host_signature, buffers,
      views, fmt::join(arguments, ", "));
}

std::string chip_functions(const std::string& name, const std::vector<Parameter>& tensors,
                           const std::vector<std::string>& indices, const std::string& body) {
  std::string own = signature(tensors);
  std::vector<std::string> names;
  for (const Parameter& tensor : tensors)
    names.push_back(tensor.name);
  for (const std::string& index : indices) {
    own += fmt::format(", {}: pl.Scalar[pl.INDEX]", index);
    names.push_back(index);
  }
  return fmt::format(
      "    @pl.function(type=pl.FunctionType.InCore)\n"
      "    def {0}_kernel({1}):\n{2}\n"
      "    @pl.function(type=pl.FunctionType.Orchestration)\n"
      "    def {0}({1}):\n        self.{0}_kernel({3})\n\n",
      name, own, indented(body, 8), fmt::join(names, ", "));
}

std::vector<std::string> dispatch_arguments(const std::vector<Parameter>& tensors,
                                            const std::vector<std::string>& indices) {
  std::vector<std::string> arguments;
  for (const Parameter& tensor : tensors)
    arguments.push_back(tensor.name + (tensor.kind == Kind::window ? "" : "[r]"));
  arguments.insert(arguments.end(), indices.begin(), indices.end());
  return arguments;
}

std::string host_file(const std::vector<Parameter>& tensors, const std::string& functions,
                      const std::string& host_body) {
  std::string own = "self";
  for (const Parameter& tensor : tensors) {
    if (tensor.kind != Kind::window)
      own += fmt::format(", {}: {}", tensor.name, type_text(tensor, "RANKS, "));
  }
  return fmt::format(
      "import pypto.language as pl\nimport pypto.language.distributed as pld\n\n"
      "RANKS = 1\n\n\n@pl.program\nclass Program:\n{}"
      "    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)\n"
      "    def host({}):\n{}",
      functions, own, host_body);
}

std::string host_program(const std::vector<Parameter>& parameters, const std::string& publish,
                         const std::string& calls, const std::string& consume,
                         const std::string& devices) {
  std::string windows;
  for (const Parameter& parameter : parameters) {
    if (parameter.kind != Kind::window) continue;
    const std::string shape = fmt::format("[{}], dtype=pl.{}", fmt::join(parameter.shape, ", "),
                                          isa::name(parameter.dtype));
    windows += fmt::format(
        "        {0}_buf = pld.alloc_window_buffer({1})\n        {0} = pld.window({0}_buf, {1})\n",
        parameter.name, shape);
  }
  std::string functions;
  std::map<std::string, std::string> loops;
  for (const auto& [name, body, left_out] :
       {std::tuple{"publish", publish, Kind::out}, std::tuple{"consume", consume, Kind::in}}) {
    std::vector<Parameter> own = parameters;
    std::erase_if(own, [&, left = left_out](const Parameter& one) { return one.kind == left; });
    functions += chip_functions(name, own, {}, body);
    loops[name] = fmt::format("        for r in pl.range({}):\n            self.{}({}, device=r)\n",
                              devices, name, fmt::join(dispatch_arguments(own, {}), ", "));
  }
  return host_file(parameters, functions,
                   windows + loops["publish"] + indented(calls, 8) + loops["consume"]);
}

std::string load_row(const std::string& tensor, const std::string& row, std::int64_t size) {
  return fmt::format("pl.load({}, [{}, 0], [1, {}], valid_shape=[1, {}])", tensor, row,
                     (size + 15) / 16 * 16, size);
}

std::string copy_row(const std::string& from, const std::string& from_row, const std::string& to,
                     const std::string& to_row, std::int64_t size) {
  return fmt::format("{0} = pl.store({1}, [{2}, 0], {0})\n", to, load_row(from, from_row, size),
                     to_row);
}

std::string ProgramRun::text() const {
  return ir::format(diagnostics) + ir::format(result.diagnostics);
}

double ProgramRun::at(const std::string& output, std::int64_t rank, std::int64_t i) const {
  const isa::Array& array = result.outputs.at(output);
  return array.at(rank * (array.elements() / array.shape[0]) + i);
}

ProgramRun lower(const std::string& text, std::int64_t ranks, const Edits& edits,
                 bool self_clearing) {
  ProgramRun out;
  auto parsed = ir::parse_file(std::make_shared<ir::SourceFile>("kernel.py", text));
  out.diagnostics.append(std::move(parsed.diagnostics));
  ir::ElaborateOptions elaborate;
  elaborate.world_size = ranks;
  elaborate.self_clearing_host_allreduce = self_clearing;
  elaborate.settings["RANKS"] = std::to_string(ranks);
  auto elaborated = ir::elaborate(std::move(parsed.file), elaborate);
  out.diagnostics.append(std::move(elaborated.diagnostics));
  out.module = std::move(elaborated.module);
  if (out.module == nullptr) return out;
  out.diagnostics.append(ir::check(*out.module));
  if (out.diagnostics.has_errors()) return out;
  if (edits.checked) edits.checked(*out.module);
  out.diagnostics.append(ir::run_passes(*out.module));
  if (out.diagnostics.has_errors()) return out;
  if (edits.lowered) edits.lowered(*out.module);
  return out;
}

Inputs inputs_of(const ir::Module& module, std::int64_t ranks, const Input& input,
                 const std::map<std::string, std::int64_t>& dims) {
  Inputs inputs;
  for (const ir::Parameter& parameter : module.entry->parameters) {
    if (parameter.type.direction == ir::Direction::out) continue;
    std::vector<std::int64_t> shape;
    for (const ir::Dim& dim : parameter.type.shape) {
      const auto bound = dims.find(module.describe(dim));
      shape.push_back(bound != dims.end() ? bound->second : dim.constant().value_or(ranks));
    }
    isa::Array array(parameter.type.dtype, shape);
    const std::int64_t part = array.elements() / ranks;
    for (std::int64_t i = 0; i < array.elements(); ++i)
      array.set(i, input(parameter.name, i / part, i % part));
    inputs.emplace(parameter.name, std::move(array));
  }
  return inputs;
}

void execute(ProgramRun& program, std::int64_t ranks, const Inputs& inputs, Engine engine,
             std::optional<std::uint64_t> seed) {
  if (program.module == nullptr || program.diagnostics.has_errors()) return;
  Options options;
  options.ranks = static_cast<std::uint32_t>(ranks);
  options.engine = engine;
  options.check_races = engine == Engine::untimed;  // once is enough
  options.seed = seed;
  program.result = simulate(*program.module, machine(), inputs, options);
}

ProgramRun run(const std::string& text, std::int64_t ranks, const Input& input, Engine engine,
               std::optional<std::uint64_t> seed, const std::map<std::string, std::int64_t>& dims,
               bool self_clearing) {
  ProgramRun out = lower(text, ranks, {}, self_clearing);
  if (out.module == nullptr || out.diagnostics.has_errors()) return out;
  execute(out, ranks, inputs_of(*out.module, ranks, input, dims), engine, seed);
  return out;
}

Traffic traffic(const ProgramRun& run, std::int64_t rank) {
  const sim::Traffic& counted = run.result.cost.ranks.at(static_cast<std::size_t>(rank)).traffic;
  return {counted.payload_received_bytes, counted.payload_sent_bytes, counted.local_bytes,
          counted.signals_sent, counted.clears};
}

std::string to_string(const Traffic& traffic) {
  return fmt::format("received {} sent {} local {} signals {} clears {}", traffic.received,
                     traffic.sent, traffic.local, traffic.signals, traffic.clears);
}

}  // namespace a2a3::collectives
