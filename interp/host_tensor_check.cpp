// SPDX-License-Identifier: Apache-2.0
#include "interp/host_tensor_check.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace a2a3::interp {
namespace {

/// Indices named in a message before it says "...".
constexpr std::size_t kNamedIndices = 8;

using Accesses = std::vector<const Access*>;

/// Reports pairs of overlapping writes by different devices. `writes` is sorted by begin.
void check_writers(const Accesses& writes, const HostParameter& parameter,
                   ir::Diagnostics& diagnostics) {
  const Access* widest = nullptr;  // of those so far, the one that reaches furthest
  for (const Access* write : writes) {
    if (widest != nullptr && widest->end > write->begin && widest->device != write->device) {
      if (!widest->sliced && !write->sliced) {
        diagnostics
            .error(write->location, fmt::format("output \"{}\" is given whole to devices {} and {}",
                                                parameter.name, widest->device, write->device))
            .notes.push_back(
                {fmt::format("give each device a slice of its own: {}[r]", parameter.name), {}});
      } else {
        diagnostics
            .warning(write->location,
                     fmt::format("output \"{}\" is dispatched to device {} and to device {}: the "
                                 "content of the last one is kept",
                                 write->name, std::min(widest->device, write->device),
                                 std::max(widest->device, write->device)))
            .notes.push_back({"each rank has a slice of its own: is device=r or [r] missing?", {}});
      }
      return;
    }
    if (widest == nullptr || write->end > widest->end) widest = write;
  }
}

/// Bytes that one device writes.
struct Written {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint32_t device = 0;
};

/// Reports a part that one device writes and another one reads. Writes of different devices do not
/// overlap.
void check_readers(const Accesses& writes, const Accesses& reads, const HostParameter& parameter,
                   ir::Diagnostics& diagnostics) {
  std::vector<Written> written;
  for (const Access* write : writes) {
    if (written.empty() || written.back().end <= write->begin) {
      written.push_back({write->begin, write->end, write->device});
    } else {
      written.back().end = std::max(written.back().end, write->end);
    }
  }
  for (const Access* read : reads) {
    auto write =
        std::upper_bound(written.begin(), written.end(), read->begin,
                         [](std::uint64_t begin, const Written& part) { return begin < part.end; });
    for (; write != written.end() && write->begin < read->end; ++write) {
      if (write->device == read->device) continue;
      diagnostics
          .error(read->location, fmt::format("\"{}\" is read on device {} and written on device {}",
                                             read->name, read->device, write->device))
          .notes.push_back({fmt::format("host tensors are not shared between devices during a run: "
                                        "exchange \"{}\" through a window",
                                        parameter.name),
                            {}});
      return;
    }
  }
}

/// The slices of a tensor along its first dimension that no access touches, as in "y[1], y[3]";
/// empty when there are none. The accesses are sorted by begin.
std::string untouched_slices(const Accesses& accesses, const HostParameter& parameter) {
  if (parameter.shape.empty()) return {};
  std::uint64_t slice_bytes = static_cast<std::uint64_t>(isa::size_of(parameter.dtype));
  for (std::size_t d = 1; d < parameter.shape.size(); ++d) {
    slice_bytes *= static_cast<std::uint64_t>(parameter.shape[d]);
  }
  std::vector<std::uint64_t> missing;
  auto access = accesses.begin();
  std::uint64_t touched = 0;  // the furthest end of those before `access`
  for (std::uint64_t index = 0; index < static_cast<std::uint64_t>(parameter.shape[0]); ++index) {
    const std::uint64_t end = (index + 1) * slice_bytes;
    for (; access != accesses.end() && (*access)->begin < end; ++access)
      touched = std::max(touched, (*access)->end);
    if (touched <= index * slice_bytes) missing.push_back(index);
  }
  std::string names;
  for (std::size_t i = 0; i < std::min(missing.size(), kNamedIndices); ++i) {
    names += fmt::format("{}{}[{}]", i > 0 ? ", " : "", parameter.name, missing[i]);
  }
  if (missing.size() > kNamedIndices) names += ", ...";
  return names;
}

/// Reports an output that no dispatch gets, and slices that were meant for a rank that gets nothing
/// of it. Whether the rest is written everywhere is seen when the kernels run.
void check_output_coverage(const Accesses& writes, const HostParameter& parameter,
                           std::int64_t world_size, ir::Diagnostics& diagnostics) {
  if (writes.empty()) {
    diagnostics.warning(parameter.location,
                        fmt::format("output \"{}\" is not given to any dispatch", parameter.name));
    return;
  }
  std::set<std::uint32_t> devices;
  for (const Access* write : writes)
    devices.insert(write->device);
  if (devices.size() >= static_cast<std::size_t>(world_size)) return;
  const std::string missing = untouched_slices(writes, parameter);
  if (missing.empty()) return;
  diagnostics.warning(parameter.location,
                      fmt::format("rank never used: no dispatch gets {}", missing));
}

/// Reports a slice of an input that goes to several devices while others go to none: x[0] where
/// x[r] was meant. `reads` is sorted by begin.
void check_input_coverage(const Accesses& reads, const HostParameter& parameter,
                          ir::Diagnostics& diagnostics) {
  if (!std::ranges::all_of(reads, &Access::sliced)) return;
  const Access* before = nullptr;
  for (const Access* read : reads) {
    if (before != nullptr && before->end > read->begin && before->device != read->device) {
      const std::string missing = untouched_slices(reads, parameter);
      if (missing.empty()) return;
      diagnostics
          .warning(read->location,
                   fmt::format("input \"{}\" is dispatched to device {} and to device {}, and no "
                               "dispatch gets {}",
                               read->name, before->device, read->device, missing))
          .notes.push_back({"each rank has a slice of its own: is device=r or [r] missing?", {}});
      return;
    }
    if (before == nullptr || read->end > before->end) before = read;
  }
}

}  // namespace

void check_host_tensors(const std::vector<Access>& accesses,
                        const std::vector<HostParameter>& parameters, std::int64_t world_size,
                        ir::Diagnostics& diagnostics) {
  std::vector<Accesses> writes(parameters.size());
  std::vector<Accesses> reads(parameters.size());
  for (const Access& access : accesses) {
    if (access.write) writes[access.parameter].push_back(&access);
    if (access.read) reads[access.parameter].push_back(&access);
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    for (Accesses* sorted : {&writes[i], &reads[i]}) {
      std::stable_sort(sorted->begin(), sorted->end(),
                       [](const Access* a, const Access* b) { return a->begin < b->begin; });
    }
    if (parameters[i].kind == ir::TypeKind::scalar) continue;
    const std::size_t before = diagnostics.all().size();
    check_writers(writes[i], parameters[i], diagnostics);
    // What overlapping writers leave is undefined anyway.
    if (diagnostics.all().size() == before) {
      check_readers(writes[i], reads[i], parameters[i], diagnostics);
    }
    if (parameters[i].direction == ir::Direction::in) {
      check_input_coverage(reads[i], parameters[i], diagnostics);
    } else {
      check_output_coverage(writes[i], parameters[i], world_size, diagnostics);
    }
  }
}

}  // namespace a2a3::interp
