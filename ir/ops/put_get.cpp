// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/put_get.hpp"

#include "ir/ops/region.hpp"
#include "ir/ops/rules.hpp"

namespace a2a3::ir::rules {
namespace {

struct ChunkOperands {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t pipeline = 0;
};

void check_chunks(OpCall& call, const std::string& name, const ChunkOperands& at,
                  const std::optional<std::vector<Dim>>& shape) {
  const auto rows = call.constant_int(at.rows, 0, name);
  const auto cols = call.constant_int(at.cols, 0, name);
  const auto pipeline = call.constant_bool(at.pipeline, false, name);
  if (!rows || !cols) return;
  for (const auto& [operand, value] : {std::pair{at.rows, *rows}, {at.cols, *cols}}) {
    if (value >= 0) continue;
    call.error(operand, name + ": " + call.parameter(operand) +
                            " must be non-negative (0 = full), got " + std::to_string(value));
    return;
  }
  if (pipeline == true && (*rows == 0 || *cols == 0)) {
    call.error(at.pipeline, name + " pipeline=True requires both chunk_rows>0 and chunk_cols>0");
    return;
  }
  if (!shape || shape->empty()) return;
  Dim leading(1);
  bool leading_static = true;
  for (std::size_t i = 0; i + 1 < shape->size(); ++i) {
    leading = leading * (*shape)[i];
    leading_static = leading_static && (*shape)[i].is_constant() && leading.is_constant();
  }
  if (!leading_static && *rows == 0) {
    call.error(name +
               ": a dynamic leading transfer dim needs a static chunk_rows to bound the VEC "
               "staging tile");
  } else if (!shape->back().is_constant() && *cols == 0) {
    call.error(name +
               ": a dynamic innermost transfer dim needs a static chunk_cols to bound the "
               "VEC staging tile");
  }
}

}  // namespace

// pld.tensor.put(dst, peer, src, dst_offsets=None, src_offsets=None, shape=None, *, atomic=None_,
//                chunk_rows=0, chunk_cols=0, pipeline=False)
Type tensor_put(OpCall& call) {
  const std::string name = "pld.tensor.put";
  TransferOperands at;
  at.adds = call.type(0).is_tensor_like() && atomic_add(call, 6, call.type(0).dtype, name) == true;
  const auto shape = check_transfer(call, name, at, true);
  check_chunks(call, name, {7, 8, 9}, shape);
  return call.result_is(0);
}

// pld.tensor.get(dst, peer, src, dst_offsets=None, src_offsets=None, shape=None, *, chunk_rows=0,
//                chunk_cols=0, pipeline=False)
Type tensor_get(OpCall& call) {
  const std::string name = "pld.tensor.get";
  const auto shape = check_transfer(call, name, {}, false);
  check_chunks(call, name, {6, 7, 8}, shape);
  return call.result_is(0);
}

}  // namespace a2a3::ir::rules
