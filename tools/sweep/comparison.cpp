// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/comparison.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace a2a3::tools {

Comparison::Comparison(std::vector<models::ComparedSchedule> schedules,
                       std::filesystem::path directory, RunOptions common,
                       models::MachineDescription machine, ResultStore store, PoolOptions pool)
    : schedules_(std::move(schedules)),
      directory_(std::move(directory)),
      common_(std::move(common)),
      machine_(std::move(machine)),
      store_(std::move(store)),
      pool_(pool) {}

SweepPoint Comparison::point(const CompareKey& key) const {
  const models::ComparedSchedule& schedule = schedules_.at(key.schedule);
  const std::int64_t elements = schedule.elements(key.bytes, key.ranks);
  SweepPoint point;
  point.options = common_;
  RunOptions& options = point.options;
  options.file = shown_path(directory_ / schedule.kernel.text);
  options.devices = first_devices(key.ranks);
  options.mode = schedule.mode;
  options.entry = schedule.entry;
  for (const auto& [name, value] : schedule.settings)
    options.settings.push_back(fmt::format("{}={}", name, value));
  options.settings.push_back(fmt::format("{}={}", schedule.size, elements));
  point.values = {schedule.kernel.text,      schedule.mode, options.platform,
                  std::to_string(key.ranks), schedule.name, std::to_string(key.bytes)};
  // Starting takes as long as some megabytes.
  constexpr double kStartBytes = 2e6;
  point.weight = static_cast<double>(key.bytes) * key.ranks + kStartBytes;
  return point;
}

void Comparison::measure(const std::vector<CompareKey>& keys) {
  std::vector<CompareKey> missing;
  for (const CompareKey& key : std::set<CompareKey>(keys.begin(), keys.end())) {
    if (!results_.contains(key)) missing.push_back(key);
  }
  std::vector<SweepPoint> points;
  for (const CompareKey& key : missing)
    points.push_back(point(key));
  PoolReport report = run_points(points, hash_.of(points), store_, pool_);
  for (std::size_t i = 0; i < missing.size(); ++i) {
    if (report.results[i].schedule)
      collectives_.emplace(missing[i].schedule, *report.results[i].schedule);
    results_[missing[i]] = std::move(report.results[i]);
  }
}

std::optional<sim::Picoseconds> Comparison::modelled(const CompareKey& key) const {
  const auto found = collectives_.find(key.schedule);
  if (found == collectives_.end()) return std::nullopt;
  const RunSchedule& collective = found->second;
  const models::ComparedSchedule& schedule = schedules_.at(key.schedule);
  models::ScheduleSize size;
  size.ranks = key.ranks;
  size.elements = schedule.elements(key.bytes, key.ranks);
  size.element_bytes = isa::size_of(schedule.dtype);
  size.root = collective.root;
  size.lanes = collective.lanes;
  // The file may count slices where the collective counts the whole.
  const models::Schedule* known = models::find_schedule(collective.name, collective.form);
  if (known != nullptr && known->data != schedule.counts) {
    size.elements = known->data == models::ScheduleData::target
                        ? size.elements * size.ranks
                        : (size.elements + size.ranks - 1) / size.ranks;
  }
  const sim::Picoseconds time = collective.times(size, machine_).modelled;
  return time == 0 ? std::nullopt : std::optional(time);
}

std::optional<sim::Picoseconds> Comparison::time(const CompareKey& key, TimeKind kind) const {
  if (kind == TimeKind::modelled) return modelled(key);
  const PointResult& result = at(key);
  return result.cost ? std::optional(result.cost->time_ps) : std::nullopt;
}

std::vector<CompareKey> Comparison::measured() const {
  std::vector<CompareKey> keys;
  for (const auto& [key, result] : results_)
    keys.push_back(key);
  return keys;
}

std::vector<TimedPair> Comparison::pairs(std::uint32_t ranks,
                                         const std::vector<std::uint64_t>& sizes, std::size_t first,
                                         std::size_t second, TimeKind kind) const {
  std::vector<TimedPair> times;
  for (const std::uint64_t bytes : sizes)
    times.push_back({bytes, time({ranks, bytes, first}, kind), time({ranks, bytes, second}, kind)});
  return times;
}

/// Sizes that are no multiple of it are rounded up by one of both.
std::uint64_t Comparison::grain(const CrossoverPair& pair) const {
  return std::lcm(schedules_.at(pair.first).buffer_bytes(1, pair.ranks),
                  schedules_.at(pair.second).buffer_bytes(1, pair.ranks));
}

std::vector<CrossoverPair> Comparison::crossovers(const std::vector<std::uint32_t>& ranks,
                                                  const std::vector<std::uint64_t>& sizes,
                                                  TimeKind kind) {
  std::vector<CrossoverPair> all;
  for (const std::uint32_t count : ranks) {
    for (std::size_t first = 0; first < schedules_.size(); ++first) {
      for (std::size_t second = first + 1; second < schedules_.size(); ++second)
        all.push_back({count, first, second, brackets(pairs(count, sizes, first, second, kind))});
    }
  }
  // All brackets are halved together, so that their runs share the processes.
  for (bool wide = true; wide;) {
    wide = false;
    std::vector<CompareKey> keys;
    const auto for_wide = [&](const auto& act) {
      for (CrossoverPair& pair : all) {
        for (Bracket& change : pair.changes) {
          if (!change.is_final(grain(pair))) act(pair, change, change.middle(grain(pair)));
        }
      }
    };
    for_wide([&](const CrossoverPair& pair, const Bracket&, std::uint64_t middle) {
      keys.push_back({pair.ranks, middle, pair.first});
      keys.push_back({pair.ranks, middle, pair.second});
      wide = true;
    });
    if (kind == TimeKind::simulated) measure(keys);
    for_wide([&](const CrossoverPair& pair, Bracket& change, std::uint64_t middle) {
      change.narrow(pairs(pair.ranks, {middle}, pair.first, pair.second, kind).front());
    });
  }
  return all;
}

SweepManifest Comparison::manifest(const std::vector<CompareKey>& keys) {
  Sweep sweep;
  sweep.columns = {"kernel", "mode", "machine", "ranks", "schedule", "bytes"};
  for (const CompareKey& key : keys)
    sweep.points.push_back(point(key));
  return manifest_of(sweep, hash_.of(sweep.points));
}

}  // namespace a2a3::tools
