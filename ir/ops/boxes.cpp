// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/boxes.hpp"

#include "ir/ops/region.hpp"
#include "ir/ops/rules.hpp"

namespace a2a3::ir {
namespace {

bool is_any_tensor(const Type& type) {
  return type.is_tensor_like() || type.is_computed_tensor();
}

bool may_be_equal(const Dim& a, const Dim& b) {
  const auto difference = (a - b).constant();
  return !difference || *difference == 0;
}

/// `[1, 64]`, dropped axes left out or not.
std::vector<Dim> extents_of(const BoxAxes& axes, bool with_dropped) {
  std::vector<Dim> extents;
  for (const BoxAxis& axis : axes) {
    if (with_dropped || !axis.dropped) extents.push_back(axis.extent);
  }
  return extents;
}

bool shapes_agree(const std::vector<Dim>& a, const std::vector<Dim>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!may_be_equal(a[i], b[i])) return false;
  }
  return true;
}

/// Orchestration moves no data: what can become a box of a tensor is the result of a kernel that
/// wrote there, or wrote a tensor that nothing else holds yet.
bool is_kernel_output(FunctionChecker& checker, const Expr& target, const Expr& source,
                      const std::string& name) {
  if (checker.function().kind == FunctionKind::kernel) return true;
  if (source.type.kind != target.type.kind) {
    checker.error(source.location, name + " source kind must match target kind, got " +
                                       checker.show_value(source) + " for " +
                                       checker.module().describe(target.type));
    return false;
  }
  const std::int32_t from = checker.origin_of(source).parameter;
  const std::int32_t into = checker.origin_of(target).parameter;
  if (from < 0 || from == into) return true;
  const auto& parameters = checker.function().parameters;
  checker.unsupported(source.location,
                      name + " of '" + parameters.at(static_cast<std::size_t>(from)).name +
                          "' would copy data between kernels, which is",
                      "give the kernel that makes the data the box as its output, as in "
                      "y[a:b] = kernel(x, y[a:b]), or copy it in a kernel");
  return false;
}

Type tensor_box(FunctionChecker& checker, const Type& object, const BoxAxes& axes,
                SourceLocation location) {
  if (axes.back().dropped) {
    checker.error(location,
                  "a slice cannot drop the last axis of a tensor, whose elements lie side by side: "
                  "keep it as j:j + 1");
    return {};
  }
  Type result = object;
  result.shape = extents_of(axes, false);
  return result;
}

Type tile_box(FunctionChecker& checker, const Type& object, const BoxAxes& axes,
              SourceLocation location) {
  if (axes.size() > 2) {
    checker.error(location,
                  "a slice of a tile with more than two dimensions is not supported; see "
                  "docs/coverage.md; give the tile two with pl.tile.reshape");
    return {};
  }
  const std::vector<Dim> shape = extents_of(axes, false);
  for (const Dim& extent : shape) {
    if (extent.is_constant()) continue;
    checker.error(location, "the size of a tile's slice must be known before the run, got " +
                                checker.module().describe(extent));
    return {};
  }
  Type result = object;
  result.shape = result.valid_shape = shape;
  if (object.valid_shape != object.shape) {
    for (Dim& valid : result.valid_shape)
      valid = checker.module().add_opaque("?");
  }
  (void)is_aligned_tile(checker, result, location);
  return result;
}

}  // namespace

Origin part_of(Origin origin, const Type& object, const BoxAxes& axes) {
  bool rows = false;  // more than one piece so far
  bool whole = true;
  bool gaps = false;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    gaps = gaps || (rows && object.shape[i].provably_greater(axes[i].extent));
    rows = rows || axes[i].extent.provably_greater(Dim(1));
    whole = whole && axes[i].extent == object.shape[i];
  }
  origin.part = true;
  origin.gaps = gaps || (whole && origin.gaps);
  return origin;
}

Type box_type(FunctionChecker& checker, const Type& object, const BoxAxes& axes,
              SourceLocation location) {
  return object.is_tensor_like() ? tensor_box(checker, object, axes, location)
                                 : tile_box(checker, object, axes, location);
}

bool can_assemble(FunctionChecker& checker, const Expr& target, const Expr& source,
                  const BoxAxes& axes, const std::string& name) {
  const Type& into = target.type;
  const Type& from = source.type;
  Module& module = checker.module();
  const bool kinds = is_any_tensor(into) ? is_any_tensor(from) : from.kind == TypeKind::tile;
  if (!kinds) {
    if (from.kind == TypeKind::unknown) return false;
    checker.error(source.location, name + " source kind must match target kind, got " +
                                       checker.show_value(source) + " for " +
                                       module.describe(into) +
                                       (from.kind == TypeKind::tile ? "; use pl.store"
                                        : from.is_tensor_like()     ? "; use pl.load"
                                                                    : ""));
    return false;
  }
  if (!is_writable(checker, target, name)) return false;
  if (from.dtype != into.dtype) {
    checker.error(source.location, name + " source dtype (" + std::string(isa::name(from.dtype)) +
                                       ") must match target dtype (" +
                                       std::string(isa::name(into.dtype)) + ")");
    return false;
  }
  if (!is_kernel_output(checker, target, source, name)) return false;
  const bool loads = checker.function().kind == FunctionKind::kernel && from.is_tensor_like();
  if (loads && !is_loadable(checker, source, "tensor.assemble")) return false;
  const bool two_dimensional = into.is_tensor_like() || axes.size() <= 2;
  if (!two_dimensional || (into.is_tensor_like() && axes.back().dropped)) {
    checker.error(target.location,
                  two_dimensional
                      ? name + " cannot drop the last axis of a tensor: keep it as j:j + 1"
                      : name +
                            " into a tile with more than two dimensions is not supported; see "
                            "docs/coverage.md");
    return false;
  }
  if (shapes_agree(from.shape, extents_of(axes, false)) ||
      shapes_agree(from.shape, extents_of(axes, true)))
    return true;
  checker.error(source.location, name + " source " + module.describe(from) +
                                     " does not fit the box " +
                                     to_string(extents_of(axes, false), [&](Dim::Symbol symbol) {
                                       return module.describe(Dim::symbol(symbol));
                                     }));
  return false;
}

