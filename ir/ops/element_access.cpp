// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/region.hpp"
#include "ir/ops/rules.hpp"

namespace a2a3::ir::rules {
namespace {

bool is_container(OpCall& call, const std::string& name) {
  if (call.type(0).kind == TypeKind::tile) return true;
  return call.is_tensor_like(
      0, name + " " + call.parameter(0) + " must be a tensor, a window or a tile");
}

void check_index(OpCall& call, const std::string& name) {
  const auto index = call.dims(1, name);
  if (!index) return;
  const Type& container = call.type(0);
  if (!rank_matches(call, 1, *index, container, name)) return;
  const std::vector<Dim> element(index->size(), Dim(1));
  (void)inside(call, name, 1, *index, element, container,
               container.kind == TypeKind::tile ? "the tile" : "the tensor");
}

}  // namespace

// pl.read(src, idx)
Type read(OpCall& call) {
  if (!is_container(call, "pl.read")) return {};
  check_index(call, "pl.read");
  return Type::scalar(call.type(0).dtype);
}

// pl.write(dst, idx, value)
Type write(OpCall& call) {
  const std::string name = "pl.write";
  if (!is_container(call, name)) return {};
  check_index(call, name);
  const Type& target = call.type(0);
  if (target.is_tensor_like()) (void)is_writable(call, 0, name);
  if (!call.is_scalar(2, name + " value must be a scalar")) return call.result_is(0);
  const isa::DType dtype = call.type(2).dtype;
  const bool literal = call.operand(2).constant.has_value();
  const bool both_integers = isa::is_integer(dtype) && isa::is_integer(target.dtype);
  const bool number_for_float = isa::is_float(target.dtype) && (literal || isa::is_float(dtype)) &&
                                dtype != isa::DType::boolean;
  const bool fits = target.kind == TypeKind::tile
                        ? dtype == target.dtype || (literal && (both_integers || number_for_float))
                        : dtype == target.dtype || both_integers || number_for_float;
  if (!fits) {
    call.error(2, name + " value dtype (" + std::string(isa::name(dtype)) +
                      ") must match the dtype of dst (" + std::string(isa::name(target.dtype)) +
                      "); convert it with pl.cast");
  } else {
    (void)call.checker().literal_fits(call.operand(2), target.dtype, name + " value");
  }
  return call.result_is(0);
}

}  // namespace a2a3::ir::rules
