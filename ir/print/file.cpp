// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "ir/print/printer.hpp"
#include "ir/printer.hpp"

namespace a2a3::ir {
namespace {

// A longer function header is written with one parameter a line.
constexpr std::size_t kHeaderColumns = 100;

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
}

}  // namespace

std::string print(const File& file) {
  Printer printer;
  printer.print(file);
  return printer.take();
}

std::string print(const Expr& expr) {
  Printer printer;
  printer.print(expr);
  return printer.take();
}

void Printer::print_imports() {
  line("import pypto.language as pl");
  line("import pypto.language.distributed as pld");
}

void Printer::print(const File& file) {
  print_imports();
  bool after_constant = false;
  for (std::size_t i = 0; i < file.items.size(); ++i) {
    const bool is_constant = std::holds_alternative<ConstantDef>(file.items[i]);
    write(is_constant && after_constant ? "" : is_constant && i == 0 ? "\n" : "\n\n");
    std::visit([this](const auto& item) { print(item); }, file.items[i]);
    after_constant = is_constant;
  }
}

void Printer::print(const ConstantDef& constant) {
  if (constant.value == nullptr) return line("del " + constant.name);
  begin_line();
  write(constant.name + " = ");
  print(*constant.value);
  end_line();
}

void Printer::print_decorators(const std::vector<Decorator>& decorators) {
  for (const Decorator& decorator : decorators) {
    begin_line();
    write("@" + decorator.name);
    if (!decorator.keywords.empty()) {
      write("(");
      for (std::size_t i = 0; i < decorator.keywords.size(); ++i) {
        if (i > 0) write(", ");
        write(decorator.keywords[i].name + "=");
        print(*decorator.keywords[i].value);
      }
      write(")");
    }
    end_line();
  }
}

void Printer::print(const ParsedFunction& function) {
  print_decorators(function.decorators);
  print_function(function.function, false);
}

void Printer::print(const ParsedClass& parsed) {
  line("@pl.program");
  line("class " + parsed.name + ":");
  const Indent indent(*this);
  print_docstring(parsed.docstring);
  if (parsed.methods.empty()) line("pass");
  for (std::size_t i = 0; i < parsed.methods.size(); ++i) {
    if (i > 0 || !parsed.docstring.empty()) end_line();
    print(parsed.methods[i]);
  }
}

std::string Printer::annotation_of(const Parameter&) {
  return "";
}

// The header with its parameters put apart by `separator`.
std::string Printer::header(const Function& function, bool with_self, std::string_view separator) {
  std::string saved = std::exchange(out_, {});
  const std::string_view gap = separator.empty() ? ", " : separator;
  write("def " + function.name + "(");
  write(separator);
  bool is_first = true;
  const auto begin_parameter = [&] {
    if (!is_first) {
      if (!separator.empty()) write(",");
      write(gap);
    }
    is_first = false;
  };
  if (with_self) {
    begin_parameter();
    write("self");
  }
  for (const Parameter& parameter : function.parameters) {
    begin_parameter();
    write(parameter.name);
    const std::string type = annotation_of(parameter);
    if (parameter.annotation) {
      write(": ");
      print_annotation(*parameter.annotation);
    } else if (!type.empty()) {
      write(": " + type);
    }
  }
  if (!separator.empty()) {
    write(",");
    write(separator.substr(0, separator.size() - 4));
  }
  write(")");
  if (function.result_annotation) {
    write(" -> ");
    print_annotation(*function.result_annotation);
  }
  write(":");
  return std::exchange(out_, std::move(saved));
}

void Printer::print_function(const Function& function, bool with_self) {
  std::string text = header(function, with_self, "");
  const bool has_parameters = with_self || !function.parameters.empty();
  if (4 * indent_ + text.size() > kHeaderColumns && has_parameters) {
    text = header(function, with_self, "\n" + std::string(4 * indent_ + 4, ' '));
  }
  line(text);
  if (!function.docstring.empty()) {
    const Indent indent(*this);
    print_docstring(function.docstring);
    if (function.body.empty()) return;
  }
  print_block(function.body);
}

void Printer::print_docstring(const std::string& text) {
  if (text.empty()) return;
  begin_line();
  write("\"\"\"");
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool joins_quotes = text[i] == '"' && (i + 1 == text.size() || text[i + 1] == '"');
    if (text[i] == '\\' || joins_quotes) write("\\");
    if (is_control(text[i])) {
      write(fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i])));
    } else {
      write(std::string_view(&text[i], 1));
    }
  }
  write("\"\"\"\n");
}

/// One statement of a factory.
struct FactoryWriter {
  Printer& out;

  void operator()(const ConstantDef& node) const { out.print(node); }
  void operator()(const FactoryIf& node) const {
    out.begin_line();
    out.write("if ");
    out.print(*node.condition);
    out.write(":\n");
    out.print(node.then_body);
    if (node.else_body.empty()) return;
    out.line("else:");
    out.print(node.else_body);
  }
  void operator()(const FactoryAssert& node) const {
    out.begin_line();
    out.write("assert ");
    out.print(*node.condition);
    if (node.message) {
      out.write(", ");
      out.print(*node.message);
    }
    out.end_line();
  }
  void operator()(const FactoryReturn& node) const {
    out.begin_line();
    out.write("return");
    if (node.value) {
      out.write(" ");
      out.print(*node.value);
    }
    out.end_line();
  }
  void operator()(const ParsedClass& node) const { out.print(node); }
  void operator()(const ParsedFunction& node) const { out.print(node); }
};

void Printer::print(const std::vector<FactoryStmt>& body) {
  const Indent indent(*this);
  if (body.empty()) line("pass");
  bool after_definition = false;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const auto& node = body[i].node;
    const bool is_definition =
        std::holds_alternative<ParsedClass>(node) || std::holds_alternative<ParsedFunction>(node);
    if (i > 0 && (is_definition || after_definition)) end_line();
    std::visit(FactoryWriter{*this}, node);
    after_definition = is_definition;
  }
}

void Printer::print(const Factory& factory) {
  begin_line();
  write("def " + factory.name + "(");
  bool after_default = false;
  bool keyword_only = false;
  for (std::size_t i = 0; i < factory.arguments.size(); ++i) {
    const Factory::Argument& argument = factory.arguments[i];
    if (i > 0) write(", ");
    // Behind a default value Python has arguments without one only as keywords.
    if (after_default && !argument.default_value && !keyword_only) {
      write("*, ");
      keyword_only = true;
    }
    write(argument.name);
    if (argument.default_value) {
      write("=");
      print(*argument.default_value);
      after_default = true;
    }
  }
  write("):\n");
  print(factory.body);
}

}  // namespace a2a3::ir
