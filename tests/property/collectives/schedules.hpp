// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "program.hpp"

namespace a2a3::collectives {

/// One size of a collective.
struct Size {
  std::int64_t ranks = 1;
  std::int64_t size = 1;  ///< elements of a row
  isa::DType dtype = isa::DType::fp32;

  [[nodiscard]] std::int64_t bytes() const { return isa::size_of(dtype); }
  [[nodiscard]] std::uint64_t peers() const { return static_cast<std::uint64_t>(ranks - 1); }
};

/// A collective call with what it must give and move. Every kernel takes `x` [rows, SIZE] per rank
/// and leaves its result in `y`.
struct Schedule {
  std::string name;
  std::function<std::vector<Parameter>(const Size&)> parameters;
  std::function<std::string(const Size&)> body;
  /// Element (row, col) of rank r's y; `x(rank, row, col)` gives the inputs.
  using Element = std::function<double(std::int64_t, std::int64_t, std::int64_t)>;
  std::function<double(const Size&, const Element& x, std::int64_t rank, std::int64_t row,
                       std::int64_t col)>
      expected;
  std::function<Traffic(const Size&, std::int64_t rank)> traffic;  ///< traffic.md
};

/// All collectives of kernels, every reduction and root kind once.
[[nodiscard]] const std::vector<Schedule>& schedules();

/// Small whole numbers, exact in every dtype, sums and products included.
[[nodiscard]] double element(std::int64_t rank, std::int64_t i);

/// Rows that all_to_all_v sends from rank `from` to rank `to`: from below 0 to above the capacity.
[[nodiscard]] std::int64_t sent_rows(std::int64_t from, std::int64_t to);
inline constexpr std::int64_t kCapacity = 3;  ///< MAX_RECV rows

}  // namespace a2a3::collectives
