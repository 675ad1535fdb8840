// SPDX-License-Identifier: Apache-2.0
// --data none: every example in every mode takes the times and moves the bytes of a run with data,
// or says which line reads data.
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/run_file.hpp"
#include "program.hpp"
#include "tools/report/run_json.hpp"
#include "tools/run.hpp"

namespace a2a3::test {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string file;
  std::string mode;
  bool has_size = false;

  friend std::ostream& operator<<(std::ostream& out, const Case& one) {
    return out << one.file << " " << one.mode;
  }
};

std::vector<Case> all_cases() {
  const fs::path root(A2A3_SOURCE_DIR);
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(root / "examples")) {
    if (entry.path().extension() == ".py") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<Case> cases;
  for (const fs::path& file : files) {
    const bool has_size = read_file(file).find("\nSIZE = ") != std::string::npos;
    const auto run_file = models::read_run_file(fs::path(file).replace_extension(".yaml"));
    for (const models::RunMode& mode : run_file.modes)
      cases.push_back({fs::relative(file, root).string(), mode.name, has_size});
  }
  return cases;
}

tools::RunReport run(const Case& one, int ranks, const char* data) {
  tools::RunOptions options;
  options.file = (fs::path(A2A3_SOURCE_DIR) / one.file).string();
  options.mode = one.mode;
  options.devices = devices(ranks);
  options.data = data;
  options.check_goldens = false;
  if (one.has_size) options.settings.emplace_back("SIZE=17");
  return tools::execute_run(options).report;
}

/// Times, traffic, closed forms: everything but what is said about results.
nlohmann::ordered_json measured(const tools::RunReport& report) {
  nlohmann::ordered_json json = tools::run_json(report);
  for (const char* key : {"data", "outputs_without_golden"})
    json.erase(key);
  return json;
}

class WithoutData : public testing::TestWithParam<Case> {};

TEST_P(WithoutData, TimesAndTrafficAreThoseOfARunWithData) {
  int compared = 0;
  for (const int ranks : {1, 2, 3, 4, 5, 7, 8}) {
    const tools::RunReport full = run(GetParam(), ranks, tools::kFullData);
    if (full.result.outcome != Outcome::finished) continue;  // not for this rank count
    const tools::RunReport none = run(GetParam(), ranks, tools::kNoData);
    if (none.result.needs_data) {
      const auto& errors = none.diagnostics.all();
      ASSERT_TRUE(std::ranges::any_of(errors, [](const ir::Diagnostic& one) {
        return one.severity == ir::Severity::error && one.location.known();
      }));
      EXPECT_EQ(measured(run(GetParam(), ranks, tools::kAutoData)), measured(full));
      ++compared;
      continue;
    }
    EXPECT_TRUE(none.result.outputs.empty());
    EXPECT_EQ(measured(none), measured(full)) << ranks << " ranks";
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

INSTANTIATE_TEST_SUITE_P(Examples, WithoutData, testing::ValuesIn(all_cases()),
                         [](const testing::TestParamInfo<Case>& info) {
                           std::string name = info.param.file + "_" + info.param.mode;
                           std::ranges::replace_if(
                               name, [](char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace a2a3::test
