// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/check/op_call.hpp"

namespace a2a3::ir {

/// Where the operands of a put or get stand in its row.
struct TransferOperands {
  std::size_t dst = 0;
  std::size_t peer = 1;
  std::size_t src = 2;
  std::size_t dst_offsets = 3;
  std::size_t src_offsets = 4;
  std::size_t shape = 5;
  bool adds = false;  ///< to what dst holds
};

/// The checks that pld.tensor.put, pld.tensor.get and their lowered tile forms share: kinds and
/// dtypes of dst and src, peer, the region triple, bounds, self-overlap. Returns the shape of what
/// is moved; nothing when an error makes it unknown.
[[nodiscard]] std::optional<std::vector<Dim>> check_transfer(OpCall& call, const std::string& name,
                                                             const TransferOperands& at,
                                                             bool is_put);

}  // namespace a2a3::ir
