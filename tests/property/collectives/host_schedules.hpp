// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "schedules.hpp"

namespace a2a3::collectives {

/// A collective called in a host function, with what it must give and move. `x` holds [rows, SIZE]
/// per rank, and `y` the result.
struct HostSchedule {
  std::string name;
  std::vector<isa::DType> dtypes;
  std::function<std::vector<Parameter>(const Size&)> parameters;
  std::function<std::string(const Size&)> publish;
  std::function<std::string(const Size&)> call;
  std::function<std::string(const Size&)> consume;
  using Element = Schedule::Element;
  /// Element (row, col) of rank r's y; `x(rank, row, col)` gives the inputs.
  std::function<double(const Size&, const Element& x, std::int64_t rank, std::int64_t row,
                       std::int64_t col)>
      expected;
  std::function<Traffic(const Size&, std::int64_t rank)> traffic;  ///< traffic.md, rows "HOST"

  [[nodiscard]] std::string program(const Size& at) const {
    return host_program(parameters(at), publish(at), call(at), consume(at));
  }
};

/// Every collective that a host function may call.
[[nodiscard]] const std::vector<HostSchedule>& host_schedules();

}  // namespace a2a3::collectives
