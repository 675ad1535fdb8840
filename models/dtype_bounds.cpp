// SPDX-License-Identifier: Apache-2.0
#include "models/dtype_bounds.hpp"

#include <cmath>

#include <fmt/format.h>

namespace a2a3::models {
namespace {

bool is_signed(isa::DType dtype) {
  return isa::name(dtype).front() != 'U';
}

}  // namespace

std::string misfit(double value, isa::DType dtype) {
  if (!isa::is_integer(dtype)) return {};
  if (!std::isfinite(value)) {
    return fmt::format("{}: {} holds whole numbers only",
                       std::isnan(value) ? "not a number" : "infinite", isa::name(dtype));
  }
  const int bits = static_cast<int>(8 * isa::size_of(dtype)) - (is_signed(dtype) ? 1 : 0);
  const double end = std::ldexp(1, bits);  // the first number that is too large
  const double begin = is_signed(dtype) ? -end : 0;
  const double whole = std::round(value);
  if (whole >= begin && whole < end) return {};
  if (bits > 53) return fmt::format("{:.17g}: {} does not hold it", value, isa::name(dtype));
  return fmt::format("{:.17g}: {} holds {:.0f} to {:.0f}", value, isa::name(dtype), begin, end - 1);
}

}  // namespace a2a3::models
