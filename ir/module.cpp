// SPDX-License-Identifier: Apache-2.0
#include "ir/module.hpp"

#include "ir/diagnostic.hpp"
#include "ir/fold.hpp"
#include "ir/vocabulary.hpp"

namespace a2a3::ir {
namespace {

/// Elements and characters.
std::size_t size_of(const Constant& value) {
  if (const auto* text = std::get_if<std::string>(&value.value)) return text->size();
  std::size_t size = 0;
  if (const auto* list = std::get_if<ConstantList>(&value.value)) {
    for (const Constant& item : *list)
      size += 1 + size_of(item);
  }
  return size;
}

std::size_t symbols_in(const Module& module, const Dim& dim) {
  std::size_t count = 0;
  for (const auto& [monomial, coefficient] : dim.terms()) {
    for (const Dim::Symbol symbol : monomial) {
      count += symbol > Dim::kFirstOpaque
                   ? module.opaque_symbols.at(symbol - Dim::kFirstOpaque - 1).size
                   : 1;
    }
  }
  return count;
}

}  // namespace

const Function* Module::find(std::string_view function_name) const {
  for (const auto& function : functions) {
    if (function->name == function_name) return function.get();
  }
  return nullptr;
}

Dim Module::add_opaque(std::string text) {
  opaque_symbols.push_back({std::move(text), std::nullopt, std::nullopt, 1});
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
  const std::size_t size = symbols_in(*this, dividend) + symbols_in(*this, divisor);
  if (!dividend.is_known() || !divisor.is_known() || size > Dim::kMostTerms) return Dim::unknown();
  const auto operand = [this](const Dim& dim) {
    return dim.terms().size() > 1 ? "(" + describe(dim) + ")" : describe(dim);
  };
  const Dim symbol = add_opaque("(" + operand(dividend) + " // " + operand(divisor) + ")");
  opaque_symbols.back().dividend = dividend;
  opaque_symbols.back().divisor = divisor;
  opaque_symbols.back().size = size;
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

bool Module::may_copy(const Constant& value) {
  constants_size += size_of(value);
  return constants_size <= kMostConstants;
}

std::string too_many_constants() {
  return "the lists and strings that names stand for have more than " +
         std::to_string(Module::kMostConstants) + " elements and characters together";
}

std::string Module::suggest(std::string_view unknown,
                            const std::function<std::vector<std::string>()>& known) {
  return ++suggestions > kMostErrors ? std::string() : suggestion(unknown, known());
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
