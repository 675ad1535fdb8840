// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "ir/parse/expression_parser.hpp"
#include "ir/parse/literal.hpp"
#include "ir/utf8.hpp"

namespace a2a3::ir {
namespace {

struct UnsupportedAtom {
  std::string_view text;
  std::string_view message;
};

constexpr std::array kUnsupportedAtoms = {
    UnsupportedAtom{"lambda", "Unsupported expression type: Lambda"},
    UnsupportedAtom{"await", "Unsupported expression type: Await"},
    UnsupportedAtom{"yield", "Unsupported expression type: Yield; use pl.yield_()"},
    UnsupportedAtom{"*", "Unsupported expression type: Starred"},
    UnsupportedAtom{"**", "Unsupported expression type: Starred"},
    UnsupportedAtom{"...", "Unsupported expression type: Ellipsis"},
    UnsupportedAtom{"{", "Unsupported expression type: Dict or Set"},
};

}  // namespace

Tree ExpressionParser::parse_atom() {
  const std::size_t first = cursor_.position();
  switch (cursor_.token().kind) {
    case TokenKind::name:
      return parse_name();
    case TokenKind::integer:
      return parse_integer();
    case TokenKind::floating: {
      FloatLiteral literal{float_value(cursor_.text()), std::string(cursor_.text())};
      cursor_.advance();
      return make(std::move(literal), 0, first);
    }
    case TokenKind::imaginary:
      unsupported(cursor_.here(), "Unsupported literal: there are no complex numbers");
      return {};
    case TokenKind::string:
    case TokenKind::bytes:
    case TokenKind::format_string:
      return parse_strings();
    case TokenKind::op:
      if (cursor_.at("(")) return parse_parenthesised();
      if (cursor_.at("[")) return parse_list();
      break;
    case TokenKind::end:
    case TokenKind::newline:
    case TokenKind::indent:
    case TokenKind::dedent:
    case TokenKind::invalid:
      break;
  }
  if (!refuse_unsupported_atom()) unexpected("an expression");
  return {};
}

bool ExpressionParser::refuse_unsupported_atom() {
  const auto* found =
      std::find_if(kUnsupportedAtoms.begin(), kUnsupportedAtoms.end(),
                   [this](const UnsupportedAtom& atom) { return cursor_.at(atom.text); });
  if (found == kUnsupportedAtoms.end()) return false;
  unsupported(cursor_.here(), std::string(found->message));
  return true;
}

Tree ExpressionParser::parse_name() {
  const std::size_t first = cursor_.position();
  const std::string_view text = cursor_.text();
  if (text == "True" || text == "False") {
    cursor_.advance();
    return make(BoolLiteral{text == "True"}, 0, first);
  }
  if (text == "None") {
    cursor_.advance();
    return make(NoneLiteral{}, 0, first);
  }
  if (is_keyword(text)) {
    if (!refuse_unsupported_atom()) unexpected("an expression");
    return {};
  }
  cursor_.advance();
  return make(Name{std::string(text), kNoSlot}, 0, first);
}

Tree ExpressionParser::parse_integer() {
  const std::size_t first = cursor_.position();
  const auto value = integer_value(cursor_.text());
  if (!value || *value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    unsupported(cursor_.here(), "integer literal does not fit into 64 bits");
    return {};
  }
  cursor_.advance();
  return make(IntLiteral{static_cast<std::int64_t>(*value)}, 0, first);
}

Tree ExpressionParser::parse_strings() {
  const std::size_t first = cursor_.position();
  StringLiteral literal;
  while (cursor_.at(TokenKind::string)) {
    const std::string_view text = cursor_.text();
    StringValue part = string_value(text);
    if (!part.error.empty()) {
      SourceLocation location = cursor_.here();
      const std::string_view before = text.substr(0, part.error_begin);
      if (before.find_first_of("\r\n") == std::string_view::npos) {
        location.column += utf8::length(before);
        location.length = 2;
      }
      unsupported(location, part.error);
      return {};
    }
    literal.value += part.value;
    cursor_.advance();
  }
  if (cursor_.at(TokenKind::format_string)) {
    unsupported(cursor_.location(first, cursor_.position()),
                "Unsupported expression type: JoinedStr (f-string)");
    return {};
  }
  if (cursor_.at(TokenKind::bytes)) {
    unsupported(cursor_.location(first, cursor_.position()),
                "Unsupported literal: there are no bytes");
    return {};
  }
  return make(std::move(literal), 0, first);
}

Tree ExpressionParser::parse_parenthesised() {
  const std::size_t first = cursor_.position();
  cursor_.advance();
  Sequence tuple{Sequence::Kind::tuple, {}};
  std::uint32_t height = 0;
  std::size_t commas = 0;
  if (!parse_items(tuple, height, commas)) return {};
  if (tuple.items.size() == 1 && refuse_comprehension(first, "GeneratorExp")) return {};
  if (!cursor_.accept(")")) {
    unexpected(tuple.items.size() > commas ? "',' or ')'" : "')'");
    return {};
  }
  if (tuple.items.size() == 1 && commas == 0) return {std::move(tuple.items[0]), height};
  return make(std::move(tuple), height, first);
}

Tree ExpressionParser::parse_list() {
  const std::size_t first = cursor_.position();
  cursor_.advance();
  Sequence list{Sequence::Kind::list, {}};
  std::uint32_t height = 0;
  std::size_t commas = 0;
  if (!parse_items(list, height, commas)) return {};
  if (refuse_comprehension(first, "ListComp")) return {};
  if (!cursor_.accept("]")) {
    unexpected("',' or ']'");
    return {};
  }
  return make(std::move(list), height, first);
}

bool ExpressionParser::parse_items(Sequence& sequence, std::uint32_t& height, std::size_t& commas) {
  while (!cursor_.at(")") && !cursor_.at("]")) {
    Tree item = parse_expression();
    if (!item) return false;
    height = std::max(height, item.height);
    sequence.items.push_back(std::move(item.expr));
    if (!cursor_.accept(",")) break;
    ++commas;
  }
  return true;
}

bool ExpressionParser::refuse_comprehension(std::size_t first, std::string_view node) {
  if (!cursor_.at("for") && !cursor_.at("async")) return false;
  unsupported(cursor_.location(first, cursor_.position()),
              fmt::format("Unsupported expression type: {}", node));
  return true;
}

}  // namespace a2a3::ir
