// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "models/machine_fields.hpp"

namespace a2a3::models {

/// A row of a struct's list: its key, member, unit kind, range and meaning.
template <typename Struct>
struct Row {
  const char* key;
  std::variant<double Struct::*, std::uint64_t Struct::*, std::uint32_t Struct::*> member;
  Quantity quantity;
  double low;
  double high;
  const char* help;
  std::optional<double> fallback = std::nullopt;
  bool or_none = false;  ///< "none" stands for 0
};

inline constexpr double kKi = 1024;
inline constexpr double kMi = kKi * kKi;
inline constexpr double kGi = kKi * kMi;
inline constexpr double kMaxCycles = 1e9;
inline constexpr double kMaxSeconds = 1;
inline constexpr double kMinBandwidth = 1e3;
inline constexpr double kMaxBandwidth = 1e15;

/// Makes a struct's row a field of the whole description; `part` takes the description to the
/// struct.
template <typename Struct, typename Part>
MachineField field(const std::string& section, const Row<Struct>& row, Part part) {
  MachineField result;
  result.path = section + row.key;
  result.quantity = row.quantity;
  result.low = row.low;
  result.high = row.high;
  result.fallback = row.fallback;
  result.help = row.help;
  if (row.or_none) {
    result.words = {"none"};
    result.or_number = true;
  }
  result.get = [member = row.member, part](const MachineDescription& machine) {
    return std::visit([&](auto pointer) { return static_cast<double>(part(machine).*pointer); },
                      member);
  };
  result.set = [member = row.member, part](MachineDescription& machine, double value) {
    std::visit(
        [&](auto pointer) {
          using Value = std::remove_reference_t<decltype(part(machine).*pointer)>;
          part(machine).*pointer = static_cast<Value>(value);
        },
        member);
  };
  return result;
}

/// A field that is one of the words: the member, an enumeration in their order, to which `part`
/// takes the description.
template <typename Part>
MachineField word_field(const char* path, const char* help, std::vector<std::string> words,
                        Part part) {
  MachineField result;
  result.path = path;
  result.help = help;
  result.words = std::move(words);
  result.get = [part](const MachineDescription& machine) {
    return static_cast<double>(part(machine));
  };
  result.set = [part](MachineDescription& machine, double value) {
    using Member = std::remove_reference_t<decltype(part(machine))>;
    part(machine) = static_cast<Member>(value);
  };
  return result;
}

/// Appends a list's rows as fields of a section: "link.".
template <typename Rows, typename Part>
void add_fields(std::vector<MachineField>& fields, const std::string& section, const Rows& rows,
                Part part) {
  for (const auto& row : rows)
    fields.push_back(field(section, row, part));
}

}  // namespace a2a3::models