namespace rules {
namespace {

bool has_boxes(OpCall& call, const std::string& name) {
  const Type& type = call.type(0);
  if (!kind_fits_spelling(call, 0)) return false;
  if (call.checker().function().kind != FunctionKind::kernel && type.kind != TypeKind::unknown) {
    return call.checker().can_slice_above_kernels(call.operand(0));
  }
  if (type.kind == TypeKind::tile || type.is_computed_tensor()) return true;
  return call.is_tensor_like(
      0, name + " " + call.parameter(0) + " must be a tensor, a window or a tile");
}

/// The slice with a valid part. In global memory one that is all of it says nothing.
Type with_valid_shape(Type slice, std::vector<Dim> valid) {
  if (!slice.is_tensor_like() || valid != slice.shape) slice.valid_shape = std::move(valid);
  return slice;
}

}  // namespace

// pl.slice(input, shape, offset, valid_shape=None)
Type slice(OpCall& call) {
  const std::string name = "pl.slice";
  const bool object = has_boxes(call, name);
  const auto shape = call.dims(1, name);
  const auto offset = call.dims(2, name);
  if (!object || !shape || !offset) return {};
  const Type& type = call.type(0);
  if (!rank_matches(call, 1, *shape, type, name) || !rank_matches(call, 2, *offset, type, name))
    return {};
  BoxAxes axes;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    const auto extent = (*shape)[i].constant();
    if (extent && *extent <= 0) {
      call.checker().error(call.item_location(1, i), name + " shape[" + std::to_string(i) +
                                                         "] must be positive, got " +
                                                         std::to_string(*extent));
      return {};
    }
    axes.push_back({(*offset)[i], (*shape)[i], false});
  }
  if (!inside(call, name, 2, *offset, *shape, type,
              type.is_tensor_like() ? "the tensor" : "the tile"))
    return {};
  const bool has_valid = call.has(3);
  if (has_valid && call.checker().function().kind != FunctionKind::kernel) {
    call.checker().unsupported(
        call.operand(3).location, name + " valid_shape outside of a kernel is",
        "slice in the kernel, or give the slice the shape of its valid part");
    return {};
  }
  const auto valid = valid_shape(call, 3, *shape, name);
  if (!valid) return {};
  call.checker().set_origin(call.expr(), part_of(call.origin(0), type, axes));
  Type result = box_type(call.checker(), type, axes, call.operand(1).location);
  if (!has_valid || result.kind == TypeKind::unknown) return result;
  return with_valid_shape(std::move(result), *valid);
}

// pl.assemble(target, source, offset)
Type assemble(OpCall& call) {
  const std::string name = "pl.assemble";
  const bool target = has_boxes(call, name);
  const auto offset = call.dims(2, name);
  if (!target) return {};
  const Type& into = call.type(0);
  const Type& from = call.type(1);
  if (!offset || from.kind == TypeKind::unknown) return call.result_is(0);
  if (!rank_matches(call, 2, *offset, into, name)) return call.result_is(0);
  BoxAxes axes;
  for (const Dim& start : *offset)
    axes.push_back({start, Dim(1), false});
  const std::size_t skipped = axes.size() - std::min(axes.size(), from.shape.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    axes[i].dropped = i < skipped;
    if (i >= skipped) axes[i].extent = from.shape[i - skipped];
  }
  if (!can_assemble(call.checker(), call.operand(0), call.operand(1), axes, name))
    return call.result_is(0);
  (void)inside(call, name, 2, *offset, from.shape, into,
               into.is_tensor_like() ? "the tensor" : "the tile");
  return call.result_is(0);
}

// pl.reshape(input, shape)
Type tile_reshape(OpCall& call) {
  const std::string name = "pl.reshape";
  if (!has_boxes(call, name)) return {};
  if (call.type(0).is_tensor_like()) return tensor_reshape(call);
  const auto shape = tile_shape(call, 1, name);
  if (!shape) return {};
  Type result = call.type(0);
  const Dim before = result.elements_count();
  result.shape = result.valid_shape = *shape;
  if (!(result.elements_count() == before)) {
    call.error(1, name + " shape must keep the number of elements, got " +
                      call.show(result.elements_count()) + " vs " + call.show(before));
    return {};
  }
  (void)is_aligned_tile(call.checker(), result, call.operand(1).location);
  return result;
}

}  // namespace rules
}  // namespace a2a3::ir
