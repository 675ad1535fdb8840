// SPDX-License-Identifier: Apache-2.0
#include "kernel_text.hpp"

#include <fmt/format.h>

#include "ir/check.hpp"
#include "ir/elaborate.hpp"
#include "ir/parser.hpp"
#include "ir/passes/pipeline.hpp"

namespace a2a3::interp {

std::string TextRun::text() const {
  return ir::format(diagnostics);
}

TextRun plan_text(const std::string& text, const TextOptions& options) {
  TextRun out;
  auto parsed = ir::parse_file(std::make_shared<ir::SourceFile>("kernel.py", text));
  out.diagnostics.append(std::move(parsed.diagnostics));
  if (out.diagnostics.has_errors()) return out;
  ir::ElaborateOptions elaborate;
  elaborate.entry = options.entry;
  elaborate.settings = options.settings;
  elaborate.world_size = options.ranks;
  auto elaborated = ir::elaborate(std::move(parsed.file), elaborate);
  out.diagnostics.append(std::move(elaborated.diagnostics));
  if (!elaborated.module || out.diagnostics.has_errors()) return out;
  out.module = std::move(elaborated.module);
  out.diagnostics.append(ir::check(*out.module));
  if (out.diagnostics.has_errors()) return out;
  out.diagnostics.append(ir::run_passes(*out.module));
  if (out.diagnostics.has_errors()) return out;
  BindOptions bind;
  bind.world_size = options.ranks;
  for (const auto& [name, value] : options.scalars)
    bind.settings[name] = value;
  for (const auto& [name, value] : options.dims)
    bind.settings[name] = {value};
  out.signature = bind_signature(*out.module, bind);
  out.diagnostics.append(out.signature.diagnostics);
  if (out.diagnostics.has_errors()) return out;
  PlanOptions plan = options.plan;
  plan.world_size = options.ranks;
  auto planned = plan_launch(*out.module, out.signature, plan);
  out.diagnostics.append(std::move(planned.diagnostics));
  out.plan = std::move(planned.plan);
  return out;
}

TextRun run_text(const std::string& text, const TextOptions& options) {
  TextRun out = plan_text(text, options);
  if (out.diagnostics.has_errors()) return out;
  std::vector<isa::Array> arrays;
  for (const HostParameter& parameter : out.plan.parameters) {
    isa::Array array(parameter.dtype, parameter.shape);
    for (std::int64_t i = 0; i < array.elements(); ++i) {
      array.set(i, options.input ? options.input(parameter.name, i) : static_cast<double>(i + 1));
    }
    arrays.push_back(std::move(array));
  }
  out.run = std::make_unique<KernelRun>(out.plan, options.limits);
  out.memory = make_memory(out.plan);
  copy_in(out.plan, arrays, out.memory);
  UntimedOptions untimed;
  untimed.seed = options.seed;
  const std::vector<std::span<std::byte>> memories(out.memory.begin(), out.memory.end());
  out.result = run_untimed(*out.run, memories, options.limits.local_bytes(), untimed);
  out.diagnostics.append(out.run->diagnostics());
  copy_out(out.plan, arrays, out.memory);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    out.arrays[out.plan.parameters[i].name] = std::move(arrays[i]);
  }
  return out;
}

std::string place_of(const ir::Diagnostics& diagnostics, const std::string& part) {
  for (const ir::Diagnostic& diagnostic : diagnostics.all()) {
    if (diagnostic.message.find(part) == std::string::npos) continue;
    return fmt::format("{}:{}", diagnostic.location.line, diagnostic.location.column);
  }
  return {};
}

std::string position(const std::string& text, const std::string& part, int n) {
  std::size_t at = text.find(part);
  for (int i = 1; i < n && at != std::string::npos; ++i)
    at = text.find(part, at + 1);
  if (at == std::string::npos) return "not in the text";
  std::size_t line = 1;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < at; ++i) {
    if (text[i] != '\n') continue;
    ++line;
    begin = i + 1;
  }
  return fmt::format("{}:{}", line, at - begin + 1);
}

}  // namespace a2a3::interp
