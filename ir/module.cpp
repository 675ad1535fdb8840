// SPDX-License-Identifier: Apache-2.0
#include "ir/module.hpp"

#include "ir/fold.hpp"

namespace a2a3::ir {

const Function* Module::find(std::string_view function_name) const {
  for (const auto& function : functions) {
    if (function->name == function_name) return function.get();
  }
  return nullptr;
}

Dim Module::add_opaque(std::string text) {
  opaque_symbols.push_back({std::move(text), std::nullopt, std::nullopt});
  return Dim::symbol(Dim::kFirstOpaque + static_cast<Dim::Symbol>(opaque_symbols.size()));
}

Dim Module::quotient(const Dim& dividend, const Dim& divisor) {
  if (const auto a = dividend.constant(), b = divisor.constant(); a && b) {
    if (const auto value = divide(*a, *b, Division::floor)) return Dim(*value);
  }
  for (std::size_t i = 0; i < opaque_symbols.size(); ++i) {
    if (opaque_symbols[i].dividend == dividend && opaque_symbols[i].divisor == divisor) {
      return Dim::symbol(Dim::kFirstOpaque + 1 + static_cast<Dim::Symbol>(i));
    }
  }
  const auto operand = [this](const Dim& dim) {
    return dim.terms().size() > 1 ? "(" + describe(dim) + ")" : describe(dim);
  };
  const Dim symbol = add_opaque("(" + operand(dividend) + " // " + operand(divisor) + ")");
  opaque_symbols.back().dividend = dividend;
  opaque_symbols.back().divisor = divisor;
  return symbol;
}

std::string Module::symbol_name(Dim::Symbol symbol) const {
  if (symbol == Dim::kFirstOpaque) return "pld.world_size()";
  if (symbol > Dim::kFirstOpaque) return opaque_symbols.at(symbol - Dim::kFirstOpaque - 1).text;
  return dynamic_dims.at(symbol).name;
}

std::string Module::describe(const Type& type) const {
  return to_string(type, [this](Dim::Symbol symbol) { return symbol_name(symbol); });
}

std::string Module::describe(const Dim& dim) const {
  return dim.to_string([this](Dim::Symbol symbol) { return symbol_name(symbol); });
}

std::optional<std::int64_t> evaluate(const Module& module, const Dim& dim,
                                     const DimBindings& bindings) {
  return dim.evaluate([&](Dim::Symbol symbol) -> std::optional<std::int64_t> {
    if (symbol == Dim::kFirstOpaque) return bindings.world_size;
    if (symbol < Dim::kFirstOpaque) {
      const auto found = bindings.dims.find(symbol);
      if (found == bindings.dims.end()) return std::nullopt;
      return found->second;
    }
    const OpaqueSymbol& opaque = module.opaque_symbols.at(symbol - Dim::kFirstOpaque - 1);
    if (!opaque.dividend || !opaque.divisor) return std::nullopt;
    const auto dividend = evaluate(module, *opaque.dividend, bindings);
    const auto divisor = evaluate(module, *opaque.divisor, bindings);
    if (!dividend || !divisor) return std::nullopt;
    return divide(*dividend, *divisor, Division::floor);
  });
}

}  // namespace a2a3::ir
