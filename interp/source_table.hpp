// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "ir/source.hpp"
#include "isa/instruction.hpp"

namespace a2a3::interp {

/// Gives source positions the small numbers that instructions carry.
class SourceTable {
 public:
  isa::SourceId intern(const ir::SourceLocation& location) {
    const auto key = std::tuple(location.file, location.line, location.column, location.length);
    const auto [place, is_new] = ids_.try_emplace(key, static_cast<isa::SourceId>(items_.size()));
    if (is_new) items_.push_back(location);
    return place->second;
  }
  [[nodiscard]] ir::SourceLocation location(isa::SourceId id) const {
    return id < items_.size() ? items_[id] : ir::SourceLocation{};
  }
  [[nodiscard]] std::size_t size() const { return items_.size(); }

 private:
  std::map<std::tuple<const ir::SourceFile*, std::uint32_t, std::uint32_t, std::uint32_t>,
           isa::SourceId>
      ids_;
  std::vector<ir::SourceLocation> items_;
};

}  // namespace a2a3::interp
