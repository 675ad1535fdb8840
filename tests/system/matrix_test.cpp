// SPDX-License-Identifier: Apache-2.0
// Every example in every mode of its run file, at all rank counts, sizes and element types that it
// allows: results equal the goldens, traffic equals the closed forms. The environment variable
// A2A3_FULL_MATRIX=1 takes the whole product, minutes; without it the largest size has one element
// type at each rank count, and the reference executor two sizes.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>

#include "models/run_file.hpp"
#include "program.hpp"
#include "tools/run.hpp"

namespace a2a3::test::matrix_test {
namespace {

namespace fs = std::filesystem;
using tools::ExitStatus;

struct Program {
  std::string file;  ///< relative to the source tree
  std::string mode;
  bool has_size = false;
  bool has_dtype = false;

  friend std::ostream& operator<<(std::ostream& out, const Program& program) {
    return out << program.file << " " << program.mode;
  }
};

/// These steps move whole rows of SIZE elements through the unified buffer, as their pages in the
/// tutorial do. At the largest size a row (256 KiB) does not fit in it.
const std::vector<std::string> kWholeRows = {
    "02_programming_model",  "03_window_buffer", "05_remote_load_store",  "06_put_get",
    "07_dynamic_rank_count", "13_allgather",     "16_putting_it_together"};

constexpr int kLargeSize = 65537;
constexpr int kRanks[] = {1, 2, 3, 4, 5, 7, 8, 16};

bool is_full() {
  const char* full = std::getenv("A2A3_FULL_MATRIX");
  return full != nullptr && std::string(full) == "1";
}

bool moves_whole_rows(const Program& program) {
  return std::ranges::any_of(kWholeRows, [&](const std::string& name) {
    return program.file.find(name) != std::string::npos;
  });
}

std::vector<Program> all_programs() {
  std::vector<fs::path> files;
  const fs::path root(A2A3_SOURCE_DIR);
  for (const auto& entry : fs::recursive_directory_iterator(root / "examples")) {
    if (entry.path().extension() == ".py") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<Program> programs;
  for (const fs::path& file : files) {
    const std::string text = read_file(file);
    const models::RunFile run_file =
        models::read_run_file(fs::path(file).replace_extension(".yaml"));
    for (const models::RunMode& mode : run_file.modes) {
      programs.push_back({fs::relative(file, root).string(), mode.name,
                          text.find("\nSIZE = ") != std::string::npos,
                          text.find("\nDTYPE = ") != std::string::npos});
    }
  }
  return programs;
}

tools::ExecutedRun execute(const Program& program, int ranks, int size, const std::string& dtype,
                           const std::string& engine = "timed") {
  tools::RunOptions options;
  options.file = (fs::path(A2A3_SOURCE_DIR) / program.file).string();
  options.mode = program.mode;
  options.devices = devices(ranks);
  options.engine = engine;
  if (program.has_size) options.settings.push_back("SIZE=" + std::to_string(size));
  if (program.has_dtype) options.settings.push_back("DTYPE=" + dtype);
  return tools::execute_run(options);
}

class Matrix : public testing::TestWithParam<Program> {
 protected:
  static std::vector<int> sizes() {
    return GetParam().has_size ? std::vector<int>{1, 17, 64, 1000, 4097} : std::vector<int>{0};
  }
  static std::vector<std::string> dtypes() {
    return GetParam().has_dtype ? std::vector<std::string>{"FP32", "FP16"}
                                : std::vector<std::string>{"FP32"};
  }
  static void expect_right(int ranks, int size, const std::string& dtype) {
    SCOPED_TRACE("P=" + std::to_string(ranks) + " SIZE=" + std::to_string(size) + " " + dtype);
    const tools::ExecutedRun run = execute(GetParam(), ranks, size, dtype);
    EXPECT_EQ(run.report.status, ExitStatus::ok);
    EXPECT_EQ(run.report.verdict(), "ok");
    EXPECT_TRUE(run.report.diagnostics.all().empty()) << ir::format(run.report.diagnostics);
    EXPECT_FALSE(run.report.parts.empty()) << "no closed form";
    for (const TrafficPart& part : run.report.parts)
      EXPECT_TRUE(part.right()) << part.schedule;
  }
};

TEST_P(Matrix, ResultAndTrafficAreRight) {
  for (const int ranks : kRanks) {
    for (const int size : sizes()) {
      for (const std::string& dtype : dtypes())
        expect_right(ranks, size, dtype);
    }
  }
}

class SizedMatrix : public Matrix {};

TEST_P(SizedMatrix, LargeSizesAreRightOrRefused) {
  if (!moves_whole_rows(GetParam())) {
    for (const int ranks : kRanks) {
      // 16 ranks of this size take as long as all others together.
      if (ranks > 8 && !is_full()) continue;
      std::vector<std::string> dtypes = Matrix::dtypes();
      if (!is_full()) dtypes = {dtypes[static_cast<std::size_t>(ranks) % dtypes.size()]};
      for (const std::string& dtype : dtypes)
        expect_right(ranks, kLargeSize, dtype);
    }
    return;
  }
  const tools::ExecutedRun run = execute(GetParam(), 2, kLargeSize, "FP32");
  EXPECT_EQ(run.report.status, ExitStatus::wrong_input);
  const std::string text = ir::format(run.report.diagnostics);
  EXPECT_TRUE(contains(text, "error: "));
  EXPECT_TRUE(contains(text, "bytes"));
  EXPECT_TRUE(contains(text, fs::path(GetParam().file).filename().string() + ":"));
}

TEST_P(Matrix, TheReferenceExecutorGivesTheSame) {
  std::vector<int> sizes{17, 1000};
  std::vector<std::string> dtypes{Matrix::dtypes().back()};
  if (is_full()) {
    sizes = Matrix::sizes();
    if (GetParam().has_size && !moves_whole_rows(GetParam())) sizes.push_back(kLargeSize);
    dtypes = Matrix::dtypes();
  }
  for (const int ranks : kRanks) {
    for (const int size : sizes) {
      for (const std::string& dtype : dtypes) {
        SCOPED_TRACE("P=" + std::to_string(ranks) + " SIZE=" + std::to_string(size) + " " + dtype);
        const tools::ExecutedRun run = execute(GetParam(), ranks, size, dtype, "untimed");
        EXPECT_EQ(run.report.status, ExitStatus::ok) << ir::format(run.report.diagnostics);
        EXPECT_TRUE(run.report.parts.empty());
      }
    }
  }
}

std::string case_name(const testing::TestParamInfo<Program>& at) {
  std::string name = fs::path(at.param.file).stem().string();
  if (!at.param.mode.empty()) name += "_" + at.param.mode;
  return "e" + name;
}

/// The programs whose rows have a SIZE.
std::vector<Program> sized_programs() {
  std::vector<Program> programs = all_programs();
  std::erase_if(programs, [](const Program& program) { return !program.has_size; });
  return programs;
}

INSTANTIATE_TEST_SUITE_P(Examples, Matrix, testing::ValuesIn(all_programs()), case_name);
INSTANTIATE_TEST_SUITE_P(Examples, SizedMatrix, testing::ValuesIn(sized_programs()), case_name);

}  // namespace
}  // namespace a2a3::test::matrix_test
