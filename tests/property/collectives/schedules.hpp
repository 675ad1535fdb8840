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

/// What a collective call must give and move. `x` holds [rows, SIZE] per rank, and `y` the result.
struct Contract {
  std::string name;
  std::function<std::vector<Parameter>(const Size&)> parameters;
  /// Element (row, col) of rank r's y; `x(rank, row, col)` gives the inputs.
  using Element = std::function<double(std::int64_t, std::int64_t, std::int64_t)>;
  std::function<double(const Size&, const Element& x, std::int64_t rank, std::int64_t row,
                       std::int64_t col)>
      expected;
  std::function<Traffic(const Size&, std::int64_t rank)> traffic;  ///< traffic.md
};

/// A collective called in a kernel with this body.
struct Schedule : Contract {
  std::function<std::string(const Size&)> body;
};

/// Traffic of a rank that pushes this many rows of SIZE elements to everybody, one barrier after
/// it.
[[nodiscard]] Traffic push_traffic(const Size& at, std::int64_t rows_per_peer);
/// Result and traffic of all_to_all_v: the whole block is moved, whatever the count.
void move_whole_blocks(Contract& schedule);

/// All collectives of kernels, every reduction and root kind once.
[[nodiscard]] const std::vector<Schedule>& schedules();

/// Small whole numbers, exact in every dtype, sums and products included.
[[nodiscard]] double element(std::int64_t rank, std::int64_t i);

/// Rows that all_to_all_v sends from rank `from` to rank `to`: from below 0 to above the capacity.
[[nodiscard]] std::int64_t sent_rows(std::int64_t from, std::int64_t to);
inline constexpr std::int64_t kCapacity = 3;  ///< MAX_RECV rows

}  // namespace a2a3::collectives
