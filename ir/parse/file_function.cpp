// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "ir/parse/file_parser.hpp"
#include "ir/parse/literal.hpp"

namespace a2a3::ir {
namespace {

/// A worker of the host is free Python; its body is not read.
bool is_sub_worker(const std::vector<Decorator>& decorators) {
  const auto says_so = [](const Keyword& keyword) {
    const auto* role = std::get_if<Attribute>(&keyword.value->node);
    return keyword.name == "role" && role && role->attribute == "SubWorker";
  };
  return std::any_of(decorators.begin(), decorators.end(), [&](const Decorator& decorator) {
    return std::any_of(decorator.keywords.begin(), decorator.keywords.end(), says_so);
  });
}

}  // namespace

std::vector<Decorator> FileParser::parse_decorators() {
  std::vector<Decorator> decorators;
  while (cursor_.at("@")) {
    if (!at_our_decorator(cursor_)) {
      cursor_.skip_line();
      continue;
    }
    if (auto decorator = parse_decorator()) decorators.push_back(std::move(*decorator));
    cursor_.skip_line();
  }
  return decorators;
}

std::optional<Decorator> FileParser::parse_decorator() {
  const std::size_t first = cursor_.position();
  cursor_.advance();
  Decorator decorator;
  decorator.name = std::string(cursor_.text());
  cursor_.advance();
  while (cursor_.accept(".")) {
    if (!cursor_.at_name()) {
      unexpected("a name after '.'");
      return decorator;
    }
    decorator.name += "." + std::string(cursor_.text());
    cursor_.advance();
  }
  decorator.location = cursor_.since(first);
  if (cursor_.at("(")) {
    // Arguments are read as those of a call.
    cursor_.rewind(cursor_.position() - 1);
    Tree tree = parse_expression();
    auto* call = tree ? std::get_if<Call>(&tree.expr->node) : nullptr;
    if (!call) return decorator;
    if (!call->args.empty()) {
      unsupported(call->args[0]->location,
                  fmt::format("decorator {} takes keyword arguments only", decorator.name));
      return decorator;
    }
    decorator.keywords = std::move(call->keywords);
  }
  if (!cursor_.at(TokenKind::newline)) unexpected("end of line");
  return decorator;
}

ParsedFunction FileParser::parse_function() {
  ParsedFunction parsed;
  parsed.decorators = parse_decorators();
  cursor_.advance();
  parsed.function.location = cursor_.here();
  bool ok = cursor_.at_name();
  if (ok) {
    parsed.function.name = std::string(cursor_.text());
    cursor_.advance();
  } else {
    unexpected("a function name");
  }
  ok = ok && expect("(") && parse_parameters(parsed);
  if (ok && cursor_.accept("->")) {
    if (ExprPtr result = parse_annotation()) {
      parsed.function.result_annotation = TypeExpr{std::move(result)};
    } else {
      ok = false;
    }
  }
  parse_body(parsed, ok);
  return parsed;
}

bool FileParser::parse_parameters(ParsedFunction& parsed) {
  parsed.has_self = cursor_.at("self");
  while (!cursor_.at(")")) {
    if (cursor_.at(TokenKind::newline) || cursor_.at(TokenKind::end) ||
        cursor_.at(TokenKind::invalid)) {
      unexpected("')'");
      return false;
    }
    parse_parameter(parsed);
    if (!cursor_.at(")") && !cursor_.accept(",")) {
      unexpected("',' or ')'");
      skip_to_next_parameter();
      cursor_.accept(",");
    }
  }
  cursor_.advance();
  return true;
}

void FileParser::parse_parameter(ParsedFunction& parsed) {
  const std::size_t first = cursor_.position();
  if (!cursor_.at_name()) {
    if (cursor_.at("*") || cursor_.at("/") || cursor_.at("**")) {
      unsupported(cursor_.here(), "Unsupported parameter: a kernel has plain parameters only");
    } else {
      unexpected("a parameter name");
    }
    skip_to_next_parameter();
    return;
  }
  Parameter parameter;
  parameter.name = std::string(cursor_.text());
  parameter.location = cursor_.here();
  cursor_.advance();
  auto& known = parsed.function.parameters;
  // Longer lists than this are no program, and the search below stays cheap.
  constexpr std::size_t kMostParameters = 1024;
  if (known.size() == kMostParameters) {
    error(parameter.location, fmt::format("a function has at most {} parameters", kMostParameters));
  }
  if (known.size() >= kMostParameters) {
    skip_to_next_parameter();
    return;
  }
  const bool repeated = std::any_of(known.begin(), known.end(), [&](const Parameter& other) {
    return other.name == parameter.name;
  });
  if (repeated) {
    error(parameter.location,
          fmt::format("duplicate argument '{}' in function definition", parameter.name));
  }
  bool ok = true;
  if (cursor_.accept(":")) {
    ExprPtr annotation = parse_annotation();
    ok = annotation != nullptr;
    if (ok) parameter.annotation = TypeExpr{std::move(annotation)};
  }
  if (ok && cursor_.at("=")) {
    unsupported(
        cursor_.location(first, cursor_.position()),
        fmt::format("Unsupported parameter: '{}' of a kernel has a default value", parameter.name));
    ok = false;
  }
  if (!ok) skip_to_next_parameter();
  if (!repeated) known.push_back(std::move(parameter));
}

// Moves to the comma or bracket that ends a faulty parameter.
void FileParser::skip_to_next_parameter() {
  std::size_t depth = 0;
  for (; !cursor_.at(TokenKind::newline) && !cursor_.at(TokenKind::end); cursor_.advance()) {
    if (depth == 0 && (cursor_.at(",") || cursor_.at(")"))) return;
    if (cursor_.at("(") || cursor_.at("[") || cursor_.at("{")) ++depth;
    if (depth > 0 && (cursor_.at(")") || cursor_.at("]") || cursor_.at("}"))) --depth;
  }
}

void FileParser::parse_body(ParsedFunction& parsed, bool header_ok) {
  Function& function = parsed.function;
  if (is_sub_worker(parsed.decorators)) {
    cursor_.skip_statement();
    return;
  }
  if (header_ok && cursor_.at(":") && cursor_.token(1).kind == TokenKind::newline &&
      cursor_.token(2).kind == TokenKind::indent) {
    const std::size_t colon = cursor_.position();
    for (int i = 0; i < 3; ++i)
      cursor_.advance();
    function.docstring = parse_docstring();
    cursor_.rewind(colon);
  }
  function.body = parse_block(header_ok);
}

// The text of the string that the block at the cursor starts with; empty when there is none.
std::string FileParser::parse_docstring() {
  TokenCursor ahead = cursor_;
  while (ahead.accept(TokenKind::string)) {
  }
  if (!cursor_.at(TokenKind::string) || !ahead.at(TokenKind::newline)) return "";
  std::string text;
  for (TokenCursor part = cursor_; part.at(TokenKind::string); part.advance()) {
    text += string_value(part.text()).value;
  }
  return text;
}

ParsedClass FileParser::parse_class() {
  ParsedClass parsed;
  for (const Decorator& decorator : parse_decorators()) {
    if (decorator.name != "pl.program") {
      unsupported(decorator.location,
                  fmt::format("decorator {} does not apply to a class", decorator.name));
    } else if (!decorator.keywords.empty()) {
      unsupported(decorator.keywords[0].location, "decorator pl.program takes no arguments");
    }
  }
  cursor_.advance();
  parsed.location = cursor_.here();
  bool ok = cursor_.at_name();
  if (ok) {
    parsed.name = std::string(cursor_.text());
    cursor_.advance();
  } else {
    unexpected("a class name");
  }
  if (ok && cursor_.accept("(") && !cursor_.accept(")")) {
    unsupported(cursor_.here(), "Unsupported class: a @pl.program class has no bases");
    ok = false;
  }
  if (ok && !cursor_.accept(":")) {
    unexpected("':'");
    ok = false;
  }
  if (ok && !cursor_.at(TokenKind::newline)) {
    unexpected("end of line");
    ok = false;
  }
  cursor_.skip_line();
  if (!cursor_.accept(TokenKind::indent)) {
    if (ok) unexpected("an indented block");
    return parsed;
  }
  parsed.docstring = parse_docstring();
  while (!cursor_.at(TokenKind::dedent) && !cursor_.at(TokenKind::end))
    parse_class_item(parsed);
  cursor_.accept(TokenKind::dedent);
  return parsed;
}

void FileParser::parse_class_item(ParsedClass& parsed) {
  const std::size_t first = cursor_.position();
  if (cursor_.at("@") || cursor_.at("def")) {
    const Definition definition = look_at_definition();
    if (definition.kind == Definition::Kind::function && definition.is_decorated) {
      parsed.methods.push_back(parse_function());
      return;
    }
    cursor_.rewind(definition.header);
    cursor_.to_line_end();
    unsupported(cursor_.location(definition.header, cursor_.position() - 1),
                "Unsupported class member: a method of a @pl.program class needs @pl.function");
    cursor_.skip_faulty_statement();
    return;
  }
  if (cursor_.at(TokenKind::string) || cursor_.at("pass")) {
    cursor_.skip_faulty_statement();
    return;
  }
  if (cursor_.at(TokenKind::indent)) {
    error(cursor_.here(), "unexpected indent");
    cursor_.skip_block();
    return;
  }
  if (cursor_.at(TokenKind::invalid)) {
    cursor_.skip_faulty_statement();
    return;
  }
  cursor_.to_line_end();
  unsupported(cursor_.since(first),
              "Unsupported class member: a @pl.program class consists of methods");
  cursor_.skip_faulty_statement();
}

}  // namespace a2a3::ir
