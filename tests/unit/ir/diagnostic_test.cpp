// SPDX-License-Identifier: Apache-2.0
#include "ir/diagnostic.hpp"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "ir/check.hpp"
#include "ir/elaborate.hpp"
#include "ir/parser.hpp"
#include "ir/source.hpp"

namespace a2a3::ir::diagnostic_test {
namespace {

std::string formatted(const SourceFile& source, std::uint32_t line, std::uint32_t column,
                      std::uint32_t length) {
  Diagnostics diagnostics;
  diagnostics.error({&source, line, column, length}, "wrong");
  return format(diagnostics);
}

TEST(FormatDiagnostic, LooksAsInTheDesign) {
  const SourceFile source(
      "13_allgather.py",
      std::string(23, '\n') + "    data = pld.tensor.allgather(x, data, ring_signal)\n");
  Diagnostic diagnostic{Severity::error,
                        {&source, 24, 42, 11},
                        "signal shape[1] must be 1 (one cell per rank), got 4",
                        {{"a ring-shaped window cannot serve a mesh-layout collective", {}}}};
  EXPECT_EQ(format(diagnostic),
            "13_allgather.py:24:42: error: signal shape[1] must be 1 (one cell per rank), got 4\n"
            "   24 |     data = pld.tensor.allgather(x, data, ring_signal)\n"
            "      |                                          ^~~~~~~~~~~\n"
            "   note: a ring-shaped window cannot serve a mesh-layout collective\n");
}

TEST(FormatDiagnostic, ShowsTheWholePathAndThePlaceOfANote) {
  const SourceFile source("dir/k.py", "a = 1\nb = 2\n");
  Diagnostic diagnostic{Severity::warning, {&source, 2, 1, 1}, "again", {}};
  diagnostic.notes.push_back({"first here", {&source, 1, 5, 1}});
  EXPECT_EQ(format(diagnostic),
            "dir/k.py:2:1: warning: again\n"
            "    2 | b = 2\n"
            "      | ^\n"
            "   dir/k.py:1:5: note: first here\n"
            "    1 | a = 1\n"
            "      |     ^\n");
}

TEST(FormatDiagnostic, DoesWithoutAPlace) {
  const SourceFile source("k.py", "");
  EXPECT_EQ(format(Diagnostic{Severity::error, {}, "no file", {}}), "error: no file\n");
  EXPECT_EQ(format(Diagnostic{Severity::error, {&source, 0, 0, 1}, "no program", {}}),
            "k.py: error: no program\n");
}

TEST(FormatDiagnostic, KeepsTabsSoThatTheCaretStaysBelow) {
  const SourceFile source("k.py", "\tx\t= bad\n");
  EXPECT_EQ(formatted(source, 1, 6, 3),
            "k.py:1:6: error: wrong\n"
            "    1 | \tx\t= bad\n"
            "      | \t \t  ^~~\n");
}

TEST(FormatDiagnostic, CountsWideAndCombiningCharacters) {
  // 変 and 数 take two columns each, e with a combining accent takes one.
  const SourceFile source("k.py", "変数 + e\xCC\x81 + bad\n");
  EXPECT_EQ(formatted(source, 1, 11, 3),
            "k.py:1:11: error: wrong\n"
            "    1 | 変数 + e\xCC\x81 + bad\n"
            "      |            ^~~\n");
  EXPECT_EQ(formatted(source, 1, 1, 2),
            "k.py:1:1: error: wrong\n"
            "    1 | 変数 + e\xCC\x81 + bad\n"
            "      | ^~~~\n");
}

TEST(FormatDiagnostic, CutsLongLinesAroundTheCaret) {
  const SourceFile source("k.py", std::string(300, 'a') + "BAD" + std::string(300, 'b'));
  const std::string text = formatted(source, 1, 301, 3);
  EXPECT_EQ(text, "k.py:1:301: error: wrong\n    1 | ..." + std::string(50, 'a') + "BAD" +
                      std::string(67, 'b') + "...\n      |    " + std::string(50, ' ') + "^~~\n");
  EXPECT_EQ(formatted(source, 1, 1, 1),
            "k.py:1:1: error: wrong\n    1 | " + std::string(120, 'a') + "...\n      | ^\n");
  EXPECT_EQ(formatted(source, 1, 604, 1), "k.py:1:604: error: wrong\n    1 | ..." +
                                              std::string(120, 'b') + "\n      |    " +
                                              std::string(120, ' ') + "^\n");
}

TEST(FormatDiagnostic, ARangeNeverLeavesItsLine) {
  const SourceFile source("k.py", "ab\ncd\n");
  EXPECT_EQ(formatted(source, 1, 2, 100), "k.py:1:2: error: wrong\n    1 | ab\n      |  ^\n");
  EXPECT_EQ(formatted(source, 1, 3, 1), "k.py:1:3: error: wrong\n    1 | ab\n      |   ^\n");
  EXPECT_EQ(formatted(source, 1, 100, 7), "k.py:1:100: error: wrong\n    1 | ab\n      |   ^\n");
}

TEST(FormatDiagnostic, ControlCharactersDoNotReachTheTerminal) {
  const SourceFile source("k.py", "a\x1B[31mb\xFF c\n");
  EXPECT_EQ(formatted(source, 1, 9, 1),
            "k.py:1:9: error: wrong\n"
            "    1 | a\xEF\xBF\xBD[31mb\xEF\xBF\xBD c\n"
            "      |         ^\n");
  EXPECT_EQ(format(Diagnostic{Severity::error, {}, "got '\x07'", {}}),
            "error: got '\xEF\xBF\xBD'\n");
}

TEST(Diagnostics, SortGoesByPlaceAndDropsRepetitions) {
  const SourceFile a("a.py", "");
  const SourceFile b("b.py", "");
  Diagnostics diagnostics;
  diagnostics.error({&b, 1, 1, 1}, "in b");
  diagnostics.error({&a, 2, 1, 1}, "second line");
  diagnostics.error({&a, 1, 9, 1}, "same place, first");
  diagnostics.error({&a, 1, 9, 1}, "same place, second");
  diagnostics.error({&a, 1, 9, 1}, "same place, first");
  diagnostics.warning({&a, 1, 9, 1}, "same place, first");
  diagnostics.error({}, "no place");
  diagnostics.sort();
  std::vector<std::string> messages;
  for (const Diagnostic& item : diagnostics.all())
    messages.push_back(item.message);
  EXPECT_EQ(messages,
            (std::vector<std::string>{"no place", "same place, first", "same place, second",
                                      "same place, first", "second line", "in b"}));
}

TEST(Diagnostics, OnlyErrorsAreErrors) {
  Diagnostics diagnostics;
  diagnostics.warning({}, "careful");
  EXPECT_FALSE(diagnostics.has_errors());
  Diagnostics more;
  more.error({}, "wrong");
  diagnostics.append(std::move(more));
  EXPECT_TRUE(diagnostics.has_errors());
  EXPECT_EQ(diagnostics.all().size(), 2u);
}

/// A kernel with a mistake that the parser finds, or one that the check finds.
SourceFilePtr kernel(bool parses) {
  return std::make_shared<const SourceFile>(
      "k.py", std::string("import pypto.language as pl\n"
                          "import pypto.language.distributed as pld\n"
                          "\n\n"
                          "@pl.program\n"
                          "class K:\n"
                          "    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)\n"
                          "    def host(self, x: pl.Tensor[[4], pl.FP32]) -> pl.Tensor[[4], "
                          "pl.FP32]:\n") +
                  (parses ? "        return nothing\n" : "        return )\n"));
}

TEST(Diagnostics, KeepTheTextThatTheyPointInto) {
  // All that is left of each step are its diagnostics.
  std::weak_ptr<const SourceFile> source;
  const auto is_kept = [&](const Diagnostics& diagnostics) {
    return !source.expired() && diagnostics.has_errors() &&
           format(diagnostics).find("k.py:9:") != std::string::npos;
  };
  const auto remembered = [&](SourceFilePtr text) {
    source = text;
    return text;
  };
  EXPECT_TRUE(is_kept(parse_file(remembered(kernel(false))).diagnostics));
  EXPECT_TRUE(is_kept([&] {
    std::string lines(8, '\n');
    return parse_expression(remembered(std::make_shared<const SourceFile>("k.py", lines + "a +")))
        .diagnostics;
  }()));
  EXPECT_TRUE(is_kept([&] {
    const Elaborated elaborated = elaborate(parse_file(remembered(kernel(true))).file, {});
    return check(*elaborated.module);
  }()));
  ElaborateOptions wrong;
  wrong.entry = "none";
  const Diagnostics elaborated =
      elaborate(parse_file(remembered(kernel(true))).file, wrong).diagnostics;
  EXPECT_TRUE(elaborated.has_errors());
  EXPECT_FALSE(source.expired());
  Diagnostics copies;
  {
    const Diagnostics found = parse_file(remembered(kernel(false))).diagnostics;
    copies.error(found.all().front().location, "seen");
    copies.keep_sources_of(found);
  }
  EXPECT_TRUE(is_kept(copies));
}

}  // namespace
}  // namespace a2a3::ir::diagnostic_test
