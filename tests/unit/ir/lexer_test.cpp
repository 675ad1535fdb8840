// SPDX-License-Identifier: Apache-2.0
#include "ir/lexer.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ir/parse/literal.hpp"

namespace a2a3::ir::lexer_test {
namespace {

constexpr std::uint32_t kNesting = 200;

/// The tokens as text: NL, IN, DE and END for those without one, "!" before invalid ones.
std::string lexed(const std::string& text, TokenizeMode mode = TokenizeMode::file) {
  const SourceFile source("k.py", text);
  std::string result;
  const TokenizedText tokenized = tokenize(source, kNesting, mode);
  for (const Token& token : tokenized.tokens) {
    if (!result.empty()) result += ' ';
    switch (token.kind) {
      case TokenKind::newline:
        result += "NL";
        break;
      case TokenKind::indent:
        result += "IN";
        break;
      case TokenKind::dedent:
        result += "DE";
        break;
      case TokenKind::end:
        result += "END";
        break;
      case TokenKind::invalid:
        result += "!";
        [[fallthrough]];
      default:
        result += source.text().substr(token.offset, token.size);
    }
  }
  return result;
}

std::string errors(const std::string& text) {
  const SourceFile source("k.py", text);
  const TokenizedText tokenized = tokenize(source, kNesting);
  std::string result;
  for (const Diagnostic& d : tokenized.diagnostics.all()) {
    result += std::to_string(d.location.line) + ":" + std::to_string(d.location.column) + " " +
              d.message + "\n";
  }
  return result;
}

TEST(Lexer, EmptyTextsHaveNoTokens) {
  for (const std::string text :
       {"", "\n\n", "  \n\t\n", "# only a comment", "\f\n", "\xEF\xBB\xBF"}) {
    EXPECT_EQ(lexed(text), "END") << text;
    EXPECT_EQ(errors(text), "") << text;
  }
}

TEST(Lexer, IndentationOpensAndClosesBlocks) {
  EXPECT_EQ(lexed("if a:\n  b\n  if c:\n      d\ne\n"),
            "if a : NL IN b NL if c : NL IN d NL DE DE e NL END");
  EXPECT_EQ(lexed("if a:\n\tb\n\n  # comment\n\tc"), "if a : NL IN b NL c NL DE END");
}

TEST(Lexer, LineEndsMayBeWindows) {
  EXPECT_EQ(lexed("if a:\r\n  b\r\nc\r\n"), "if a : NL IN b NL DE c NL END");
  EXPECT_EQ(lexed("a\rb"), "a NL b NL END");
}

TEST(Lexer, BracketsAndBackslashesJoinLines) {
  EXPECT_EQ(lexed("f(a,\n  b # comment\n\n)\n"), "f ( a , b ) NL END");
  EXPECT_EQ(lexed("a = \\\n   b\n"), "a = b NL END");
}

TEST(Lexer, TheLongestOperatorWins) {
  EXPECT_EQ(lexed("a**=b//=c>>=d<<=e...f->g:=h!=i<=j"),
            "a **= b //= c >>= d <<= e ... f -> g := h != i <= j NL END");
}

TEST(Lexer, NumbersOfAllForms) {
  EXPECT_EQ(lexed("1_000 0xFf 0o17 0b1_0 1. .5 1e5 1E-5 1_0.0_1 3j 00 1if"),
            "1_000 0xFf 0o17 0b1_0 1. .5 1e5 1E-5 1_0.0_1 3j 00 1 if NL END");
  EXPECT_EQ(integer_value("1_000"), 1000u);
  EXPECT_EQ(integer_value("0x_fF"), 255u);
  EXPECT_EQ(integer_value("0o17"), 15u);
  EXPECT_EQ(integer_value("0b1_0"), 2u);
  EXPECT_EQ(integer_value("18446744073709551615"), ~std::uint64_t{0});
  EXPECT_EQ(integer_value("18446744073709551616"), std::nullopt);
  EXPECT_EQ(float_value("1_0.5e-1"), 1.05);
  EXPECT_EQ(float_value("1."), 1.0);
  EXPECT_EQ(float_value("1e-999"), 0.0);
  EXPECT_GT(float_value("1e999"), 1e308);
}

TEST(Lexer, StringsAndTheirPrefixes) {
  EXPECT_EQ(lexed(R"('a\'b' "c" r'\'' b'' Rb"x" u"y")"),
            R"('a\'b' "c" r'\'' b'' Rb"x" u"y" NL END)");
  EXPECT_EQ(lexed("'''a\n'b''' x"), "'''a\n'b''' x NL END");
  EXPECT_EQ(string_value("'a\\n\\x41\\u00e9\\101\\q'").value,
            "a\nA\xC3\xA9"
            "A\\q");
  EXPECT_EQ(string_value("r'\\n'").value, "\\n");
  EXPECT_EQ(string_value("'''a\r\nb\\\r\nc'''").value, "a\nbc");
  EXPECT_EQ(string_value("''").value, "");
  EXPECT_EQ(string_value("'\\x4'").error_begin, 1u);
}

TEST(Lexer, FormatStringsAreOneToken) {
  for (const std::string text : {R"(f"{a}")", R"(f"{a["b"]}")", R"(f'{x!r:>{w}}')", R"(f"{{}}")",
                                 R"(f"{f'{1}'}")", R"(rf"\{a}")", R"(f"{x:'>10}")", R"(f"""{
a}""")",
                                 R"(f"\"{a}")", R"(f"{ {1: '}'}[1] }")"}) {
    EXPECT_EQ(lexed(text + " z"), text + " z NL END");
    EXPECT_EQ(errors(text), "");
  }
}

TEST(Lexer, ColumnsCountCharacters) {
  const SourceFile source("k.py", "é = '漢' + x\n");
  const auto tokens = tokenize(source, kNesting).tokens;
  std::vector<std::uint32_t> columns;
  for (const Token& token : tokens)
    columns.push_back(token.column);
  EXPECT_EQ(columns, (std::vector<std::uint32_t>{1, 3, 5, 9, 11, 12, 1}));
  EXPECT_EQ(tokens[2].width, 3u);
}

TEST(Lexer, TokensBehindAMultiLineStringAreOnItsLastLine) {
  const SourceFile source("k.py", "x = '''a\nbc''' + y\n");
  const auto tokens = tokenize(source, kNesting).tokens;
  EXPECT_EQ(tokens[2].line, 1u);
  EXPECT_EQ(tokens[2].width, 4u);
  EXPECT_EQ(tokens[3].line, 2u);
  EXPECT_EQ(tokens[3].column, 7u);
}

TEST(Lexer, BinaryFilesAreOneError) {
  EXPECT_EQ(errors(std::string("x = 1\ny\0z\xFF\xFE\n\0", 13)),
            "2:2 this is not a text file: byte 0x00 at offset 7 is a NUL byte\n");
  EXPECT_EQ(errors("x = '\xE9'\n"),
            "1:6 this is not a text file: byte 0xe9 at offset 5 is not valid UTF-8\n");
  EXPECT_EQ(lexed(std::string("\x7F"
                              "ELF\0\1\2",
                              7)),
            "END");
}

TEST(Lexer, TabsAndSpacesMustAgree) {
  const std::string message = " inconsistent use of tabs and spaces in indentation\n";
  EXPECT_EQ(errors("if a:\n        b\n\tc\n\td\n"), "3:1" + message);
  EXPECT_EQ(errors("if a:\n        if b:\n\t\tc\n"), "3:1" + message);
  EXPECT_EQ(errors("if a:\n\tif b:\n\t    c\n"), "");
  EXPECT_EQ(lexed("if a:\n  b\n\tc\n  d\n"), "if a : NL IN b NL c NL d NL DE END");
}

TEST(Lexer, AnUnindentThatFitsNoBlockStaysInTheInnermost) {
  EXPECT_EQ(errors("if a:\n    b\n  c\n  d\ne\n"),
            "3:3 unindent does not match any outer indentation level\n");
  EXPECT_EQ(lexed("if a:\n    b\n  c\n  d\ne\n"), "if a : NL IN b NL c NL d NL DE e NL END");
}

TEST(Lexer, UnterminatedStrings) {
  EXPECT_EQ(errors("a = 'b\nc\n"), "1:5 unterminated string literal\n");
  EXPECT_EQ(errors("a = (f('b\nc = 1\n"), "1:8 unterminated string literal\n");
  EXPECT_EQ(errors("a = '''b\nc\n"), "1:5 unterminated triple-quoted string literal\n");
  EXPECT_EQ(errors("a = '\\"), "1:5 unterminated string literal\n");
  EXPECT_EQ(errors("a = f'{b'\n"), "1:5 unterminated string literal\n");
  EXPECT_EQ(errors("'"), "1:1 unterminated string literal\n");
}

TEST(Lexer, Brackets) {
  EXPECT_EQ(errors("a = (b\n"), "1:5 '(' was never closed\n");
  EXPECT_EQ(errors("a = b)\n"), "1:6 unmatched ')'\n");
  EXPECT_EQ(errors("a = (b]\n"), "1:7 closing ']' does not match opening '('\n");
  EXPECT_EQ(errors("a = [(b]\nc = 1\n"), "1:8 closing ']' does not match opening '('\n");
  EXPECT_EQ(lexed("a = (b\nc = 1\n"), "a = ( b ! NL c = 1 NL END");
  EXPECT_EQ(lexed("a = (b,\nreturn c\n"), "a = ( b , ! NL return c NL END");
  EXPECT_EQ(lexed("a = (b\nfor c in d)\n"), "a = ( b for c in d ) NL END");
  EXPECT_EQ(lexed("a = (b\nfor c in d:\n  e\n"), "a = ( b ! NL for c in d : NL IN e NL DE END");
}

TEST(Lexer, BackslashesJoinOnlyAtTheLineEnd) {
  EXPECT_EQ(errors("a = b \\ c\n"), "1:7 unexpected character after line continuation character\n");
  EXPECT_EQ(errors("a = b \\"), "1:7 unexpected end of file after line continuation character\n");
}

TEST(Lexer, NestingBeyondTheLimitEndsTheText) {
  const std::string deep(10000, '(');
  EXPECT_EQ(errors("x = " + deep + "1" + std::string(10000, ')')),
            "1:205 brackets nest deeper than 200 levels; --max-nesting sets the limit\n");
  std::string blocks;
  for (int i = 0; i < 1000; ++i)
    blocks += std::string(static_cast<std::size_t>(i), ' ') + "if a:\n";
  EXPECT_EQ(errors(blocks),
            "202:202 blocks nest deeper than 200 levels; --max-nesting sets the limit\n");
}

TEST(Lexer, AnExpressionIgnoresLinesAndIndentation) {
  EXPECT_EQ(lexed("  a\n + b\n", TokenizeMode::expression), "a + b END");
}

}  // namespace
}  // namespace a2a3::ir::lexer_test
