// SPDX-License-Identifier: Apache-2.0
#include "models/machine_lists.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "models/config/quantity.hpp"
#include "models/machine_fields.hpp"

namespace a2a3::models {
namespace {

bool is_list(const ConfigEntry& entry, const char* example, ir::Diagnostics& diagnostics) {
  if (entry.value.kind == ConfigNode::Kind::sequence) return true;
  diagnostics
      .error(entry.key_location,
             fmt::format("'{}' must be a list, got {}", entry.key, describe(entry.value.kind)))
      .notes.push_back({fmt::format("for example {}", example), {}});
  return false;
}

/// A number of a list, held to the range of a field of the machine.
std::optional<double> number(const ConfigNode& node, const std::string& what, Quantity quantity,
                             double low, double high, ir::Diagnostics& diagnostics) {
  const auto error = [&](const std::string& text) {
    ir::Diagnostic& one = diagnostics.error(node.location, fmt::format("{}: {}", what, text));
    if (const std::string units = unit_names(quantity); !units.empty())
      one.notes.push_back({"units: " + units, {}});
    return std::nullopt;
  };
  if (node.kind != ConfigNode::Kind::scalar)
    return error(fmt::format("expected {}, got {}", describe(quantity), describe(node.kind)));
  const ParsedQuantity parsed = parse_quantity(node.scalar, quantity);
  if (!parsed.error.empty()) return error(parsed.error);
  if (parsed.value < low || parsed.value > high)
    return error(fmt::format("{} is out of range: {} to {}", node.scalar,
                             format_quantity(low, quantity), format_quantity(high, quantity)));
  return parsed.value;
}

std::optional<double> device(const ConfigNode& node, const std::string& what,
                             ir::Diagnostics& diagnostics) {
  return number(node, what, Quantity::count, 0, kMostDevices - 1.0, diagnostics);
}

std::optional<SlowLink> slow_link(const ConfigNode& node, ir::Diagnostics& diagnostics) {
  if (node.kind != ConfigNode::Kind::mapping) {
    diagnostics.error(node.location, fmt::format("slow_links: expected a mapping with from, to, "
                                                 "bandwidth and hop_latency, got {}",
                                                 describe(node.kind)));
    return std::nullopt;
  }
  report_unknown_keys(node, "slow_links", {"from", "to", "bandwidth", "hop_latency"}, diagnostics);
  SlowLink slow;
  bool right = true;
  for (const auto& [key, end] : {std::pair{"from", &slow.from}, {"to", &slow.to}}) {
    const ConfigEntry* entry = node.find(key);
    if (entry == nullptr) {
      diagnostics.error(node.location, fmt::format("slow_links: '{}' is missing", key));
      right = false;
      continue;
    }
    const auto value = device(entry->value, std::string("slow_links: ") + key, diagnostics);
    right = right && value.has_value();
    if (value) *end = static_cast<std::uint32_t>(*value);
  }
  const auto figure = [&](const char* key, const char* field_path, std::optional<double>& into) {
    const ConfigEntry* entry = node.find(key);
    if (entry == nullptr) return;
    const MachineField& field =
        *std::ranges::find(machine_fields(), field_path, &MachineField::path);
    into = number(entry->value, std::string("slow_links: ") + key, field.quantity, field.low,
                  field.high, diagnostics);
    right = right && into.has_value();
  };
  figure("bandwidth", "link.bandwidth", slow.bytes_per_second);
  figure("hop_latency", "link.hop_latency", slow.hop_seconds);
  if (!right) return std::nullopt;
  if (!slow.bytes_per_second && !slow.hop_seconds) {
    diagnostics.error(node.location,
                      "slow_links: nothing differs; give bandwidth, hop_latency or both");
    return std::nullopt;
  }
  if (slow.from == slow.to) {
    diagnostics.error(node.location, "slow_links: a device has no link to itself");
    return std::nullopt;
  }
  return slow;
}

}  // namespace

std::vector<Listed<SlowLink>> read_slow_links(const ConfigEntry& entry,
                                              ir::Diagnostics& diagnostics) {
  std::vector<Listed<SlowLink>> links;
  std::map<std::pair<std::uint32_t, std::uint32_t>, ir::SourceLocation> first;
  if (!is_list(entry, "- {from: 0, to: 3, bandwidth: 14 GB/s}", diagnostics)) return links;
  for (const ConfigNode& node : entry.value.items) {
    const auto slow = slow_link(node, diagnostics);
    if (!slow) continue;
    const auto [known, is_new] = first.try_emplace({slow->from, slow->to}, node.location);
    if (!is_new) {
      diagnostics
          .error(node.location, fmt::format("slow_links: the link from {} to {} is given twice",
                                            slow->from, slow->to))
          .notes.push_back({"first here", known->second});
      continue;
    }
    links.push_back({*slow, node.location, trailing_comment(node.location)});
  }
  return links;
}

std::vector<Listed<std::uint32_t>> read_placement(const ConfigEntry& entry,
                                                  ir::Diagnostics& diagnostics) {
  std::vector<Listed<std::uint32_t>> placement;
  std::map<std::uint32_t, ir::SourceLocation> first;
  if (!is_list(entry, "placement: [0, 2, 1, 3]", diagnostics)) return placement;
  for (const ConfigNode& node : entry.value.items) {
    const auto value = device(node, "placement", diagnostics);
    if (!value) continue;
    const auto position = static_cast<std::uint32_t>(*value);
    const auto [known, is_new] = first.try_emplace(position, node.location);
    if (!is_new) {
      diagnostics
          .error(node.location, fmt::format("placement: position {} is taken already", position))
          .notes.push_back({"first here", known->second});
      continue;
    }
    placement.push_back({position, node.location, trailing_comment(entry.value.location)});
  }
  return placement;
}

std::string text(const SlowLink& slow) {
  std::string result = fmt::format("from {} to {}:", slow.from, slow.to);
  if (slow.bytes_per_second)
    result += " bandwidth " + format_quantity(*slow.bytes_per_second, Quantity::bandwidth);
  if (slow.hop_seconds)
    result += (slow.bytes_per_second ? ", hop_latency " : " hop_latency ") +
              format_quantity(*slow.hop_seconds, Quantity::time);
  return result;
}

}  // namespace a2a3::models
