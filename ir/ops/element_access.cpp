// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/boxes.hpp"
#include "ir/ops/region.hpp"
#include "ir/ops/rules.hpp"

namespace a2a3::ir {

bool element_value_fits(FunctionChecker& checker, const Type& target, const Expr& value,
                        const std::string& name) {
  const isa::DType dtype = value.type.dtype;
  const bool literal = value.constant.has_value();
  const bool both_integers = isa::is_integer(dtype) && isa::is_integer(target.dtype);
  const bool number_for_float = isa::is_float(target.dtype) && (literal || isa::is_float(dtype)) &&
                                dtype != isa::DType::boolean;
  const bool in_tile = target.kind == TypeKind::tile || target.is_computed_tensor();
  const bool fits = in_tile
                        ? dtype == target.dtype || (literal && (both_integers || number_for_float))
                        : dtype == target.dtype || both_integers || number_for_float;
  if (fits) return checker.literal_fits(value, target.dtype, name + " value");
  checker.error(value.location, name + " value dtype (" + std::string(isa::name(dtype)) +
                                    ") must match the dtype of dst (" +
                                    std::string(isa::name(target.dtype)) +
                                    "); convert it with pl.cast");
  return false;
}

namespace rules {
namespace {

bool is_container(OpCall& call, const std::string& name) {
  if (call.type(0).kind == TypeKind::tile || call.type(0).is_computed_tensor()) return true;
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
  if (call.is_scalar(2, name + " value must be a scalar"))
    (void)element_value_fits(call.checker(), target, call.operand(2), name);
  return call.result_is(0);
}

}  // namespace rules
}  // namespace a2a3::ir
