// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "a2a3/finding.hpp"
#include "a2a3/range_name.hpp"
#include "interp/dim_binding.hpp"
#include "interp/id_list.hpp"

namespace a2a3 {
namespace {

/// The windows, by index, in which cells were signalled.
std::set<std::int32_t> signal_windows(const FindingSources& sources) {
  std::set<std::int32_t> windows;
  for (std::uint32_t device = 0; device < sources.plan.gm_bytes.size(); ++device) {
    for (const sim::CellCredit& credit : sources.signals.credits(device))
      windows.insert(window_of(sources.plan, credit.cell).index);
  }
  return windows;
}

/// Whether nothing on any device has written the window: zeros is what it is there for.
bool is_blank(const interp::WindowBuffer& window, const isa::WrittenBytes& written) {
  return std::ranges::all_of(window.offset_bytes, [&](const auto& place) {
    std::uint64_t gaps = 0;
    written.for_each_gap({place.first, place.second}, window.bytes,
                         [&](isa::GlobalAddress, std::uint64_t bytes) { gaps += bytes; });
    return gaps == window.bytes;
  });
}

Finding unwritten_read(const isa::UnwrittenRead& read, const FindingSources& sources) {
  Finding finding;
  finding.kind = "unwritten read";
  finding.ranks.assign(read.readers.begin(), read.readers.end());
  finding.count = read.count;
  RangeName name = name_range(sources.plan, read.address, read.bytes);
  const bool in_window = read.region >= 0;
  finding.diagnostic.severity = in_window ? ir::Severity::warning : ir::Severity::error;
  finding.diagnostic.location = sources.locate(read.source);
  const bool one_rank = finding.ranks.size() == 1;
  const char* const verb =
      read.adds ? (one_rank ? "adds to" : "add to") : (one_rank ? "reads" : "read");
  finding.diagnostic.message =
      fmt::format("unwritten read: {} {} bytes that nothing has written: {} of rank {}{}",
                  interp::rank_list(finding.ranks), verb, name.text, read.address.device,
                  read.count > 1 ? ", for one" : "");
  finding.place = std::move(name.text);
  if (in_window) {
    finding.diagnostic.notes.push_back(
        {"a window begins with zeros; if that is not meant, compare the rank, offsets and shape of "
         "the read with what was staged",
         {}});
  } else {
    finding.diagnostic.notes.push_back(
        {fmt::format("{}outputs and tensors of pl.create_tensor begin with anything: write before "
                     "you {}",
                     read.adds ? "an atomic add reads what it adds to; " : "",
                     read.adds ? "add" : "read"),
         {}});
  }
  return finding;
}

/// Parts of Out parameters that nobody wrote.
std::vector<Finding> unwritten_outputs(const isa::WrittenBytes& found,
                                       const FindingSources& sources) {
  std::map<std::size_t, Finding> by_parameter;
  for (const interp::HostCopy& copy : sources.plan.copies) {
    if (!copy.copy_out || interp::brings_values(sources.plan, copy)) continue;
    found.for_each_gap(copy.device, copy.bytes, [&](isa::GlobalAddress gap, std::uint64_t bytes) {
      Finding& finding = by_parameter[copy.parameter];
      if (finding.ranks.empty() || finding.ranks.back() != gap.device)
        finding.ranks.push_back(gap.device);
      if (finding.ranks.size() > 1 || !finding.place.empty()) return;
      const interp::HostParameter& parameter = sources.plan.parameters[copy.parameter];
      finding.kind = "unwritten output";
      finding.parameter = parameter.name;
      finding.place = name_range(sources.plan, gap, bytes).text;
      finding.diagnostic.severity = ir::Severity::error;
      finding.diagnostic.location = parameter.location;
      finding.diagnostic.notes.push_back(
          {"an output begins with anything; a golden that is right there would accept it", {}});
    });
  }
  std::vector<Finding> all;
  for (auto& [parameter, finding] : by_parameter) {
    const std::uint32_t first = finding.ranks.front();
    std::ranges::sort(finding.ranks);
    const auto [end, last] = std::ranges::unique(finding.ranks);
    finding.ranks.erase(end, last);
    finding.diagnostic.message =
        fmt::format("unwritten output: \"{}\" is not written everywhere by {}: not {} of rank {}",
                    finding.parameter, interp::rank_list(finding.ranks), finding.place, first);
    all.push_back(std::move(finding));
  }
  return all;
}

/// Bytes of a host tensor.
struct HostRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// By parameter: what the host gets back of it, ascending.
std::map<std::size_t, std::vector<HostRange>> returned_ranges(const interp::LaunchPlan& plan) {
  std::map<std::size_t, std::vector<HostRange>> returned;
  for (const interp::HostCopy& copy : plan.copies) {
    if (!copy.copy_out) continue;
    returned[copy.parameter].push_back(
        {copy.host_offset_bytes, copy.host_offset_bytes + copy.bytes});
  }
  for (auto& [parameter, ranges] : returned)
    std::ranges::sort(ranges, {}, &HostRange::begin);
  return returned;
}

/// Parts of Out parameters of the host function that belong to no dispatch.
std::vector<Finding> undispatched_outputs(const FindingSources& sources) {
  const interp::LaunchPlan& plan = sources.plan;
  const auto returned = returned_ranges(plan);
  std::vector<Finding> all;
  for (std::size_t p = 0; p < plan.parameters.size(); ++p) {
    const interp::HostParameter& parameter = plan.parameters[p];
    if (parameter.kind == ir::TypeKind::scalar || parameter.direction != ir::Direction::out)
      continue;
    const std::uint64_t whole = interp::tensor_bytes(parameter.shape, parameter.dtype).value_or(0);
    std::vector<HostRange> gaps;
    std::uint64_t covered = 0;
    const auto enter = [&](const HostRange& range) {
      if (range.begin > covered) gaps.push_back({covered, range.begin});
      covered = std::max(covered, range.end);
    };
    if (const auto found = returned.find(p); found != returned.end())
      std::ranges::for_each(found->second, enter);
    enter({whole, whole});
    if (gaps.empty()) continue;
    Finding& finding = all.emplace_back();
    finding.kind = "unwritten output";
    finding.parameter = parameter.name;
    finding.place = name_host_range(parameter, gaps.front().begin, gaps.front().end);
    finding.diagnostic.severity = ir::Severity::error;
    finding.diagnostic.location = parameter.location;
    finding.diagnostic.message = fmt::format(
        "unwritten output: \"{}\" is not written everywhere: no dispatch gets {}{}", parameter.name,
        finding.place,
        gaps.size() == 1
            ? ""
            : fmt::format(", and {} more part{}", gaps.size() - 1, gaps.size() == 2 ? "" : "s"));
    finding.diagnostic.notes.push_back(
        {"an output begins with anything; a golden that is right there would accept it", {}});
  }
  return all;
}

}  // namespace

std::vector<Finding> memory_findings(const isa::WrittenBytes& found,
                                     const FindingSources& sources) {
  const std::vector<isa::UnwrittenRead> reads = found.reads();
  const std::set<std::int32_t> signals =
      reads.empty() ? std::set<std::int32_t>{} : signal_windows(sources);
  std::vector<Finding> all;
  for (const isa::UnwrittenRead& read : reads) {
    if (read.region >= 0) {
      if (signals.contains(read.region)) continue;
      const auto& window = sources.plan.windows[static_cast<std::size_t>(read.region)];
      if (!read.remote && (!found.is_complete() || is_blank(window, found))) continue;
    }
    all.push_back(unwritten_read(read, sources));
  }
  if (!sources.finished) return all;
  for (Finding& finding : unwritten_outputs(found, sources))
    all.push_back(std::move(finding));
  for (Finding& finding : undispatched_outputs(sources))
    all.push_back(std::move(finding));
  return all;
}

}  // namespace a2a3
