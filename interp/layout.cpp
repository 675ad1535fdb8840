// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <tuple>

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
  bool copy_in = false;
  bool copy_out = false;
  std::uint64_t offset_bytes = 0;
};

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
    check_host_tensors(record_.accesses, plan_.parameters, diagnostics_);
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
    std::vector<Access> accesses = record_.accesses;
    std::stable_sort(accesses.begin(), accesses.end(), [](const Access& a, const Access& b) {
      return std::tuple(a.device, a.parameter, a.begin) <
             std::tuple(b.device, b.parameter, b.begin);
    });
    for (const Access& access : accesses) {
      std::vector<Region>& regions = regions_[access.device];
      if (regions.empty() || regions.back().parameter != access.parameter ||
          regions.back().end <= access.begin) {
        regions.push_back({access.parameter, access.begin, access.end, false, false, 0});
      }
      Region& region = regions.back();
      region.end = std::max(region.end, access.end);
      region.copy_in |= access.read;
      region.copy_out |= access.write;
    }
    for (std::uint32_t device = 0; device < regions_.size(); ++device) {
      for (Region& region : regions_[device]) {
        const std::uint64_t bytes = region.end - region.begin;
        region.offset_bytes = take(device, bytes);
        HostCopy copy;
        copy.parameter = region.parameter;
        copy.host_offset_bytes = region.begin;
        copy.device = {device, region.offset_bytes};
        copy.bytes = bytes;
        copy.copy_in = region.copy_in;
        copy.copy_out = region.copy_out;
        plan_.copies.push_back(copy);
      }
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
      switch (object.kind) {
        case HostObject::Kind::parameter: {
          const Region& region = region_of(task.device, object);
          argument.base.offset_bytes = region.offset_bytes + object.offset_bytes - region.begin;
          argument.region_bytes = object.bytes;
          break;
        }
        case HostObject::Kind::temporary:
          argument.base.offset_bytes = temporary_offsets_[object.index] + object.offset_bytes;
          argument.region_bytes = object.bytes;
          break;
        default: {
          const WindowBuffer& window = plan_.windows[object.index];
          argument.window = static_cast<std::int32_t>(object.index);
          argument.window_offset_bytes = object.offset_bytes;
          argument.base.offset_bytes = window.offset_bytes.at(task.device) + object.offset_bytes;
          argument.region_bytes = window.bytes - object.offset_bytes;
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
      diagnostics_.warning(
          entry_, fmt::format("{} of {} devices get{} no dispatch: {}", idle.size(), used.size(),
                              idle.size() == 1 ? "s" : "", fmt::join(idle, ", ")));
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
