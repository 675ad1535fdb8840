// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "ir/print/printer.hpp"
#include "ir/printer.hpp"
#include "ir/vocabulary.hpp"
#include "ir/walk.hpp"

namespace a2a3::ir {
namespace {

std::string_view decorator(FunctionKind kind) {
  switch (kind) {
    case FunctionKind::kernel:
      return "@pl.function(type=pl.FunctionType.InCore)";
    case FunctionKind::chip:
      return "@pl.function(type=pl.FunctionType.Orchestration)";
    case FunctionKind::host:
      return "@pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)";
  }
  return "@pl.function";
}

std::set<std::string> bound_names(const Function& function) {
  std::set<std::string> names = bound_names(function.body);
  for (const Parameter& parameter : function.parameters)
    names.insert(parameter.name);
  return names;
}

/// Text with the precedence of its outermost operator.
struct Written {
  std::string text;
  int precedence = kAtomPrecedence;
};

class ModulePrinter : public Printer {
 public:
  explicit ModulePrinter(const Module& module) : module_(module) {
    std::set<std::string> taken{"pl", "pld", "self", module.name};
    for (const auto& function : module.functions) {
      taken.insert(function->name);
      taken.merge(bound_names(*function));
    }
    for (const DynamicDimInfo& dim : module.dynamic_dims) {
      std::string name = dim.name;
      for (int count = 2; !taken.insert(name).second; ++count) {
        name = fmt::format("{}_{}", dim.name, count);
      }
      dim_names_.push_back(std::move(name));
    }
  }

  void print_module() {
    print_imports();
    if (!module_.dynamic_dims.empty()) end_line();
    for (std::size_t i = 0; i < dim_names_.size(); ++i) {
      line(fmt::format("{} = pl.dynamic({})", dim_names_[i], quoted(module_.dynamic_dims[i].name)));
    }
    write("\n\n");
    line("@pl.program");
    line("class " + module_.name + ":");
    const Indent indent(*this);
    if (module_.functions.empty()) line("pass");
    for (std::size_t i = 0; i < module_.functions.size(); ++i) {
      const Function& function = *module_.functions[i];
      if (i > 0) end_line();
      line(decorator(function.kind));
      bound_ = bound_names(function);
      captures_ = function.captures.get();
      print_function(function, true);
    }
  }

 protected:
  void print_name(const Name& name, const Expr& expr, int min_precedence) override {
    const auto capture = captures_->find(name.id);
    Written written{name.id, kAtomPrecedence};
    if (bound_.contains(name.id)) {
      // A variable, whatever a captured name of the same spelling may be.
    } else if (expr.constant) {
      written = constant_text(*expr.constant);
    } else if (capture != captures_->end() && capture->second.value) {
      const StaticValue& value = *capture->second.value;
      const auto* constant = std::get_if<Constant>(&value);
      written = constant ? constant_text(*constant) : dim_text(std::get<Dim>(value));
    }
    write(written.text, written.precedence, min_precedence);
  }

  void print_callee(const Call& call) override {
    const auto* name = std::get_if<Name>(&call.callee->node);
    if (name && !bound_.contains(name->id) && module_.find(name->id)) {
      write("self." + name->id);
    } else {
      Printer::print_callee(call);
    }
  }

  void print_annotation(const TypeExpr& annotation) override {
    std::set<std::string> bound = std::exchange(bound_, {});
    Printer::print_annotation(annotation);
    bound_ = std::move(bound);
  }

  std::string annotation_of(const Parameter& parameter) override {
    return type_text(parameter.type);
  }

