// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "ir/op.hpp"

namespace a2a3::ir {
namespace {

constexpr std::array kUnsupported{
    UnsupportedOp{"pld.tensor.remote_store", "Stores a computed tensor into a peer's window."},
    UnsupportedOp{"pl.slice", "View or copy of a box."},
    UnsupportedOp{"pl.tensor.slice", "View of a box of a tensor."},
    UnsupportedOp{"pl.tile.slice", "Copy of a box of a tile."},
    UnsupportedOp{"pl.assemble", "Writes a box into a tensor or tile."},
    UnsupportedOp{"pl.tensor.assemble", "Writes a box into a tensor."},
    UnsupportedOp{"pl.tile.assemble", "Writes a box into a tile."},
    UnsupportedOp{"pl.tensor.add", "Elementwise sum of tensors."},
    UnsupportedOp{"pl.tensor.sub", "Elementwise difference of tensors."},
    UnsupportedOp{"pl.tensor.mul", "Elementwise product of tensors."},
    UnsupportedOp{"pl.tensor.div", "Elementwise quotient of tensors."},
    UnsupportedOp{"pl.tensor.maximum", "Elementwise maximum of tensors."},
    UnsupportedOp{"pl.tensor.minimum", "Elementwise minimum of tensors."},
    UnsupportedOp{"pl.tensor.cast", "Conversion of a tensor."},
    UnsupportedOp{"pl.array.create", "Array of scalars."},
    UnsupportedOp{"pl.tile.row_sum", "Sum of each row."},
    UnsupportedOp{"pl.row_sum", "Sum of each row."},
    UnsupportedOp{"pl.tile.reshape", "The same elements with another shape."},
    UnsupportedOp{"pl.reshape", "The same elements with another shape."},
    UnsupportedOp{"pl.move", "Moves a tile between memories of a core."},
    UnsupportedOp{"pl.tile.move", "Moves a tile between memories of a core."},
    UnsupportedOp{"pl.matmul", "Matrix product on the cube core."},
    UnsupportedOp{"pl.tile.matmul", "Matrix product on the cube core."},
    UnsupportedOp{"pl.split_aiv", "The two vector lanes of a core."},
    UnsupportedOp{"pl.cluster", "Cores that share a cluster."},
};

}  // namespace

std::span<const UnsupportedOp> unsupported_ops() {
  return kUnsupported;
}

const UnsupportedOp* find_unsupported_op(std::string_view dotted_name) {
  const auto* found = std::find_if(kUnsupported.begin(), kUnsupported.end(),
                                   [&](const UnsupportedOp& op) { return op.name == dotted_name; });
  return found == kUnsupported.end() ? nullptr : found;
}

}  // namespace a2a3::ir
