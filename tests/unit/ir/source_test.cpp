// SPDX-License-Identifier: Apache-2.0
#include "ir/source.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "ir/parser.hpp"

namespace a2a3::ir {
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

/// A path in the test's own folder of the temporary directory.
class ReadSource : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) / (std::string("a2a3_") + test->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  static std::string errors(const SourceResult& result) {
    EXPECT_EQ(result.source, nullptr);
    return format(result.diagnostics);
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(ReadSource, GivesThePathAndTheText) {
  const std::string file = write("k.py", "x = 1\n");
  const SourceResult result = read_source(file);
  ASSERT_NE(result.source, nullptr);
  EXPECT_EQ(result.source->path(), file);
  EXPECT_EQ(result.source->text(), "x = 1\n");
  EXPECT_FALSE(result.diagnostics.has_errors());
}

TEST_F(ReadSource, NamesAMissingFile) {
  EXPECT_EQ(errors(read_source(path("none.py"))),
            "error: cannot read " + path("none.py") + ": No such file or directory\n");
}

TEST_F(ReadSource, NamesADirectory) {
  EXPECT_EQ(errors(read_source(path(""))),
            "error: cannot read " + path("") + ": it is a directory\n");
}

TEST_F(ReadSource, RefusesAFileAboveTheLimitAndNamesTheOption) {
  ParseLimits limits;
  limits.max_file_bytes = 10;
  EXPECT_NE(read_source(write("ten.py", std::string(10, '#')), limits).source, nullptr);
  const std::string file = write("eleven.py", std::string(11, '#'));
  EXPECT_EQ(errors(read_source(file, limits)),
            "error: cannot read " + file +
                ": it is larger than 10 bytes; --max-file-bytes sets the limit\n");
}

TEST_F(ReadSource, DoesNotReadAHugeFile) {
  const std::string file = write("huge.py", "");
  std::filesystem::resize_file(file, 100u << 20);  // sparse: nothing is written
  EXPECT_NE(errors(read_source(file)).find("--max-file-bytes"), std::string::npos);
}

TEST(ReadSourceDevice, StopsAtTheLimit) {
  if (!std::filesystem::exists("/dev/zero")) GTEST_SKIP();
  const SourceResult result = read_source("/dev/zero");
  EXPECT_EQ(result.source, nullptr);
  EXPECT_NE(format(result.diagnostics).find("--max-file-bytes"), std::string::npos);
}

}  // namespace
}  // namespace a2a3::ir
