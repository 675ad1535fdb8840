// SPDX-License-Identifier: Apache-2.0
#include <variant>

#include <fmt/format.h>

#include "ir/print/printer.hpp"

namespace a2a3::ir {
namespace {

std::string_view name(LoopKind kind) {
  switch (kind) {
    case LoopKind::range:
      return "pl.range";
    case LoopKind::parallel:
      return "pl.parallel";
    case LoopKind::unroll:
      return "pl.unroll";
    case LoopKind::pipeline:
      return "pl.pipeline";
    case LoopKind::while_:
      return "pl.while_";
    case LoopKind::spmd:
      return "pl.spmd";
    case LoopKind::split_aiv:
      return "pl.split_aiv";
  }
  return "pl.range";
}

std::string joined(const std::vector<Name>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i > 0 ? ", " : "") + names[i].id;
  return text;
}

}  // namespace

/// One statement, from its indentation to its last newline.
struct StatementWriter {
  Printer& out;

  void operator()(const Assign& node) const {
    out.begin_line();
    if (node.subscript) {
      out.print(*node.subscript);
    } else {
      out.write(joined(node.names));
    }
    if (node.annotation) {
      out.write(": ");
      out.print_annotation(*node.annotation);
    }
    out.write(" = ");
    out.print(*node.value);
    out.end_line();
  }

  void operator()(const For& node) const {
    out.begin_line();
    out.write("for ");
    out.write(node.index.id);
    if (!node.index.id.empty() && !node.carried.empty()) out.write(", ");
    if (!node.carried.empty() || node.index.id.empty()) {
      out.write(fmt::format("({}{})", joined(node.carried), node.carried.size() == 1 ? "," : ""));
    }
    out.write(" in ");
    print_iterator(node);
    out.write(":\n");
    out.print_block(node.body);
  }

  void operator()(const While& node) const {
    header("while ", node.condition);
    out.print_block(node.body);
  }

  void operator()(const If& node) const {
    header("if ", node.condition);
    out.print_block(node.then_body);
    print_else(node);
  }

  void operator()(const With& node) const {
    out.begin_line();
    out.write("with ");
    out.print(*node.manager);
    if (node.as) out.write(" as " + node.as->id);
    out.write(":\n");
    out.print_block(node.body);
  }

  void operator()(const Return& node) const {
    out.begin_line();
    out.write("return");
    if (node.value) {
      out.write(" ");
      const auto* tuple = std::get_if<Sequence>(&node.value->node);
      if (tuple && tuple->kind == Sequence::Kind::tuple && tuple->items.size() > 1) {
        out.print_list(tuple->items);
      } else {
        out.print(*node.value);
      }
    }
    out.end_line();
  }

  void operator()(const ExprStmt& node) const {
    out.begin_line();
    out.print(*node.value);
    out.end_line();
  }

  void operator()(const Pass&) const { out.line("pass"); }
  void operator()(const Break&) const { out.line("break"); }
  void operator()(const Continue&) const { out.line("continue"); }

  void header(std::string_view keyword, const ExprPtr& condition) const {
    out.begin_line();
    out.write(keyword);
    out.print(*condition);
    out.write(":\n");
  }

  void print_else(const If& node) const {
    if (node.else_body.empty()) return;
    const auto* chained = std::get_if<If>(&node.else_body[0].node);
    if (node.is_elif_chain && chained && node.else_body.size() == 1) {
      header("elif ", chained->condition);
      out.print_block(chained->then_body);
      print_else(*chained);
      return;
    }
    out.line("else:");
    out.print_block(node.else_body);
  }

  // As written, or from what the checker or a pass has made of it.
  void print_iterator(const For& node) const {
    if (!node.stop) {
      out.print(*node.iterator);
      return;
    }
    out.write(name(node.kind));
    out.write("(");
    if (node.start || node.step) {
      if (node.start) {
        out.print(*node.start);
      } else {
        out.write("0");
      }
      out.write(", ");
    }
    out.print(*node.stop);
    if (node.step) {
      out.write(", ");
      out.print(*node.step);
    }
    print_keywords(node);
    out.write(")");
  }

  void print_keywords(const For& node) const {
    const auto* call = node.iterator ? std::get_if<Call>(&node.iterator->node) : nullptr;
    bool writes_init_values = !node.init_values.empty();
    const auto init_values = [&] {
      out.write(", init_values=(");
      out.print_list(node.init_values);
      out.write(node.init_values.size() == 1 ? ",)" : ")");
      writes_init_values = false;
    };
    if (call) {
      for (const Keyword& keyword : call->keywords) {
        if (keyword.name == "init_values" && writes_init_values) {
          init_values();
        } else if (keyword.name != "start" && keyword.name != "stop" && keyword.name != "step") {
          out.write(", " + keyword.name + "=");
          out.print(*keyword.value);
        }
      }
    }
    if (writes_init_values) init_values();
  }
};

void Printer::print_block(const Block& block) {
  const Indent indent(*this);
  if (block.empty()) line("pass");
  for (const Stmt& statement : block)
    std::visit(StatementWriter{*this}, statement.node);
}

void Printer::line(std::string_view text) {
  begin_line();
  write(text);
  end_line();
}

void Printer::print_annotation(const TypeExpr& annotation) {
  print(*annotation.expr);
}

}  // namespace a2a3::ir
