// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/dim.hpp"

namespace a2a3::ir {

/// Devices that a host program dispatches to: runs of consecutive ids, apart from one another, in
/// rising order. The last one may reach up to the world size, which only the launch knows.
class DeviceSet {
 public:
  struct Run {
    std::int64_t begin = 0;
    std::optional<std::int64_t> end;  ///< behind the last one; the world size when absent

    friend bool operator==(const Run&, const Run&) = default;
  };

  void add(Run run);
  void add(const DeviceSet& other);

  [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }
  [[nodiscard]] bool empty() const { return runs_.empty(); }
  /// How many there are, `pld.world_size()` being a symbol.
  [[nodiscard]] Dim count() const;
  /// "0-3, 6", "1-" for all but the first.
  [[nodiscard]] std::string to_string() const;

  friend bool operator==(const DeviceSet&, const DeviceSet&) = default;

 private:
  std::vector<Run> runs_;
};

}  // namespace a2a3::ir
