// SPDX-License-Identifier: Apache-2.0
#include "ir/passes/expansion.hpp"

#include <memory>
#include <stdexcept>

#include "ir/parser.hpp"
#include "ir/walk.hpp"

namespace a2a3::ir {
namespace {

using Bindings = std::map<std::string, ExprPtr>;

/// Gives parsed statements their names, expressions and locations.
struct Instantiation {
  const std::string& prefix;
  const SourceLocation location;
  const Bindings& bound;
  const std::set<std::string>& temporaries;

  void rename(Name& name) const {
    if (temporaries.contains(name.id)) name.id = prefix + name.id;
  }

  void block(Block& statements) const {
    for (Stmt& stmt : statements) {
      stmt.location = location;
      std::visit(*this, stmt.node);
    }
  }
  void expr(const ExprPtr& pointer) const {
    if (pointer == nullptr) return;
    if (const auto* name = std::get_if<Name>(&pointer->node)) {
      if (const auto value = bound.find(name->id); value != bound.end()) {
        *pointer = std::move(*clone(*value->second));
        return;
      }
    }
    pointer->location = location;
    std::visit(*this, pointer->node);
  }
  void all(std::vector<ExprPtr>& exprs) const {
    for (const ExprPtr& item : exprs)
      expr(item);
  }

  void operator()(IntLiteral&) const {}
  void operator()(FloatLiteral&) const {}
  void operator()(StringLiteral&) const {}
  void operator()(BoolLiteral&) const {}
  void operator()(NoneLiteral&) const {}
  void operator()(Name& node) const { rename(node); }
  void operator()(Attribute& node) const { expr(node.object); }
  void operator()(Call& node) const {
    expr(node.callee);
    all(node.args);
    for (Keyword& keyword : node.keywords) {
      keyword.location = location;
      expr(keyword.value);
    }
  }
  void operator()(Unary& node) const { expr(node.operand); }
  void operator()(Binary& node) const {
    expr(node.lhs);
    expr(node.rhs);
  }
  void operator()(Compare& node) const {
    expr(node.lhs);
    expr(node.rhs);
  }
  void operator()(Logical& node) const {
    expr(node.lhs);
    expr(node.rhs);
  }
  void operator()(Sequence& node) const { all(node.items); }
  void operator()(Slice& node) const {
    expr(node.lower);
    expr(node.upper);
  }
  void operator()(Subscript& node) const {
    expr(node.object);
    all(node.indices);
  }

  void operator()(Assign& node) const {
    for (Name& name : node.names)
      rename(name);
    for (SourceLocation& at : node.name_locations)
      at = location;
    expr(node.subscript);
    expr(node.value);
  }
  void operator()(For& node) const {
    rename(node.index);
    node.index_location = location;
    expr(node.iterator);
    block(node.body);
  }
  void operator()(While& node) const {
    expr(node.condition);
    block(node.body);
  }
  void operator()(If& node) const {
    expr(node.condition);
    block(node.then_body);
    block(node.else_body);
  }
  void operator()(With& node) const {
    expr(node.manager);
    block(node.body);
  }
  void operator()(Return& node) const { expr(node.value); }
  void operator()(ExprStmt& node) const { expr(node.value); }
  void operator()(Pass&) const {}
  void operator()(Break&) const {}
  void operator()(Continue&) const {}
};

Block parsed(std::string_view text) {
  const SourceFile source("lowering", std::string(text));
  ParsedBlock result = parse_block(source);
  if (result.diagnostics.has_errors()) {
    throw std::logic_error("the text of a lowering does not parse:\n" + format(result.diagnostics));
  }
  return std::move(result.block);
}

}  // namespace

void Expansion::bind(const std::string& name, ExprPtr value) {
  bound_[name] = std::move(value);
}

void Expansion::bind(const std::string& name, std::int64_t value) {
  auto literal = std::make_unique<Expr>();
  literal->node = IntLiteral{value};
  literal->location = location_;
  bound_[name] = std::move(literal);
}

void Expansion::let(const std::string& name, ExprPtr value) {
  Assign assign;
  assign.names.push_back({temporary(name), kNoSlot});
  assign.name_locations.push_back(location_);
  assign.value = std::move(value);
  temporaries_.insert(name);
  block_.push_back({std::move(assign), location_});
}

void Expansion::add(std::string_view text) {
  Block block = parsed(text);
  temporaries_.merge(bound_names(block));
  Instantiation{prefix_, location_, bound_, temporaries_}.block(block);
  std::move(block.begin(), block.end(), std::back_inserter(block_));
}

ExprPtr Expansion::call(std::string_view text) const {
  Block block = parsed(text);
  Instantiation{prefix_, location_, bound_, temporaries_}.block(block);
  return std::move(std::get<ExprStmt>(block.at(0).node).value);
}

std::string indented(std::string_view text, int levels) {
  const std::string blanks(static_cast<std::size_t>(levels) * 4, ' ');
  std::string result;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!line.empty()) result += blanks + std::string(line);
    if (end == std::string_view::npos) break;
    result += '\n';
    text.remove_prefix(end + 1);
  }
  return result;
}

}  // namespace a2a3::ir
