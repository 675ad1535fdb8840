// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "ir/op.hpp"

namespace a2a3::ir {
namespace {

constexpr std::array kUnsupported{
    UnsupportedOp{"pl.split_aiv", "The two vector lanes of a core."},
    UnsupportedOp{"pl.cluster", "Cores that share a cluster."},
    UnsupportedOp{"pl.spmd(sync_start=)", "Blocks that start together."},
    UnsupportedOp{"pl.at(level=AIV)", "Code for one kind of core; AIC and other levels too."},
    UnsupportedOp{"pl.at(role=SubWorker)", "Python code beside the host function."},
    UnsupportedOp{"pl.tensor.view",
                  "A view with strides or a layout of its own; pl.slice has "
                  "valid_shape."},
    UnsupportedOp{"layout DN, NZ of a tensor",
                  "Collectives say: target view only supports ND "
                  "layout."},
    UnsupportedOp{"slice with valid_shape, whole",
                  "Such a slice in pl.slice, put, get, arithmetic or another collective, and above "
                  "kernels."},
    UnsupportedOp{"allreduce(mode=ring), valid_shape", "The ring of a part; the mesh has it."},
    UnsupportedOp{"window[a:b] in a host function", "Part of a window view as an argument."},
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
