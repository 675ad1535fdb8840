// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "ir/parse/expression_parser.hpp"

namespace a2a3::ir {

Tree ExpressionParser::parse_postfix() {
  const std::size_t first = cursor_.position();
  Tree tree = parse_atom();
  while (tree) {
    if (cursor_.at(".")) {
      tree = parse_attribute(std::move(tree), first);
    } else if (cursor_.at("(")) {
      tree = parse_call(std::move(tree), first);
    } else if (cursor_.at("[")) {
      tree = parse_subscript(std::move(tree), first);
    } else {
      break;
    }
  }
  return tree;
}

Tree ExpressionParser::parse_attribute(Tree object, std::size_t first) {
  cursor_.advance();
  if (!cursor_.at_name()) {
    unexpected("a name after '.'");
    return {};
  }
  const std::string name(cursor_.text());
  cursor_.advance();
  const std::uint32_t height = object.height;
  return make(Attribute{std::move(object.expr), name}, height, first);
}

Tree ExpressionParser::parse_call(Tree callee, std::size_t first) {
  cursor_.advance();
  Call call;
  std::uint32_t height = callee.height;
  call.callee = std::move(callee.expr);
  while (!cursor_.at(")")) {
    if (!parse_argument(call, height)) return {};
    if (!cursor_.at(")") && !cursor_.accept(",")) {
      unexpected("',' or ')'");
      return {};
    }
  }
  cursor_.advance();
  return make(std::move(call), height, first);
}

bool ExpressionParser::parse_argument(Call& call, std::uint32_t& height) {
  const std::size_t first = cursor_.position();
  std::string keyword;
  const SourceLocation location = cursor_.here();
  if (cursor_.at_name() && cursor_.is(1, "=")) {
    keyword = std::string(cursor_.text());
    cursor_.advance();
    cursor_.advance();
  }
  Tree value = parse_expression();
  if (!value || refuse_comprehension(first, "GeneratorExp")) return false;
  height = std::max(height, value.height);
  if (keyword.empty()) {
    if (!call.keywords.empty()) {
      error(cursor_.since(first), "positional argument follows keyword argument");
      return false;
    }
    call.args.push_back(std::move(value.expr));
    return true;
  }
  // Calls with more keywords than parameters are long only by mistake.
  constexpr std::size_t kMostKeywords = 256;
  const bool repeated =
      std::any_of(call.keywords.begin(), call.keywords.end(),
                  [&keyword](const Keyword& other) { return other.name == keyword; });
  if (repeated || call.keywords.size() == kMostKeywords) {
    error(location, repeated ? fmt::format("keyword argument repeated: {}", keyword)
                             : "too many keyword arguments");
    return false;
  }
  call.keywords.push_back({std::move(keyword), std::move(value.expr), location});
  return true;
}

Tree ExpressionParser::parse_subscript(Tree object, std::size_t first) {
  cursor_.advance();
  Subscript subscript;
  std::uint32_t height = object.height;
  subscript.object = std::move(object.expr);
  do {
    if (cursor_.at("]") && !subscript.indices.empty()) break;
    Tree index = parse_index();
    if (!index) return {};
    height = std::max(height, index.height);
    subscript.indices.push_back(std::move(index.expr));
  } while (cursor_.accept(","));
  if (!cursor_.accept("]")) {
    unexpected("',' or ']'");
    return {};
  }
  return make(std::move(subscript), height, first);
}

Tree ExpressionParser::parse_index() {
  const std::size_t first = cursor_.position();
  Tree lower;
  if (!cursor_.at(":")) {
    lower = parse_expression();
    if (!lower || !cursor_.at(":")) return lower;
  }
  cursor_.advance();
  Tree upper;
  if (!cursor_.at("]") && !cursor_.at(",") && !cursor_.at(":")) {
    upper = parse_expression();
    if (!upper) return {};
  }
  if (cursor_.at(":")) {
    unsupported(cursor_.location(first, cursor_.position()),
                "Unsupported slice: a slice has no step");
    return {};
  }
  const std::uint32_t height = std::max(lower.height, upper.height);
  return make(Slice{std::move(lower.expr), std::move(upper.expr)}, height, first);
}

}  // namespace a2a3::ir
