// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace a2a3::test {
namespace {

/// In the child: stdin empty, stdout and stderr into files.
void redirect(const std::string& out, const std::string& err) {
  const int in_file = open("/dev/null", O_RDONLY);
  const int out_file = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int err_file = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (in_file < 0 || out_file < 0 || err_file < 0) _exit(127);
  dup2(in_file, STDIN_FILENO);
  dup2(out_file, STDOUT_FILENO);
  dup2(err_file, STDERR_FILENO);
}

}  // namespace

std::string Finished::last_line() const {
  const std::size_t end = out.find_last_not_of('\n');
  if (end == std::string::npos) return "";
  const std::size_t begin = out.rfind('\n', end);
  return out.substr(begin == std::string::npos ? 0 : begin + 1,
                    end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

Finished a2a3sim(const std::vector<std::string>& arguments, const std::string& stdout_file) {
  const ScratchDir scratch;
  const std::string out = stdout_file.empty() ? scratch.file("out") : stdout_file;
  const std::string err = scratch.file("err");
  std::vector<std::string> words{A2A3_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);

  const pid_t child = fork();
  if (child == 0) {
    redirect(out, err);
    if (chdir(A2A3_SOURCE_DIR) != 0) _exit(127);
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Finished finished;
  finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (stdout_file.empty()) finished.out = read_file(out);
  finished.err = read_file(err);
  return finished;
}

testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no \"" << part << "\" in:\n" << text;
}

ScratchDir::ScratchDir() {
  std::string name = (std::filesystem::temp_directory_path() / "a2a3sim-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
  path_ = name;
}

ScratchDir::~ScratchDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ScratchDir::write(const std::string& name, const std::string& text) const {
  std::ofstream(path_ / name, std::ios::binary) << text;
  return file(name);
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string devices(int ranks) {
  std::string text = "0";
  for (int r = 1; r < ranks; ++r)
    text += "," + std::to_string(r);
  return text;
}

nlohmann::json read_json(const std::string& path) {
  return nlohmann::json::parse(read_file(path));
}

std::string replaced(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos || text.find(from, at + 1) != std::string::npos) {
    ADD_FAILURE() << "expected exactly one place with: " << from;
    return text;
  }
  std::string result = text;
  return result.replace(at, from.size(), to);
}

}  // namespace a2a3::test
