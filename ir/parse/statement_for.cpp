// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "ir/parse/statement_parser.hpp"

namespace a2a3::ir {
namespace {

struct LoopForm {
  std::string_view name;
  LoopKind kind;
};

constexpr std::array kLoopForms = {
    LoopForm{"range", LoopKind::range},         LoopForm{"parallel", LoopKind::parallel},
    LoopForm{"unroll", LoopKind::unroll},       LoopForm{"pipeline", LoopKind::pipeline},
    LoopForm{"while_", LoopKind::while_},       LoopForm{"spmd", LoopKind::spmd},
    LoopForm{"split_aiv", LoopKind::split_aiv},
};

constexpr std::string_view kMustUse =
    "For loop must use pl.range(), pl.parallel(), pl.unroll(), pl.pipeline(), pl.while_(), "
    "pl.spmd() or pl.split_aiv()";

}  // namespace

std::optional<LoopKind> StatementParser::loop_kind(const Expr& iterator) const {
  const auto* call = std::get_if<Call>(&iterator.node);
  const auto* attribute = call ? std::get_if<Attribute>(&call->callee->node) : nullptr;
  const auto* module = attribute ? std::get_if<Name>(&attribute->object->node) : nullptr;
  if (!module || module->id != "pl") return std::nullopt;
  const auto* form = std::find_if(
      kLoopForms.begin(), kLoopForms.end(),
      [attribute](const LoopForm& candidate) { return candidate.name == attribute->attribute; });
  if (form == kLoopForms.end()) return std::nullopt;
  return form->kind;
}

void StatementParser::parse_for(Block& out) {
  const std::size_t first = cursor_.position();
  cursor_.advance();
  ForTarget target = parse_for_target();
  bool ok = target.ok && expect("in");
  Tree iterator;
  if (ok) {
    iterator = parse_expression();
    ok = static_cast<bool>(iterator);
  }
  const bool is_loop = ok && check_loop(target, *iterator.expr);
  Stmt statement = make_statement(Pass{}, first);
  if (is_loop) {
    For node = make_for(std::move(target), std::move(iterator.expr));
    node.body = parse_block(true);
    statement.node = std::move(node);
  } else {
    // A loop all the same, so that its body is looked at with the names that it defines.
    While node{unparsed(statement.location), {}};
    std::vector<Name> names = std::move(target.carried);
    if (!target.index.id.empty()) names.push_back(std::move(target.index));
    for (Name& name : names) {
      node.body.push_back({Assign{{std::move(name)},
                                  {statement.location},
                                  nullptr,
                                  std::nullopt,
                                  unparsed(statement.location)},
                           statement.location});
    }
    Block body = parse_block(ok);
    std::move(body.begin(), body.end(), std::back_inserter(node.body));
    statement.node = std::move(node);
  }
  out.push_back(std::move(statement));
  refuse_loop_else(out);
}

bool StatementParser::check_loop(const ForTarget& target, const Expr& iterator) {
  const auto kind = loop_kind(iterator);
  if (!kind) {
    unsupported(iterator.location, std::string(kMustUse));
    return false;
  }
  const bool is_while = *kind == LoopKind::while_;
  if (target.in_grammar && target.index.id.empty() == is_while) return true;
  unsupported(target.location,
              is_while ? "Unsupported loop target: pl.while_() takes `(a, b)`"
                       : "Unsupported loop target: use `i`, or `i, (a, b)` with init_values");
  return false;
}

For StatementParser::make_for(ForTarget target, ExprPtr iterator) {
  For node;
  node.kind = loop_kind(*iterator).value_or(LoopKind::range);
  node.index = std::move(target.index);
  node.index_location = target.index_location;
  node.carried = std::move(target.carried);
  node.iterator = std::move(iterator);
  for (const Keyword& keyword : std::get<Call>(node.iterator->node).keywords) {
    const auto* values = std::get_if<Sequence>(&keyword.value->node);
    if (keyword.name != "init_values" || !values) continue;
    for (const ExprPtr& value : values->items)
      node.init_values.push_back(clone(value));
  }
  return node;
}

// `i`, `i, (a, b)`, `(i, (a, b))`, `(a, b)`; other targets of Python are read as lists of names.
StatementParser::ForTarget StatementParser::parse_for_target() {
  ForTarget target;
  const std::size_t first = cursor_.position();
  const bool parenthesised_pair =
      cursor_.at("(") && cursor_.at_name(1) && cursor_.is(2, ",") && cursor_.is(3, "(");
  if (parenthesised_pair) cursor_.advance();
  if (cursor_.at("(")) {
    target.in_grammar = parse_carried(target.carried);
    target.ok = target.in_grammar;
    target.index_location = cursor_.since(first);
  } else if (cursor_.at_name()) {
    target.index = Name{std::string(cursor_.text()), kNoSlot};
    target.index_location = cursor_.here();
    cursor_.advance();
    target.ok = target.in_grammar = true;
    if (cursor_.at(",") && cursor_.is(1, "(")) {
      cursor_.advance();
      target.ok = parse_carried(target.carried);
    }
    while (target.ok && cursor_.accept(",")) {
      target.in_grammar = false;
      if (!cursor_.at_name()) break;
      target.carried.push_back({std::string(cursor_.text()), kNoSlot});
      cursor_.advance();
    }
  } else {
    unexpected("a loop variable");
  }
  if (parenthesised_pair && target.ok) target.ok = expect(")");
  target.location = cursor_.since(first);
  return target;
}

bool StatementParser::parse_carried(std::vector<Name>& names) {
  cursor_.advance();
  while (!cursor_.at(")")) {
    if (!cursor_.at_name()) {
      unexpected("a name");
      return false;
    }
    names.push_back({std::string(cursor_.text()), kNoSlot});
    cursor_.advance();
    if (!cursor_.accept(",")) break;
  }
  return expect(")");
}

}  // namespace a2a3::ir
