// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace a2a3::ir {

/// Which collective a lowered sequence of statements stands for, so that its traffic can be held
/// against the closed form. It hangs on the get_comm_ctx call of the target that the sequence
/// begins with; what only the launch knows (shape, ranks) is read off that window.
struct CollectiveNote {
  enum class Form : std::uint8_t { in_core, host };

  std::string schedule;  ///< "broadcast", "allreduce.mesh": models::find_schedule() knows it
  Form form = Form::in_core;
  std::int64_t root = 0;
  std::int64_t block_rows = 1;  ///< rows of the target per rank: MAX_RECV of all_to_all_v, else 1
  std::int64_t lanes = 1;       ///< cores that share the work, HOST form only
  /// The target is the valid rectangle of a slice, taken row by row and not as one run.
  bool is_rectangle = false;

  friend auto operator<=>(const CollectiveNote&, const CollectiveNote&) = default;
};

}  // namespace a2a3::ir
