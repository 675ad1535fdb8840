// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace a2a3::models {

/// A key of a run: what its values may be, and its help in the schema.
struct SweepKey {
  std::string_view name;
  std::string_view help;
  bool is_group = false;                       ///< values by name
  std::optional<std::uint64_t> least = {};     ///< whole numbers from here ...
  std::optional<std::uint64_t> most = {};      ///< ... to here
  std::vector<std::string_view> choices = {};  ///< empty: any text
};

/// All keys of a run in a sweep file.
[[nodiscard]] const std::vector<SweepKey>& sweep_keys();

}  // namespace a2a3::models
