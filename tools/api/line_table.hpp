// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "ir/source.hpp"
#include "isa/instruction.hpp"

namespace a2a3 {

/// Numbers places in the sources. Operations at one place are one line: those that a collective was
/// lowered to have all the place of its call.
class LineTable {
 public:
  explicit LineTable(std::function<ir::SourceLocation(isa::SourceId)> locate)
      : locate_(std::move(locate)) {}

  [[nodiscard]] std::uint32_t line_of(isa::SourceId source) {
    if (source >= of_source_.size()) of_source_.resize(source + 1, kUnknown);
    if (of_source_[source] == kUnknown) of_source_[source] = number(locate_(source));
    return of_source_[source];
  }
  [[nodiscard]] std::uint32_t number(const ir::SourceLocation& at) {
    const auto next = static_cast<std::uint32_t>(places_.size());
    const auto [known, is_new] =
        number_of_.try_emplace(std::tuple(at.file, at.line, at.column), next);
    if (is_new) places_.push_back(at);
    return known->second;
  }
  [[nodiscard]] const ir::SourceLocation& place(std::uint32_t line) const { return places_[line]; }

 private:
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};
  std::function<ir::SourceLocation(isa::SourceId)> locate_;
  std::vector<std::uint32_t> of_source_;
  std::map<std::tuple<const ir::SourceFile*, std::uint32_t, std::uint32_t>, std::uint32_t>
      number_of_;
  std::vector<ir::SourceLocation> places_;
};

}  // namespace a2a3