 private:
  Written constant_text(const Constant& constant) const {
    struct Writer {
      const ModulePrinter& printer;
      Written operator()(NoneValue) const { return {"None"}; }
      Written operator()(bool value) const { return {value ? "True" : "False"}; }
      Written operator()(std::int64_t value) const {
        return {std::to_string(value), value < 0 ? kUnaryPrecedence : kNumberPrecedence};
      }
      Written operator()(double value) const {
        std::string text = float_text(value);
        const int precedence = text.starts_with('-') ? kUnaryPrecedence : kNumberPrecedence;
        return {std::move(text), precedence};
      }
      Written operator()(const std::string& value) const { return {quoted(value)}; }
      Written operator()(isa::DType value) const { return {"pl." + std::string(isa::name(value))}; }
      Written operator()(const EnumMember& value) const {
        const std::string name = value.enumeration + "." + value.member;
        const auto& names = language_constant_names();
        const bool is_in_pl = std::find(names.begin(), names.end(), "pl." + name) != names.end();
        return {(is_in_pl ? "pl." : "pld.") + name};
      }
      Written operator()(DynamicDim dim) const { return {printer.dim_names_.at(dim.id)}; }
      Written operator()(const ConstantList& list) const {
        std::string text = "[";
        for (std::size_t i = 0; i < list.size(); ++i) {
          text += (i > 0 ? ", " : "") + printer.constant_text(list[i]).text;
        }
        return {text + "]"};
      }
    };
    return std::visit(Writer{*this}, constant.value);
  }

  Written dim_text(const Dim& dim) const {
    std::string text;
    for (const auto& [monomial, coefficient] : dim.terms()) {
      std::string term;
      for (const Dim::Symbol symbol : monomial) {
        if (!term.empty()) term += " * ";
        term += symbol_text(symbol);
      }
      const auto bits = static_cast<std::uint64_t>(coefficient);
      const std::uint64_t size = coefficient < 0 ? 0 - bits : bits;
      if (term.empty()) {
        term = std::to_string(size);
      } else if (size != 1) {
        term += " * " + std::to_string(size);
      }
      if (text.empty()) {
        text = (coefficient < 0 ? "-" : "") + term;
      } else {
        text += (coefficient < 0 ? " - " : " + ") + term;
      }
    }
    if (text.empty()) return {"0", kNumberPrecedence};
    const bool is_atom = text.find(' ') == std::string::npos && text[0] != '-';
    return {std::move(text), is_atom ? kNumberPrecedence : kSumPrecedence};
  }

  std::string symbol_text(Dim::Symbol symbol) const {
    if (symbol < Dim::kFirstOpaque) return dim_names_.at(symbol);
    if (symbol > Dim::kFirstOpaque) {
      const OpaqueSymbol& opaque = module_.opaque_symbols.at(symbol - Dim::kFirstOpaque - 1);
      if (opaque.dividend && opaque.divisor) {
        return fmt::format("(({}) // ({}))", dim_text(*opaque.dividend).text,
                           dim_text(*opaque.divisor).text);
      }
    }
    return module_.symbol_name(symbol);
  }

  // What can be passed to a function; nothing for other types.
  std::string type_text(const Type& type) const {
    if (type.kind == TypeKind::scalar) {
      return fmt::format("pl.Scalar[pl.{}]", isa::name(type.dtype));
    }
    if (!type.is_tensor_like()) return "";
    std::string dims;
    for (const Dim& dim : type.shape) {
      if (dim.has_opaque_symbol()) return "";
      dims += (dims.empty() ? "" : ", ") + dim_text(dim).text;
    }
    const std::string base = fmt::format(
        "{}[[{}], pl.{}]", type.kind == TypeKind::tensor ? "pl.Tensor" : "pld.DistributedTensor",
        dims, isa::name(type.dtype));
    switch (type.direction) {
      case Direction::in:
        return base;
      case Direction::out:
        return "pl.Out[" + base + "]";
      case Direction::inout:
        return "pl.InOut[" + base + "]";
    }
    return base;
  }

  const Module& module_;
  std::vector<std::string> dim_names_;
  // Of the function that is being written.
  std::set<std::string> bound_;
  const Scope* captures_ = nullptr;
};

}  // namespace

std::string print(const Module& module) {
  ModulePrinter printer(module);
  printer.print_module();
  return printer.take();
}

}  // namespace a2a3::ir
