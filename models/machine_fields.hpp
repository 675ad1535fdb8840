// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/config/quantity.hpp"
#include "models/machine_description.hpp"

namespace a2a3::models {

/// One number of a MachineDescription: where it stands in the file, how it is written, and where it
/// goes. Reading, `machine show`, the schema and the documentation all follow the same list.
struct MachineField {
  std::string path;  ///< keys from the root, joined by dots: "core.load_startup"
  Quantity quantity = Quantity::count;
  double low = 0;  ///< smallest and largest value allowed, in the quantity's base unit
  double high = 0;
  std::optional<double> fallback;  ///< value when the file has none; absent: the key is required
  std::string help;
  /// Words in place of a number: the value of a word is its index. Only these are allowed, unless
  /// `or_number` is set.
  std::vector<std::string> words;
  bool or_number = false;
  /// Whether this machine reads the field at all; null: every machine does. Set by the value of
  /// another field, `selector`.
  bool (*read_by)(const MachineDescription&) = nullptr;
  std::string selector;
  std::function<double(const MachineDescription&)> get;
  std::function<void(MachineDescription&, double)> set;

  /// The value as it is written in a file: "28 GB/s", "full_mesh", "any".
  [[nodiscard]] std::string text(double value) const;
};

/// All fields in the order of the documentation. Each struct of machine_description.hpp has one
/// descriptor list in machine_fields.cpp; a field without descriptor does not compile.
[[nodiscard]] const std::vector<MachineField>& machine_fields();

/// The mappings of a machine file by their path ("" for the root, "core", "vector.add"), each with
/// its keys in order. The root's include the two that are text: "extends" and "description".
[[nodiscard]] const std::map<std::string, std::vector<std::string>>& machine_mappings();

}  // namespace a2a3::models
