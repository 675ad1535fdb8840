// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/result_store.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "tools/output_file.hpp"
#include "tools/report/json_text.hpp"

namespace a2a3::tools {
namespace {

constexpr int kStoreVersion = 1;
constexpr const char* kManifestName = "sweep.json";

/// The object of a file of this version; nothing for anything else.
std::optional<nlohmann::ordered_json> read_object(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(file, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  const auto version = json.find("schema_version");
  if (version == json.end() || *version != kStoreVersion) return std::nullopt;
  return json;
}

}  // namespace

std::string ResultStore::create() const {
  std::error_code error;
  std::filesystem::create_directories(directory_ / "points", error);
  if (!error) return {};
  return fmt::format("cannot make {}: {}", (directory_ / "points").string(), error.message());
}

void ResultStore::keep_free(OutputPaths& outputs) const {
  outputs.add_input_directory(directory_ / "points", "is where the results of the runs are");
}

std::filesystem::path ResultStore::manifest_path() const {
  return directory_ / kManifestName;
}

std::filesystem::path ResultStore::point_path(const std::string& hash) const {
  return directory_ / "points" / (hash + ".json");
}

std::filesystem::path ResultStore::log_path(const std::string& hash) const {
  return directory_ / "points" / fmt::format("{}.{}.log", hash, getpid());
}

std::filesystem::path ResultStore::unfinished_path(const std::string& hash, pid_t process) const {
  return tools::unfinished_path(point_path(hash), process);
}

std::optional<PointResult> ResultStore::read(const std::string& hash) const {
  const auto json = read_object(point_path(hash));
  return json ? point_result(*json) : std::nullopt;
}

std::string ResultStore::write(const std::string& hash, const PointResult& result) const {
  nlohmann::ordered_json json = {{"schema_version", kStoreVersion}, {"hash", hash}};
  json.update(to_json(result));
  return write_whole_file(point_path(hash), to_text(json));
}

void ResultStore::remove(const std::string& hash) const {
  std::error_code ignored;
  std::filesystem::remove(point_path(hash), ignored);
}

std::string ResultStore::write_manifest(const Sweep& sweep,
                                        const std::vector<std::string>& hashes) const {
  const SweepManifest manifest = manifest_of(sweep, hashes);
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (const SweepManifest::Point& point : manifest.points) {
    points.push_back({{"hash", point.hash}, {"values", point.values}, {"command", point.command}});
  }
  const nlohmann::ordered_json json = {{"schema_version", kStoreVersion},
                                       {"description", manifest.description},
                                       {"columns", manifest.columns},
                                       {"points", std::move(points)}};
  return write_whole_file(manifest_path(), to_text(json));
}

bool SweepManifest::agrees_with(const SweepManifest& other) const {
  return columns == other.columns &&
         std::ranges::equal(points, other.points, [](const Point& a, const Point& b) {
           return a.hash == b.hash && a.values == b.values;
         });
}

SweepManifest manifest_of(const Sweep& sweep, const std::vector<std::string>& hashes) {
  SweepManifest manifest{sweep.description, sweep.columns, {}};
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    manifest.points.push_back(
        {hashes[i], sweep.points[i].values, run_command(sweep.points[i].options)});
  }
  return manifest;
}

std::optional<SweepManifest> read_manifest(const std::filesystem::path& directory) {
  const auto json = read_object(directory / kManifestName);
  if (!json) return std::nullopt;
  try {
    SweepManifest manifest;
    json->at("description").get_to(manifest.description);
    json->at("columns").get_to(manifest.columns);
    for (const auto& point : json->at("points")) {
      SweepManifest::Point& read = manifest.points.emplace_back();
      point.at("hash").get_to(read.hash);
      point.at("values").get_to(read.values);
      point.at("command").get_to(read.command);
      if (read.values.size() != manifest.columns.size()) return std::nullopt;
    }
    return manifest;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace a2a3::tools
