// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "ir/parse/file_parser.hpp"

namespace a2a3::ir {

// Up to its last decorated definition a factory is part of the program, and what it does must be
// understood. Behind it a test goes on in free Python, of which only the return matters.
Factory FileParser::parse_factory(std::size_t last_decorator) {
  harness_begin_ = last_decorator;
  allows_is_ = true;
  Factory factory;
  cursor_.advance();
  factory.location = cursor_.here();
  factory.name = std::string(cursor_.text());
  cursor_.advance();
  if (expect("(")) parse_factory_arguments(factory);
  while (!cursor_.at(TokenKind::newline) && !cursor_.at(TokenKind::end))
    cursor_.advance();
  cursor_.advance();
  if (cursor_.accept(TokenKind::indent)) parse_factory_block(factory.body);
  allows_is_ = false;
  reporting_ = Reporting::all;
  return factory;
}

void FileParser::parse_factory_arguments(Factory& factory) {
  // Annotations and defaults of a factory are Python's; a lambda may leave something behind.
  while (!cursor_.at(")") && !cursor_.at(TokenKind::newline) && !cursor_.at(TokenKind::end)) {
    if (cursor_.at_name()) {
      Factory::Argument argument{std::string(cursor_.text()), cursor_.here(), nullptr};
      cursor_.advance();
      std::size_t depth = 0;
      while (depth > 0 || !(cursor_.at("=") || cursor_.at(",") || cursor_.at(")"))) {
        if (cursor_.at(TokenKind::newline) || cursor_.at(TokenKind::end)) return;
        if (cursor_.at("(") || cursor_.at("[") || cursor_.at("{")) ++depth;
        if (cursor_.at(")") || cursor_.at("]") || cursor_.at("}")) --depth;
        cursor_.advance();
      }
      if (cursor_.accept("=")) {
        reporting_ = Reporting::syntax_only;
        argument.default_value = parse_expression().expr;
        reporting_ = Reporting::all;
      }
      constants_.insert(argument.name);
      factory.arguments.push_back(std::move(argument));
    } else if (cursor_.at("*") || cursor_.at("**")) {
      const bool takes_rest = cursor_.token(1).kind == TokenKind::name;
      cursor_.advance();
      if (takes_rest) cursor_.advance();
    } else if (!cursor_.accept("/")) {
      unexpected("a parameter name");
    }
    skip_to_next_parameter();
    cursor_.accept(",");
  }
}

// At the first statement behind an indent; takes the dedent too.
void FileParser::parse_factory_block(std::vector<FactoryStmt>& out) {
  while (!cursor_.at(TokenKind::dedent) && !cursor_.at(TokenKind::end)) {
    reporting_ = cursor_.position() > harness_begin_ ? Reporting::none : Reporting::all;
    parse_factory_statement(out);
  }
  cursor_.accept(TokenKind::dedent);
}

void FileParser::parse_factory_statement(std::vector<FactoryStmt>& out) {
  const std::size_t first = cursor_.position();
  if (cursor_.accept(TokenKind::newline) || parse_factory_definition(out)) return;
  if (cursor_.at("if")) {
    parse_factory_if(out);
    return;
  }
  if (cursor_.at("assert")) {
    parse_factory_assert(out);
  } else if (cursor_.at("raise")) {
    parse_factory_raise(out);
  } else if (cursor_.at("return")) {
    if (!parse_factory_return(out)) cursor_.rewind(first);
  } else if (at_assignment()) {
    if (!parse_factory_assignment(out)) cursor_.rewind(first);
  } else if (cursor_.at("for") || cursor_.at("while") || cursor_.at("with") || cursor_.at("try") ||
             cursor_.at("async") || at_match_statement()) {
    const std::string_view node = cursor_.at("for")     ? "For"
                                  : cursor_.at("while") ? "While"
                                  : cursor_.at("with")  ? "With"
                                  : cursor_.at("try")   ? "Try"
                                  : cursor_.at("async") ? "AsyncFor"
                                                        : "Match";
    cursor_.to_line_end();
    unsupported(cursor_.since(first),
                fmt::format("Unsupported statement type in a factory: {}", node));
  } else if (cursor_.at(TokenKind::indent)) {
    error(cursor_.here(), "unexpected indent");
    cursor_.skip_block();
    return;
  } else {
    // Calls such as print(), docstrings, imports, pass.
    const SourceLocation location = cursor_.here();
    for (ConstantDef& rebound : skip_rebinding())
      out.push_back({std::move(rebound), location});
    return;
  }
  if (!cursor_.accept(";")) cursor_.skip_statement();
}

bool FileParser::parse_factory_definition(std::vector<FactoryStmt>& out) {
  if (!cursor_.at("@") && !cursor_.at("def") && !cursor_.at("class")) return false;
  const Definition definition = look_at_definition();
  const SourceLocation location = cursor_.here();
  if (definition.is_decorated && definition.kind != Definition::Kind::other) {
    reporting_ = Reporting::all;
    allows_is_ = false;
    if (definition.kind == Definition::Kind::function) {
      out.push_back({parse_function(), location});
    } else {
      out.push_back({parse_class(), location});
    }
    allows_is_ = true;
    return true;
  }
  cursor_.rewind(definition.header);
  if (definition.is_decorated) {
    reporting_ = Reporting::all;
    unexpected("'def' or 'class' after a decorator");
  } else if (last_decorator_in_block()) {
    cursor_.to_line_end();
    unsupported(cursor_.location(definition.header, cursor_.position() - 1),
                "Unsupported factory: it defines another factory");
  }
  cursor_.skip_statement();
  return true;
}

void FileParser::parse_factory_if(std::vector<FactoryStmt>& out) {
  const std::size_t first = cursor_.position();
  cursor_.advance();
  Tree condition = parse_expression();
  if (!condition || !cursor_.at(":")) {
    if (condition) unexpected("':'");
    cursor_.skip_faulty_statement();
    while (cursor_.at("elif") || cursor_.at("else"))
      cursor_.skip_faulty_statement();
    return;
  }
  FactoryIf node{std::move(condition.expr), {}, {}};
  const SourceLocation location = cursor_.since(first);
  parse_factory_branch(node.then_body);
  if (cursor_.at("elif")) {
    const Level level(*this);
    if (too_deep("elif branches")) {
      while (cursor_.at("elif") || cursor_.at("else"))
        cursor_.skip_faulty_statement();
    } else {
      parse_factory_if(node.else_body);
    }
  } else if (cursor_.accept("else")) {
    parse_factory_branch(node.else_body);
  }
  out.push_back({std::move(node), location});
}

// From the colon on.
void FileParser::parse_factory_branch(std::vector<FactoryStmt>& out) {
  const Reporting reporting = reporting_;
  if (!expect(":")) {
    cursor_.skip_faulty_statement();
  } else if (!cursor_.accept(TokenKind::newline)) {
    parse_factory_statement(out);
  } else if (cursor_.accept(TokenKind::indent)) {
    parse_factory_block(out);
  } else {
    unexpected("an indented block");
  }
  reporting_ = reporting;
}

// A check that is not of our language rejects programs but does not change them.
void FileParser::parse_factory_assert(std::vector<FactoryStmt>& out) {
  const std::size_t first = cursor_.position();
  const Reporting reporting = std::exchange(reporting_, Reporting::none);
  cursor_.advance();
  FactoryAssert node{parse_expression().expr, nullptr};
  if (node.condition && cursor_.accept(",")) node.message = parse_expression().expr;
  reporting_ = reporting;
  if (!node.condition) return;
  out.push_back({std::move(node), cursor_.since(first)});
}

// `raise E("text")` is a check that fails where it is reached.
void FileParser::parse_factory_raise(std::vector<FactoryStmt>& out) {
  const std::size_t first = cursor_.position();
  const Reporting reporting = std::exchange(reporting_, Reporting::none);
  cursor_.advance();
  Tree raised = parse_expression();
  reporting_ = reporting;
  auto* call = raised ? std::get_if<Call>(&raised.expr->node) : nullptr;
  FactoryAssert node{std::make_unique<Expr>(), nullptr};
  node.condition->node = BoolLiteral{false};
  node.condition->location = cursor_.since(first);
  if (call && !call->args.empty()) node.message = std::move(call->args[0]);
  out.push_back({std::move(node), cursor_.since(first)});
}

bool FileParser::parse_factory_return(std::vector<FactoryStmt>& out) {
  const std::size_t first = cursor_.position();
  cursor_.advance();
  FactoryReturn node;
  if (!cursor_.at(TokenKind::newline) && !cursor_.at(";")) {
    node.value = parse_expression_list().expr;
    if (!node.value) return false;
  }
  out.push_back({std::move(node), cursor_.since(first)});
  return true;
}

bool FileParser::parse_factory_assignment(std::vector<FactoryStmt>& out) {
  const std::size_t first = cursor_.position();
  if (parse_choice(out)) return true;
  cursor_.rewind(first);
  const std::size_t errors = error_count();
  std::vector<ConstantDef> constants;
  const bool ok = parse_constants(constants);
  const SourceLocation location = cursor_.since(first);
  if (!ok) {
    if (errors == error_count()) unsupported(location, "Unsupported assignment in a factory");
    return false;
  }
  for (ConstantDef& constant : constants) {
    constants_.insert(constant.name);
    out.push_back({std::move(constant), location});
  }
  return true;
}

// `NAME = A if C else B`.
bool FileParser::parse_choice(std::vector<FactoryStmt>& out) {
  if (!cursor_.is(1, "=")) return false;
  const Reporting reporting = std::exchange(reporting_, Reporting::none);
  const std::size_t first = cursor_.position();
  ConstantDef then{std::string(cursor_.text()), cursor_.here(), nullptr};
  cursor_.advance();
  cursor_.advance();
  FactoryIf node;
  ConstantDef otherwise{then.name, then.location, nullptr};
  then.value = parse_operand().expr;
  if (then.value && cursor_.accept("if")) {
    node.condition = parse_operand().expr;
    if (node.condition && cursor_.accept("else")) otherwise.value = parse_expression().expr;
  }
  reporting_ = reporting;
  if (!otherwise.value || !cursor_.at(TokenKind::newline)) return false;
  const SourceLocation location = cursor_.since(first);
  constants_.insert(then.name);
  node.then_body.push_back({std::move(then), location});
  node.else_body.push_back({std::move(otherwise), location});
  out.push_back({std::move(node), location});
  return true;
}

}  // namespace a2a3::ir
