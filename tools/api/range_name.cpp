// SPDX-License-Identifier: Apache-2.0
#include "a2a3/range_name.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "interp/dim_binding.hpp"

namespace a2a3 {
namespace {

/// The element of a tensor that a byte of its device's memory belongs to.
std::optional<std::vector<std::int64_t>> element_at(const interp::TensorArgument& tensor,
                                                    std::uint64_t byte) {
  if (byte < tensor.base.offset_bytes) return std::nullopt;
  return element_of(
      static_cast<std::int64_t>(byte - tensor.base.offset_bytes) / isa::size_of(tensor.dtype),
      tensor);
}

/// Elements from..to of a tensor: "2, 0:64", or "0:3" for whole rows; of a range that is no box the
/// first and the last element: "1, 5 to 2, 9".
std::string index_range(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to,
                        const std::vector<std::int64_t>& shape) {
  std::size_t d = 0;
  while (d < shape.size() && from[d] == to[d])
    ++d;
  std::string text;
  const auto add = [&](const std::string& index) { text += (text.empty() ? "" : ", ") + index; };
  for (std::size_t i = 0; i < d; ++i)
    add(std::to_string(from[i]));
  if (d == shape.size()) return text;
  const bool is_box = std::ranges::all_of(from.begin() + static_cast<std::ptrdiff_t>(d) + 1,
                                          from.end(), [](std::int64_t i) { return i == 0; }) &&
                      std::ranges::equal(to.begin() + static_cast<std::ptrdiff_t>(d) + 1, to.end(),
                                         shape.begin() + static_cast<std::ptrdiff_t>(d) + 1,
                                         shape.end(), [](auto a, auto b) { return a + 1 == b; });
  if (is_box) {
    add(fmt::format("{}:{}", from[d], to[d] + 1));
    for (std::size_t i = d + 1; i < shape.size(); ++i)
      add(fmt::format("0:{}", shape[i]));
    return text;
  }
  text.clear();
  for (const std::int64_t i : from)
    add(std::to_string(i));
  std::string end;
  for (const std::int64_t i : to)
    end += (end.empty() ? "" : ", ") + std::to_string(i);
  return text + " to " + end;
}

}  // namespace

std::optional<std::vector<std::int64_t>> element_of(std::int64_t offset,
                                                    const interp::TensorArgument& view) {
  std::int64_t packed = 1;
  for (const std::int64_t extent : view.shape)
    packed *= extent;
  if (offset < 0 || packed <= 0) return std::nullopt;
  std::vector<std::int64_t> index(view.shape.size(), 0);
  for (std::size_t d = 0; d < view.shape.size(); ++d) {
    packed /= view.shape[d];
    if (view.shape[d] == 1) continue;
    const std::int64_t stride = view.stride.empty() ? packed : view.stride[d];
    index[d] = offset / stride;
    if (index[d] >= view.shape[d]) return std::nullopt;
    offset %= stride;
  }
  if (offset != 0) return std::nullopt;
  return index;
}

WindowRegion window_of(const interp::LaunchPlan& plan, const isa::GlobalAddress& address) {
  for (std::size_t w = 0; w < plan.windows.size(); ++w) {
    const interp::WindowBuffer& window = plan.windows[w];
    const auto offset = window.offset_bytes.find(address.device);
    if (offset == window.offset_bytes.end()) continue;
    const WindowRegion region{static_cast<std::int32_t>(w), offset->second,
                              offset->second + window.bytes};
    if (address.offset_bytes >= region.begin && address.offset_bytes < region.end) return region;
  }
  return {};
}

RangeName name_range(const interp::LaunchPlan& plan, const isa::GlobalAddress& address,
                     std::uint64_t bytes) {
  RangeName name;
  const WindowRegion region = window_of(plan, address);
  if (region.index >= 0) name.window = plan.windows[static_cast<std::size_t>(region.index)].name;
  // The argument of a kernel of this device that holds the range, and its name there.
  for (const interp::Task& task : plan.tasks) {
    if (task.device != address.device) continue;
    for (std::size_t a = 0; a < task.arguments.size(); ++a) {
      const auto* tensor = std::get_if<interp::TensorArgument>(&task.arguments[a]);
      if (tensor == nullptr) continue;
      const auto from = element_at(*tensor, address.offset_bytes);
      const auto to = element_at(*tensor, address.offset_bytes + bytes - 1);
      if (!from || !to) continue;
      name.text = fmt::format("{}[{}]", task.kernel->parameters[a].name,
                              index_range(*from, *to, tensor->shape));
      return name;
    }
  }
  for (const interp::HostCopy& copy : plan.copies) {
    const std::uint64_t first = copy.device.offset_bytes;
    if (copy.device.device != address.device || address.offset_bytes < first ||
        address.offset_bytes + bytes > first + copy.bytes)
      continue;
    const std::uint64_t at = copy.host_offset_bytes + address.offset_bytes - first;
    name.text = name_host_range(plan.parameters[copy.parameter], at, at + bytes);
    return name;
  }
  const std::uint64_t begin = address.offset_bytes - region.begin;
  name.text = fmt::format("bytes {}:{} of {}", begin, begin + bytes,
                          name.window.empty() ? "the memory" : name.window);
  return name;
}

std::string name_host_range(const interp::HostParameter& parameter, std::uint64_t begin,
                            std::uint64_t end) {
  interp::TensorArgument whole;
  whole.dtype = parameter.dtype;
  whole.shape = parameter.shape;
  const std::uint64_t bytes = interp::tensor_bytes(parameter.shape, parameter.dtype).value_or(0);
  if (begin == 0 && end == bytes) return parameter.name;
  const auto from = element_at(whole, begin);
  const auto to = element_at(whole, end - 1);
  if (!from || !to) return fmt::format("bytes {}:{} of {}", begin, end, parameter.name);
  return fmt::format("{}[{}]", parameter.name, index_range(*from, *to, whole.shape));
}

}  // namespace a2a3
