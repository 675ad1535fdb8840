// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "interp/host_tensor_check.hpp"
#include "interp/launch_record.hpp"

namespace a2a3::interp {
namespace {

/// Global memory is fastest at this alignment (hardware.md).
constexpr std::uint64_t kRegionAlignBytes = 512;

/// A part of a host tensor that lives on a device: overlapping accesses share one.
struct Region {
  std::size_t parameter = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t offset_bytes = 0;
  std::vector<const Access*> accesses;
};

/// A piece of a region that is copied to or from the device.
struct CopiedPart {
  ByteRun bytes;
  bool in = false;
  bool out = false;
};

/// What the accesses of a region read is copied in, what they write is copied out; the bytes
/// between the rows of slices with gaps may belong to another device.
std::vector<CopiedPart> copied_parts(const Region& region) {
  const auto has_gaps = [](const Access* access) { return !access->runs.empty(); };
  const auto& accesses = region.accesses;
  if (std::none_of(accesses.begin(), accesses.end(), has_gaps)) {
    CopiedPart whole{{region.begin, region.end}};
    for (const Access* access : accesses) {
      whole.in |= access->read;
      whole.out |= access->write;
    }
    return {whole};
  }
  std::map<std::uint64_t, std::array<int, 2>> changes;  // in open reads and writes
  for (const Access* access : accesses) {
    const std::vector<ByteRun> whole{{access->begin, access->end}};
    for (const ByteRun& run : access->runs.empty() ? whole : access->runs) {
      for (const auto& [at, change] : {std::pair(run.begin, 1), std::pair(run.end, -1)}) {
        changes[at][0] += access->read ? change : 0;
        changes[at][1] += access->write ? change : 0;
      }
    }
  }
  std::vector<CopiedPart> parts;
  std::array<int, 2> open{};
  for (auto change = changes.begin(); std::next(change) != changes.end(); ++change) {
    open[0] += change->second[0];
    open[1] += change->second[1];
    const CopiedPart next{{change->first, std::next(change)->first}, open[0] > 0, open[1] > 0};
    const bool goes_on = !parts.empty() && parts.back().bytes.end == next.bytes.begin &&
                         parts.back().in == next.in && parts.back().out == next.out;
    if (goes_on) {
      parts.back().bytes.end = next.bytes.end;
    } else if (next.in || next.out) {
      parts.push_back(next);
    }
  }
  return parts;
}

/// Slices with gaps as one access for each of their rows.
std::vector<Access> without_gaps(const std::vector<Access>& accesses) {
  std::vector<Access> result;
  for (const Access& access : accesses) {
    if (access.runs.empty()) result.push_back(access);
    Access bare = access;
    for (const ByteRun& run : std::exchange(bare.runs, {})) {
      bare.begin = run.begin;
      bare.end = run.end;
      result.push_back(bare);
    }
  }
  return result;
}

class Layout {
 public:
  Layout(LaunchRecord record, const BoundSignature& signature, const PlanOptions& options,
         ir::SourceLocation entry, ir::Diagnostics& diagnostics)
      : record_(std::move(record)), options_(options), entry_(entry), diagnostics_(diagnostics) {
    plan_.world_size = options.world_size;
    plan_.parameters = signature.parameters;
    const auto devices = static_cast<std::size_t>(options.world_size);
    plan_.gm_bytes.resize(devices);
    regions_.resize(devices);
  }

  LaunchPlan run() {
    form_domains();
    place_windows();
    check_host_tensors(without_gaps(record_.accesses), plan_.parameters, plan_.world_size,
                       diagnostics_);
    place_host_tensors();
    place_temporaries();
    plan_.launches = std::move(record_.launches);
    plan_.tasks = std::move(record_.tasks);
    fill_arguments();
    check_devices();
    return std::move(plan_);
  }

 private:
  /// A place for at most kMaxTensorBytes. Far beyond any capacity it is no longer counted.
  std::uint64_t take(std::uint32_t device, std::uint64_t bytes) {
    std::uint64_t& used = plan_.gm_bytes[device];
    if (used >= std::numeric_limits<std::uint64_t>::max() / 2) return used;
    const std::uint64_t offset =
        (used + kRegionAlignBytes - 1) / kRegionAlignBytes * kRegionAlignBytes;
    used = offset + bytes;
    return offset;
  }

  void form_domains() {
    for (std::size_t i = 0; i < record_.windows.size(); ++i) {
      WindowBuffer& window = record_.windows[i];
      const auto& set = record_.window_devices[i];
      if (!record_.viewed[i]) {
        diagnostics_.error(
            window.location,
            fmt::format("MaterializeCommDomainScopes: pld.tensor.alloc_window_buffer '{}' has no "
                        "pld.tensor.window materialisation (dead allocation)",
                        window.name));
      } else if (set.empty()) {
        diagnostics_.error(window.location,
                           fmt::format("MaterializeCommDomainScopes: "
                                       "pld.tensor.alloc_window_buffer '{}' is not consumed by any "
                                       "chip_orch dispatch",
                                       window.name));
      }
      const std::vector<std::uint32_t> devices(set.begin(), set.end());
      const auto same = std::find_if(plan_.domains.begin(), plan_.domains.end(),
                                     [&](const CommDomain& d) { return d.devices == devices; });
      window.domain = static_cast<std::uint32_t>(same - plan_.domains.begin());
      if (same == plan_.domains.end()) plan_.domains.push_back({devices});
    }
  }

