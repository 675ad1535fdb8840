// SPDX-License-Identifier: Apache-2.0
#include "tools/run_inputs.hpp"

#include <map>
#include <string>
#include <vector>

#include "models/input_spec.hpp"
#include "models/machine_yaml.hpp"
#include "models/run_file.hpp"
#include "tools/data_dir.hpp"
#include "tools/option_values.hpp"

namespace a2a3::tools {
namespace {

/// A file by the name of its tensor; absent: the tensor is made in another way.
using SpecFiles = std::map<std::string, std::optional<std::filesystem::path>>;

void take_texts(const std::map<std::string, models::RunText>& texts,
                const std::filesystem::path& directory, SpecFiles& files) {
  for (const auto& [name, value] : texts)
    files[name] = models::npy_file(value.text, directory);
}

void take_options(const std::vector<std::string>& texts, SpecFiles& files) {
  ir::Diagnostics reported_by_the_run;
  for (const auto& [name, text] : parse_all_named("", texts, ':', "", reported_by_the_run))
    files[name] = models::npy_file(text, {});
}

void add_specs(const SpecFiles& files, const std::string& role, OutputPaths& paths) {
  for (const auto& [name, file] : files) {
    if (file) paths.add_input(*file, role + name);
  }
}

}  // namespace

std::filesystem::path run_file_of(const RunOptions& options) {
  return std::filesystem::path(options.file).replace_extension(".yaml");
}

void add_run_inputs(const RunOptions& options, OutputPaths& paths) {
  const auto limits = options.files.of(models::ConfigLimits{});
  const std::filesystem::path run_file = run_file_of(options);
  paths.add_input(options.file, "is the kernel file");
  paths.add_input(run_file, "is the run file");
  for (const auto& source : models::read_machine(options.platform, {data_dir(), limits}).sources)
    paths.add_input(source->path(), "is a machine file");

  SpecFiles inputs;
  SpecFiles goldens;
  const models::RunFile modes = models::read_run_file(run_file, limits);
  ir::Diagnostics reported_by_the_run;
  if (const auto* mode = models::choose_mode(modes, options.mode, reported_by_the_run)) {
    take_texts(mode->inputs, run_file.parent_path(), inputs);
    take_texts(mode->goldens, run_file.parent_path(), goldens);
  }
  take_options(options.inputs, inputs);
  take_options(options.goldens, goldens);
  add_specs(inputs, "is the input for ", paths);
  add_specs(goldens, "is the golden for ", paths);
}

}  // namespace a2a3::tools
