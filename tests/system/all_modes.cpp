// SPDX-License-Identifier: Apache-2.0
#include "all_modes.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <ostream>

#include "models/run_file.hpp"
#include "program.hpp"

namespace a2a3::test {

namespace fs = std::filesystem;

std::ostream& operator<<(std::ostream& out, const ExampleMode& one) {
  return out << one.file << " " << one.mode;
}

std::vector<ExampleMode> all_modes() {
  const fs::path root(A2A3_SOURCE_DIR);
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(root / "examples")) {
    if (entry.path().extension() == ".py") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<ExampleMode> modes;
  for (const fs::path& file : files) {
    const bool has_size = read_file(file).find("\nSIZE = ") != std::string::npos;
    const auto run_file = models::read_run_file(fs::path(file).replace_extension(".yaml"));
    for (const models::RunMode& mode : run_file.modes)
      modes.push_back({fs::relative(file, root).string(), mode.name, has_size});
  }
  return modes;
}

tools::RunOptions measuring_run(const ExampleMode& one, int ranks) {
  tools::RunOptions options;
  options.file = (fs::path(A2A3_SOURCE_DIR) / one.file).string();
  options.mode = one.mode;
  options.devices = devices(ranks);
  options.check_goldens = false;
  if (one.has_size) options.settings.emplace_back("SIZE=17");
  return options;
}

std::string mode_name(const testing::TestParamInfo<ExampleMode>& at) {
  std::string name = "e" + fs::path(at.param.file).stem().string();
  if (!at.param.mode.empty()) name += "_" + at.param.mode;
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

}  // namespace a2a3::test
