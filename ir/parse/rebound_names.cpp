// SPDX-License-Identifier: Apache-2.0
#include "ir/parse/rebound_names.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace a2a3::ir {
namespace {

bool opens(const TokenCursor& cursor) {
  return cursor.at("(") || cursor.at("[") || cursor.at("{");
}
bool closes(const TokenCursor& cursor) {
  return cursor.at(")") || cursor.at("]") || cursor.at("}");
}

bool assigns(const TokenCursor& cursor) {
  constexpr std::array<std::string_view, 5> kComparisons{"==", "!=", "<=", ">=", ":="};
  return cursor.at(TokenKind::op) && cursor.text().ends_with('=') &&
         std::find(kComparisons.begin(), kComparisons.end(), cursor.text()) == kComparisons.end();
}

bool heads_block(const TokenCursor& cursor) {
  constexpr std::array<std::string_view, 10> kWords{"if",  "elif",    "else", "for",   "while",
                                                    "try", "finally", "with", "match", "except"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return cursor.at(word); });
}

class Scan {
 public:
  Scan(TokenCursor cursor, std::size_t end) : cursor_(cursor), end_(end) {}

  std::vector<ReboundName> run() {
    while (cursor_.position() < end_ && !cursor_.at(TokenKind::end))
      statement();
    return std::move(names_);
  }

 private:
  void statement() {
    if (cursor_.at("@")) return cursor_.skip_line();
    if (cursor_.at("def") || cursor_.at("class")) {
      cursor_.advance();
      if (cursor_.at_name()) add();
      return cursor_.skip_statement();
    }
    const std::size_t first = cursor_.position();
    const std::size_t last = find_end();
    cursor_.rewind(first);
    if (cursor_.at("for")) {
      targets(first + 1, find("in", first, last));
    } else if (cursor_.at("del") || cursor_.at("import")) {
      targets(first + 1, last);
    } else if (cursor_.at("from")) {
      targets(find("import", first, last) + 1, last);
    } else if (cursor_.at("with") || cursor_.at("except")) {
      targets(find("as", first, last) + 1, last);
    } else if (!heads_block(cursor_)) {
      simple(first, last);
    }
    walruses(first, last);
    cursor_.rewind(last);
    cursor_.advance();
  }

  /// Behind the statement's simple part: at its newline or semicolon, or the colon of a header.
  std::size_t find_end() {
    const bool header = heads_block(cursor_);
    int depth = 0;
    for (; cursor_.position() < end_ && !cursor_.at(TokenKind::newline); cursor_.advance()) {
      if (depth == 0 && (cursor_.at(";") || (header && cursor_.at(":")))) break;
      if (cursor_.at(TokenKind::indent) || cursor_.at(TokenKind::dedent)) break;
      if (cursor_.at(TokenKind::end)) break;
      if (opens(cursor_)) ++depth;
      if (closes(cursor_)) --depth;
    }
    return cursor_.position();
  }

  /// Assignments, and calls of methods.
  void simple(std::size_t first, std::size_t last) {
    std::size_t annotation = last;
    std::size_t assignment = last;
    bool calls = false;
    int depth = 0;
    for (cursor_.rewind(first); cursor_.position() < last; cursor_.advance()) {
      calls = calls || cursor_.at("(");
      if (opens(cursor_)) ++depth;
      if (closes(cursor_)) --depth;
      if (depth > 0) continue;
      if (cursor_.at(":")) annotation = std::min(annotation, cursor_.position());
      if (assigns(cursor_)) assignment = cursor_.position();
    }
    if (assignment < last) return targets(first, std::min(annotation, assignment));
    cursor_.rewind(first);
    if (calls && cursor_.at_name() && (cursor_.is(1, ".") || cursor_.is(1, "["))) add();
  }

  /// Names that stand alone, or whose item or attribute is the target.
  void targets(std::size_t first, std::size_t last) {
    int inner = 0;  // depth of brackets that index or call
    bool behind_value = false;
    for (cursor_.rewind(first); cursor_.position() < last; cursor_.advance()) {
      if (opens(cursor_) && (inner > 0 || behind_value)) {
        ++inner;
      } else if (closes(cursor_) && inner > 0) {
        --inner;
      } else if (cursor_.at(".")) {
        cursor_.advance();  // over the attribute
      } else if (inner == 0 && cursor_.at_name()) {
        add();
      }
      behind_value = closes(cursor_) || cursor_.token().kind == TokenKind::name;
    }
  }

  void walruses(std::size_t first, std::size_t last) {
    for (cursor_.rewind(first); cursor_.position() < last; cursor_.advance()) {
      if (cursor_.at_name() && cursor_.is(1, ":=")) add();
    }
  }

  std::size_t find(std::string_view word, std::size_t first, std::size_t last) {
    cursor_.rewind(first);
    while (cursor_.position() < last && !cursor_.at(word))
      cursor_.advance();
    return cursor_.position();
  }

  void add() { names_.push_back({std::string(cursor_.text()), cursor_.here()}); }

  TokenCursor cursor_;
  std::size_t end_;
  std::vector<ReboundName> names_;
};

}  // namespace

std::vector<ReboundName> rebound_names(TokenCursor cursor, std::size_t end) {
  return Scan(cursor, end).run();
}

}  // namespace a2a3::ir
