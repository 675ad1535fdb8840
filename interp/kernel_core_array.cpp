// SPDX-License-Identifier: Apache-2.0
// pl.array.create and its elements: scalars that the scalar unit keeps.
#include <fmt/format.h>

#include "interp/kernel_core.hpp"

namespace a2a3::interp {

KernelCore::Step KernelCore::create_array(const Op& op) {
  const std::size_t place = unused_place(op.dst, 0, arrays_.size());
  if (place == arrays_.size()) arrays_.emplace_back();
  arrays_[place].assign(static_cast<std::size_t>(scalar(op.a)), 0);
  frame_.references[static_cast<std::size_t>(op.dst)] = static_cast<std::int32_t>(place);
  return Step::go_on;
}

KernelCore::Step KernelCore::array_element(const Op& op) {
  auto& array =
      arrays_[static_cast<std::size_t>(frame_.references[static_cast<std::size_t>(op.a)])];
  const std::int64_t index = scalar(op.b);
  const bool is_load = op.code == OpCode::array_load;
  if (index < 0 || index >= static_cast<std::int64_t>(array.size())) {
    return fault(op, fmt::format("{} at index {} of an array of {} elements",
                                 is_load ? "read" : "write", index, array.size()));
  }
  std::int64_t& element = array[static_cast<std::size_t>(index)];
  if (is_load) {
    frame_.scalars[static_cast<std::size_t>(op.dst)] = element;
  } else {
    element = scalar(op.c);
  }
  return Step::go_on;
}

}  // namespace a2a3::interp
