// SPDX-License-Identifier: Apache-2.0
#include "ir/parse/file_parser.hpp"

#include <algorithm>
#include <array>

#include "ir/parse/rebound_names.hpp"
#include "ir/walk.hpp"

namespace a2a3::ir {
namespace {

struct Augmented {
  std::string_view text;
  BinaryOp op;
};

constexpr std::array kFolded = {
    Augmented{"+=", BinaryOp::add},         Augmented{"-=", BinaryOp::sub},
    Augmented{"*=", BinaryOp::mul},         Augmented{"/=", BinaryOp::div},
    Augmented{"//=", BinaryOp::floordiv},   Augmented{"%=", BinaryOp::mod},
    Augmented{"<<=", BinaryOp::shift_left}, Augmented{">>=", BinaryOp::shift_right},
};

bool mentions(const Expr& expr, const std::string& name) {
  bool found = false;
  walk(expr, [&](const Expr& part) {
    const auto* node = std::get_if<Name>(&part.node);
    found = found || (node != nullptr && node->id == name);
  });
  return found;
}

bool any_mentions(const std::vector<ExprPtr>& exprs, const std::string& name) {
  return std::any_of(exprs.begin(), exprs.end(),
                     [&](const ExprPtr& expr) { return mentions(*expr, name); });
}

}  // namespace

File FileParser::parse(SourceFilePtr source) {
  File file;
  file.source = std::move(source);
  file.imports = find_imports(cursor_);
  while (!cursor_.at(TokenKind::end))
    parse_item(file);
  // What Python does behind the last definition is harness.
  const auto harness = file.items.begin() + static_cast<std::ptrdiff_t>(last_definition_);
  file.items.erase(std::remove_if(harness, file.items.end(),
                                  [](const auto& item) {
                                    const auto* constant = std::get_if<ConstantDef>(&item);
                                    return constant != nullptr && constant->value == nullptr;
                                  }),
                   file.items.end());
  return file;
}

void FileParser::parse_item(File& file) {
  if (cursor_.at(TokenKind::indent)) {
    error(cursor_.here(), "unexpected indent");
    cursor_.advance();
  } else if (cursor_.at(TokenKind::dedent) || cursor_.at(TokenKind::newline)) {
    cursor_.advance();
  } else if (cursor_.at("@") || cursor_.at("def") || cursor_.at("class")) {
    parse_definition(file);
  } else if (at_assignment()) {
    parse_module_line(file);
  } else {
    skip_python(file);
  }
}

void FileParser::skip_python(File& file) {
  for (ConstantDef& rebound : skip_rebinding())
    file.items.emplace_back(std::move(rebound));
}

std::vector<ConstantDef> FileParser::skip_rebinding() {
  const TokenCursor begin = cursor_;
  cursor_.skip_statement();
  std::vector<ConstantDef> rebound;
  for (ReboundName& name : rebound_names(begin, cursor_.position())) {
    if (!constants_.contains(name.name)) continue;
    rebound.push_back({std::move(name.name), name.location, nullptr});
  }
  return rebound;
}

void FileParser::parse_definition(File& file) {
  const Definition definition = look_at_definition();
  if (definition.kind == Definition::Kind::function && definition.is_decorated) {
    file.items.emplace_back(parse_function());
  } else if (definition.kind == Definition::Kind::program && definition.is_decorated) {
    file.items.emplace_back(parse_class());
  } else {
    cursor_.rewind(definition.header);
    if (definition.is_decorated) unexpected("'def' or 'class' after a decorator");
    const bool is_function = definition.kind == Definition::Kind::function;
    const auto last = is_function ? last_decorator_in_block() : std::nullopt;
    if (!last) {
      skip_python(file);
      return;
    }
    file.items.emplace_back(parse_factory(*last));
  }
  last_definition_ = file.items.size();
}

FileParser::Definition FileParser::look_at_definition() const {
  Definition definition;
  TokenCursor ahead = cursor_;
  while (ahead.at("@")) {
    definition.is_decorated = definition.is_decorated || at_our_decorator(ahead);
    ahead.skip_line();
  }
  definition.header = ahead.position();
  if (ahead.at("def")) definition.kind = Definition::Kind::function;
  if (ahead.at("class")) definition.kind = Definition::Kind::program;
  return definition;
}

bool FileParser::at_our_decorator(const TokenCursor& cursor) {
  return cursor.at("@") && cursor.is(1, "pl") && cursor.is(2, ".");
}

std::optional<std::size_t> FileParser::last_decorator_in_block() const {
  TokenCursor ahead = cursor_;
  ahead.skip_line();
  std::optional<std::size_t> last;
  if (!ahead.at(TokenKind::indent)) return last;
  std::size_t depth = 0;
  do {
    if (ahead.at(TokenKind::indent)) ++depth;
    if (ahead.at(TokenKind::dedent)) --depth;
    const bool starts_line = !ahead.at(TokenKind::op) && !ahead.at(TokenKind::name);
    ahead.advance();
    if (starts_line && depth > 0 && at_our_decorator(ahead)) last = ahead.position();
  } while (depth > 0 && !ahead.at(TokenKind::end));
  return last;
}

bool FileParser::at_assignment() const {
  if (!cursor_.at_name()) return false;
  if (cursor_.is(1, "=") || cursor_.is(1, ",") || cursor_.is(1, ":")) return true;
  return cursor_.token(1).kind == TokenKind::op &&
         std::any_of(kFolded.begin(), kFolded.end(),
                     [this](const Augmented& a) { return a.text == cursor_.text(1); });
}

void FileParser::parse_module_line(File& file) {
  const std::size_t first = cursor_.position();
  std::vector<ConstantDef> constants;
  reporting_ = Reporting::syntax_only;
  const bool ok = parse_constants(constants);
  reporting_ = Reporting::all;
  if (!ok) {
    cursor_.rewind(first);
    skip_python(file);
    return;
  }
  for (ConstantDef& constant : constants) {
    constants_.insert(constant.name);
    file.items.emplace_back(std::move(constant));
  }
  if (!cursor_.accept(";")) cursor_.skip_line();
}

std::optional<std::vector<ConstantDef>> FileParser::constant_names(const Expr& target) const {
  std::vector<ConstantDef> names;
  const auto add = [&names](const Expr& expr) {
    const auto* name = std::get_if<Name>(&expr.node);
    if (name) names.push_back({name->id, expr.location, nullptr});
    return name != nullptr;
  };
  if (const auto* tuple = std::get_if<Sequence>(&target.node)) {
    for (const ExprPtr& item : tuple->items) {
      if (!add(*item)) return std::nullopt;
    }
  } else if (!add(target)) {
    return std::nullopt;
  }
  return names;
}

bool FileParser::parse_constants(std::vector<ConstantDef>& out) {
  const SourceLocation location = cursor_.here();
  std::vector<std::vector<ConstantDef>> targets;
  Tree tree = parse_expression_list();
  if (!tree) return false;
  const auto* augmented =
      std::find_if(kFolded.begin(), kFolded.end(), [this](auto& a) { return cursor_.at(a.text); });
  if (augmented != kFolded.end()) {
    const auto* name = std::get_if<Name>(&tree.expr->node);
    if (!name) return false;
    const std::string id = name->id;
    const std::size_t first = cursor_.position();
    cursor_.advance();
    Tree operand = parse_expression_list();
    if (!operand) return false;
    const std::uint32_t height = std::max(operand.height, tree.height);
    Tree value =
        make(Binary{augmented->op, std::move(tree.expr), std::move(operand.expr)}, height, first);
    if (!value) return false;
    out.push_back({id, location, std::move(value.expr)});
    return cursor_.at(TokenKind::newline) || cursor_.at(";");
  }
  if (cursor_.accept(":")) {
    // The annotation of a constant is Python's; its value says what it is.
    while (!cursor_.at("=") && !cursor_.at(TokenKind::newline))
      cursor_.advance();
  }
  while (cursor_.accept("=")) {
    auto names = constant_names(*tree.expr);
    if (!names) return false;
    targets.push_back(std::move(*names));
    const std::size_t value_begin = cursor_.position();
    tree = parse_expression_list();
    if (!tree) return false;
    if (cursor_.at("=")) continue;
    if (!cursor_.at(TokenKind::newline) && !cursor_.at(";")) {
      unexpected("end of line");
      return false;
    }
    cursor_.rewind(value_begin);
  }
  return !targets.empty() && parse_constant_values(out, std::move(targets));
}

bool FileParser::parse_constant_values(std::vector<ConstantDef>& out,
                                       std::vector<std::vector<ConstantDef>> targets) {
  Tree tree = parse_expression_list();
  if (!tree) return false;
  for (std::vector<ConstantDef>& names : targets) {
    if (names.size() == 1) {
      names[0].value = clone(tree.expr);
      out.push_back(std::move(names[0]));
      continue;
    }
    // `A, B = 1, 2`; the items must not depend on the order of the assignments.
    const auto* tuple = std::get_if<Sequence>(&tree.expr->node);
    if (!tuple || tuple->items.size() != names.size()) return false;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (any_mentions(tuple->items, names[i].name)) return false;
      names[i].value = clone(tuple->items[i]);
    }
    std::move(names.begin(), names.end(), std::back_inserter(out));
  }
  return true;
}

}  // namespace a2a3::ir
