// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "ir/collective_note.hpp"
#include "isa/dtype.hpp"
#include "isa/instruction.hpp"

namespace a2a3::interp {

/// One way in which a device called a collective: at which line, on which target.
struct CollectiveShape {
  std::uint32_t device = 0;
  isa::SourceId source = 0;  ///< the user's call
  ir::CollectiveNote note;
  std::int32_t rank = 0;  ///< in the target's domain
  std::int32_t ranks = 0;
  isa::DType dtype = isa::DType::fp32;  ///< of the target; of a barrier the signal window
  std::vector<std::int64_t> dims;

  friend auto operator<=>(const CollectiveShape&, const CollectiveShape&) = default;
};

/// How often each was called.
using CollectiveLog = std::map<CollectiveShape, std::uint64_t>;

}  // namespace a2a3::interp
