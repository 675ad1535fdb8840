// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/config_hash.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "models/config/trim.hpp"
#include "models/input_spec.hpp"
#include "models/machine_yaml.hpp"
#include "models/run_file.hpp"
#include "tools/data_dir.hpp"
#include "tools/sweep/sha256.hpp"

namespace a2a3::tools {
namespace {

constexpr std::size_t kHashDigits = 32;

/// A fixed 64-bit sum: FNV-1a over words of eight bytes in place of single ones, the upper half
/// folded into the lower.
std::uint64_t block_sum(std::string_view block) {
  constexpr std::uint64_t kStart = 0xcbf29ce484222325;
  constexpr std::uint64_t kPrime = 0x100000001b3;
  constexpr int kHalf = 32;
  std::uint64_t sum = kStart;
  for (std::size_t at = 0; at < block.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, block.data() + at, std::min(sizeof word, block.size() - at));
    sum = (sum ^ word) * kPrime;
    sum ^= sum >> kHalf;
  }
  return sum;
}

/// A sum of the program itself, block by block: with debug information it has hundreds of
/// megabytes, which SHA-256 would take seconds for.
std::string program_sum() {
  constexpr const char* kProgram = "/proc/self/exe";
  std::ifstream file(kProgram, std::ios::binary);
  if (!file) throw std::system_error(errno, std::generic_category(), kProgram);
  Sha256 hash;
  std::vector<char> buffer(std::size_t{1} << 20);
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) ||
         file.gcount() > 0) {
    const std::string_view block(buffer.data(), static_cast<std::size_t>(file.gcount()));
    hash.add(fmt::format("{:x} ", block_sum(block)));
  }
  return hash.hex();
}

}  // namespace

/// What a run is asked for, one option a line. Lists whose order means nothing are sorted.
std::string ConfigHash::option_lines(const RunOptions& options) {
  std::string lines;
  const auto add = [&](const char* name, const auto& value) {
    lines += fmt::format("{}={}\n", name, value);
  };
  const auto add_all = [&](const char* name, std::vector<std::string> values) {
    std::ranges::sort(values);
    for (const std::string& value : values)
      add(name, value);
  };
  add("devices", options.devices);
  add("mode", options.mode);
  if (!options.memory.empty()) add("memory", options.memory);
  add("entry", options.entry);
  add("host_allreduce", options.host_allreduce);
  add_all("set", options.settings);
  add_all("traffic", options.traffic);
  add_all("skew", options.skews);
  const auto add_specs = [&](const char* name, std::vector<std::string> specs) {
    for (std::string& spec : specs)
      spec = spec_line(spec);
    add_all(name, std::move(specs));
  };
  add_specs("input", options.inputs);
  add_specs("golden", options.goldens);
  add("compare", options.compare);
  add("engine", options.engine);
  add("seed", options.seed ? std::to_string(*options.seed) : "");
  add("check_goldens", options.check_goldens);
  if (!options.check_traffic) add("check_traffic", false);
  add("data", options.data);
  add("max_file_bytes", options.files.max_file_bytes.value_or(0));
  add("max_nesting", options.files.max_nesting.value_or(0));
  return lines;
}

ConfigHash::ConfigHash() : program_(fmt::format("a2a3sim {} {}\n", A2A3_VERSION, program_sum())) {}

const std::string& ConfigHash::file_digest(const std::filesystem::path& path) {
  const auto [known, is_new] = files_.try_emplace(path.string());
  if (!is_new) return known->second;
  std::ifstream file(path, std::ios::binary);
  Sha256 hash;
  std::array<char, 1 << 16> buffer{};
  while (file.read(buffer.data(), buffer.size()) || file.gcount() > 0)
    hash.add({buffer.data(), static_cast<std::size_t>(file.gcount())});
  known->second = file.is_open() ? hash.hex() : "missing";
  return known->second;
}

const std::string& ConfigHash::machine_digest(const RunOptions& options) {
  const auto [known, is_new] = machines_.try_emplace(options.platform);
  if (!is_new) return known->second;
  const models::MachineYaml machine = models::read_machine(
      options.platform, {data_dir(), options.files.of(models::ConfigLimits{})});
  Sha256 hash;
  for (const ir::SourceFilePtr& source : machine.sources) {
    hash.add(sha256(source->text()));
  }
  known->second = hash.hex();
  return known->second;
}

std::string ConfigHash::spec_line(const std::string& spec) {
  const std::size_t text = spec.find(':') + 1;
  const auto file =
      models::npy_file(std::string(models::trimmed(std::string_view(spec).substr(text))), {});
  return file ? fmt::format("{} npy {}", spec.substr(0, text), file_digest(*file)) : spec;
}

const std::string& ConfigHash::run_file_data(const std::filesystem::path& run_file,
                                             const models::ConfigLimits& limits) {
  const auto [known, is_new] = run_file_data_.try_emplace(run_file.string());
  if (!is_new || file_digest(run_file) == "missing") return known->second;
  for (const models::RunMode& mode : models::read_run_file(run_file, limits).modes) {
    for (const auto* specs : {&mode.inputs, &mode.goldens}) {
      for (const auto& [name, text] : *specs) {
        if (const auto file = models::npy_file(text.text, run_file.parent_path()))
          known->second += fmt::format("{}={}\n", text.text, file_digest(*file));
      }
    }
  }
  return known->second;
}

std::string ConfigHash::of(const RunOptions& options) {
  const std::filesystem::path run_file =
      std::filesystem::path(options.file).replace_extension(".yaml");
  Sha256 hash;
  hash.add(program_);
  hash.add(fmt::format("kernel {}\nrun file {}\nmachine {}\n", file_digest(options.file),
                       file_digest(run_file), machine_digest(options)));
  hash.add(run_file_data(run_file, options.files.of(models::ConfigLimits{})));
  hash.add(option_lines(options));
  return hash.hex().substr(0, kHashDigits);
}

std::vector<std::string> ConfigHash::of(const std::vector<SweepPoint>& points) {
  std::vector<std::string> hashes;
  for (const SweepPoint& point : points)
    hashes.push_back(of(point.options));
  return hashes;
}

}  // namespace a2a3::tools
