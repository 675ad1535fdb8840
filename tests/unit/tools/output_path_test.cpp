// SPDX-License-Identifier: Apache-2.0
#include "tools/output_path.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tools/output_file.hpp"
#include "tools/sweep/temporary_directory.hpp"

namespace a2a3::tools::output_path_test {
namespace {

namespace fs = std::filesystem;

class OutputFile : public testing::Test {
 protected:
  [[nodiscard]] fs::path file(const std::string& name) const { return directory_.path() / name; }
  [[nodiscard]] fs::path with(const std::string& name, const std::string& text) const {
    std::ofstream(file(name)) << text;
    return file(name);
  }
  [[nodiscard]] static std::string text(const fs::path& path) {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  /// The error of an output, without "error: "; empty when it is taken.
  [[nodiscard]] std::string refused(const std::string& option, const fs::path& path) {
    ir::Diagnostics diagnostics;
    const bool taken = paths_.add_output(option, path.string(), diagnostics);
    EXPECT_EQ(taken, !diagnostics.has_errors());
    return taken ? "" : diagnostics.all().front().message;
  }

  TemporaryDirectory directory_;
  OutputPaths paths_;
};

TEST_F(OutputFile, IsReplacedAsAWholeAndKeepsItsPermissions) {
  const fs::path path = with("a", "before");
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  std::ifstream reader(path);
  EXPECT_EQ(write_whole_file(path, "behind"), "");
  EXPECT_EQ(text(path), "behind");
  EXPECT_EQ((std::string{std::istreambuf_iterator<char>(reader), {}}), "before");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms(0640));
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_.path()), {}), 1) << "nothing beside it";
}

TEST_F(OutputFile, LinksAndOtherNamesStayWhatTheyAre) {
  const fs::path target = with("target", "before");
  fs::create_symlink("target", file("link"));
  fs::create_hard_link(target, file("other"));
  fs::create_symlink("new", file("dangling"));
  EXPECT_EQ(write_whole_file(file("link"), "one"), "");
  EXPECT_TRUE(fs::is_symlink(file("link")));
  EXPECT_EQ(text(target), "one");
  EXPECT_EQ(write_whole_file(file("other"), "two"), "");
  EXPECT_EQ(text(target), "two");
  EXPECT_EQ(why_unwritable(file("dangling").string()), "");
  EXPECT_EQ(write_whole_file(file("dangling"), "three"), "");
  EXPECT_EQ(text(file("new")), "three");
}

TEST_F(OutputFile, DevicesAreWrittenThrough) {
  // Always full: what was written before must not take its place.
  fs::create_symlink("/dev/full", file("full"));
  EXPECT_NE(write_whole_file(file("full"), "text").find("No space left on device"),
            std::string::npos);
  EXPECT_TRUE(fs::is_symlink(file("full")));
  ASSERT_EQ(mkfifo(file("pipe").c_str(), 0600), 0);
  std::fstream both(file("pipe"));  // so that writing waits for nobody
  EXPECT_EQ(write_whole_file(file("pipe"), "text\n"), "");
  std::string line;
  std::getline(both, line);
  EXPECT_EQ(line, "text");
  EXPECT_TRUE(fs::is_fifo(file("pipe")));
}

TEST_F(OutputFile, AnErrorSaysWhy) {
  EXPECT_EQ(write_whole_file(file("none/a"), "text"),
            "cannot write " + file("none/a").string() + ": No such file or directory");
  EXPECT_EQ(why_unwritable(file("none/a").string()), "cannot write " + file("none/a").string() +
                                                         ": there is no directory " +
                                                         file("none").string());
}

TEST_F(OutputFile, IsNotWhatIsReadByAnyName) {
  const fs::path kernel = with("k.py", "kernel");
  paths_.add_input(kernel, "is the kernel file");
  paths_.add_input(file("k.yaml"), "is the run file");  // there may be one later
  paths_.add_input_directory(file("points"), "is a result");
  fs::create_directory(file("points"));
  fs::create_symlink("k.py", file("link"));
  fs::create_hard_link(kernel, file("other"));
  fs::create_symlink("k.yaml", file("dangling"));
  const fs::path beside = directory_.path() / "points" / ".." / "k.py";
  for (const fs::path& name : {kernel, file("link"), file("other"), beside})
    EXPECT_EQ(refused("--json", name), "--json: " + name.string() + " is the kernel file");
  for (const fs::path& name : {file("k.yaml"), file("dangling")})
    EXPECT_EQ(refused("--json", name), "--json: " + name.string() + " is the run file");
  paths_.add_input_directory(file("points"), "is a result");
  EXPECT_EQ(refused("--json", file("points/a")),
            "--json: " + file("points/a").string() + " is a result");
  EXPECT_EQ(text(kernel), "kernel");
}

TEST_F(OutputFile, IsWrittenOnce) {
  fs::create_symlink("q", file("link"));
  EXPECT_EQ(refused("--json", file("q")), "");
  for (const fs::path& name : {file("q"), file("./q"), file("link")})
    EXPECT_EQ(refused("--junit", name), "--junit: " + name.string() + " is written by --json");
  EXPECT_EQ(refused("--junit", file("r")), "");
  fs::create_symlink("/dev/full", file("full"));
  EXPECT_EQ(refused("--csv", file("full")), "");
  EXPECT_EQ(refused("--plot", file("full")), "") << "a device takes both";
  EXPECT_EQ(refused("--plot", ""), "");
}

}  // namespace
}  // namespace a2a3::tools::output_path_test
