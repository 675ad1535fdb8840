// SPDX-License-Identifier: Apache-2.0
#include "ir/source.hpp"

#include <string>

#include <gtest/gtest.h>

namespace a2a3::ir::source_test {
namespace {

TEST(SourceFile, LinesEndWithLfCrlfOrCr) {
  const SourceFile source("k.py", "one\ntwo\r\nthree\rfour");
  EXPECT_EQ(source.line(1), "one");
  EXPECT_EQ(source.line(2), "two");
  EXPECT_EQ(source.line(3), "three");
  EXPECT_EQ(source.line(4), "four");
}

TEST(SourceFile, LinesOutsideTheTextAreEmpty) {
  const SourceFile source("k.py", "one\n");
  EXPECT_EQ(source.line(0), "");
  EXPECT_EQ(source.line(2), "");
  EXPECT_EQ(source.line(3), "");
  EXPECT_EQ(SourceFile("k.py", "").line(1), "");
}

TEST(SourceFile, DropsTheByteOrderMark) {
  const SourceFile source("k.py", "\xEF\xBB\xBFx = 1\n");
  EXPECT_EQ(source.text(), "x = 1\n");
}

}  // namespace
}  // namespace a2a3::ir::source_test