  void place_windows() {
    constexpr std::uint64_t kBlock = isa::kBlockBytes;
    for (WindowBuffer& window : record_.windows) {
      for (const std::uint32_t device : plan_.domains[window.domain].devices) {
        // The rest of its last block may be read with it.
        window.offset_bytes[device] = take(device, (window.bytes + kBlock - 1) / kBlock * kBlock);
      }
    }
    plan_.windows = std::move(record_.windows);
  }

  void place_host_tensors() {
    std::vector<const Access*> accesses;
    for (const Access& access : record_.accesses)
      accesses.push_back(&access);
    std::stable_sort(accesses.begin(), accesses.end(), [](const Access* a, const Access* b) {
      return std::tuple(a->device, a->parameter, a->begin) <
             std::tuple(b->device, b->parameter, b->begin);
    });
    for (const Access* access : accesses) {
      std::vector<Region>& regions = regions_[access->device];
      if (regions.empty() || regions.back().parameter != access->parameter ||
          regions.back().end <= access->begin) {
        regions.push_back({access->parameter, access->begin, access->end, 0, {}});
      }
      Region& region = regions.back();
      region.end = std::max(region.end, access->end);
      region.accesses.push_back(access);
    }
    for (std::uint32_t device = 0; device < regions_.size(); ++device) {
      for (Region& region : regions_[device])
        place(region, device);
    }
  }

  void place(Region& region, std::uint32_t device) {
    region.offset_bytes = take(device, region.end - region.begin);
    for (const CopiedPart& part : copied_parts(region)) {
      HostCopy copy;
      copy.parameter = region.parameter;
      copy.host_offset_bytes = part.bytes.begin;
      copy.device = {device, region.offset_bytes + part.bytes.begin - region.begin};
      copy.bytes = part.bytes.end - part.bytes.begin;
      copy.copy_in = part.in;
      copy.copy_out = part.out;
      plan_.copies.push_back(copy);
    }
  }

  void place_temporaries() {
    for (const Temporary& temporary : record_.temporaries) {
      temporary_offsets_.push_back(take(temporary.device, temporary.bytes));
    }
  }

  void fill_arguments() {
    for (const OpenArgument& open : record_.open_arguments) {
      Task& task = plan_.tasks[open.task];
      auto& argument = std::get<TensorArgument>(task.arguments[open.argument]);
      const HostObject& object = record_.objects[open.object];
      argument.base.device = task.device;
      argument.stride = object.stride;
      switch (object.kind) {
        case HostObject::Kind::parameter: {
          const Region& region = region_of(task.device, object);
          argument.base.offset_bytes = region.offset_bytes + object.offset_bytes - region.begin;
          break;
        }
        case HostObject::Kind::temporary:
          argument.base.offset_bytes = temporary_offsets_[object.index] + object.offset_bytes;
          break;
        default: {
          const WindowBuffer& window = plan_.windows[object.index];
          argument.window = static_cast<std::int32_t>(object.index);
          argument.window_offset_bytes = object.offset_bytes;
          argument.base.offset_bytes = window.offset_bytes.at(task.device) + object.offset_bytes;
        }
      }
    }
  }

  [[nodiscard]] const Region& region_of(std::uint32_t device, const HostObject& object) const {
    const std::vector<Region>& regions = regions_[device];
    const auto behind = std::upper_bound(
        regions.begin(), regions.end(), std::pair(object.index, object.offset_bytes),
        [](const std::pair<std::size_t, std::uint64_t>& key, const Region& region) {
          return key < std::pair(region.parameter, region.begin);
        });
    return *(behind - 1);
  }

  void check_devices() {
    std::vector<bool> used(plan_.gm_bytes.size(), false);
    for (const Task& task : plan_.tasks)
      used[task.device] = true;
    std::vector<std::size_t> idle;
    for (std::size_t device = 0; device < used.size(); ++device) {
      if (!used[device]) idle.push_back(device);
      if (plan_.gm_bytes[device] > options_.gm_capacity_bytes) {
        diagnostics_.error(entry_,
                           fmt::format("device {} needs {} bytes of global memory for windows and "
                                       "tensors, {} are available",
                                       device, plan_.gm_bytes[device], options_.gm_capacity_bytes));
      }
    }
    if (!idle.empty()) {
      ir::Diagnostic& warning = diagnostics_.warning(
          entry_, fmt::format("{} of {} devices get{} no dispatch: {}", idle.size(), used.size(),
                              idle.size() == 1 ? "s" : "", fmt::join(idle, ", ")));
      warning.notes.push_back(
          {"give every device its kernel, `for r in pl.range(pld.world_size()):` with device=r, or "
           "run on as many devices as the program is for",
           {}});
    }
  }

  LaunchRecord record_;
  const PlanOptions& options_;
  ir::SourceLocation entry_;
  ir::Diagnostics& diagnostics_;
  LaunchPlan plan_;
  std::vector<std::vector<Region>> regions_;  ///< by device
  std::vector<std::uint64_t> temporary_offsets_;
};

}  // namespace

LaunchPlan layout(LaunchRecord record, const BoundSignature& signature, const PlanOptions& options,
                  ir::SourceLocation entry, ir::Diagnostics& diagnostics) {
  return Layout(std::move(record), signature, options, entry, diagnostics).run();
}

}  // namespace a2a3::interp
