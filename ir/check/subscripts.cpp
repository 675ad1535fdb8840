// SPDX-License-Identifier: Apache-2.0
// Subscripts: rank slices on HOST; elements, boxes and arrays in kernels.
#include <algorithm>

#include "ir/check/function_checker.hpp"
#include "ir/ops/boxes.hpp"
#include "ir/ops/region.hpp"

namespace a2a3::ir {
namespace {

bool is_element(const BoxAxes& axes) {
  return std::all_of(axes.begin(), axes.end(), [](const BoxAxis& axis) { return axis.dropped; });
}

bool is_integer(const Type& type) {
  return type.kind == TypeKind::scalar && isa::is_integer(type.dtype);
}

}  // namespace

bool FunctionChecker::check_indices(Subscript& node) {
  bool good = true;
  const auto check = [&](Expr& index, const char* what) {
    if (index.type.kind == TypeKind::unknown) {
      good = false;
    } else if (!is_integer(index.type)) {
      error(index.location,
            std::string(what) + " must be an integer scalar, got " + show_value(index));
      good = false;
    }
  };
  for (ExprPtr& index : node.indices) {
    (void)expression(*index);
    if (auto* slice = std::get_if<Slice>(&index->node)) {
      if (slice->lower != nullptr) check(*slice->lower, "the begin of a slice");
      if (slice->upper != nullptr) check(*slice->upper, "the end of a slice");
    } else {
      check(*index, "an index");
    }
  }
  return good;
}

Type FunctionChecker::subscript(Expr& expr, Subscript& node) {
  const Type object = expression(*node.object);
  const bool good = check_indices(node);
  if (!good || object.kind == TypeKind::unknown) return {};
  if (object.kind == TypeKind::array) return array_element(node);
  if (function_.kind != FunctionKind::kernel && !can_slice_above_kernels(*node.object)) return {};
  const auto axes = box_axes(node);
  if (!axes) return {};
  if (is_element(*axes)) {
    if (function_.kind == FunctionKind::kernel) return Type::scalar(object.dtype);
    error(expr.location, "a " + std::string(is_host() ? "host" : "per-device") +
                             " function reads no elements, it runs before the devices do: a slice "
                             "keeps at least one dimension, got " +
                             std::to_string(axes->size()) + " indices for " +
                             module().describe(object));
    return {};
  }
  set_origin(expr, part_of(origin_of(*node.object), object, *axes));
  return box_type(*this, object, *axes, expr.location);
}

bool FunctionChecker::can_slice_above_kernels(const Expr& object) {
  const Type& type = object.type;
  if (type.kind == TypeKind::tensor) return true;
  if (type.kind != TypeKind::distributed_tensor) {
    error(object.location, "only a tensor can be sliced here, got " + show_value(object));
    return false;
  }
  if (!is_host()) return true;
  unsupported(object.location, "a slice of a window view in a host function is",
              "pass the view, and slice it in the per-device function or in the kernel");
  return false;
}

Type FunctionChecker::array_element(const Subscript& node) {
  const Type& array = node.object->type;
  if (node.indices.size() != 1 || std::holds_alternative<Slice>(node.indices[0]->node)) {
    error(node.object->location, "an array has one index, a[i]");
    return {};
  }
  const Dim index = dim_of(*node.indices[0]);
  const auto constant = index.constant();
  if ((constant && *constant < 0) || index.provably_at_least(array.shape[0])) {
    error(node.indices[0]->location,
          "index " + module().describe(index) + " is out of range for " + module().describe(array));
    return {};
  }
  return Type::scalar(array.dtype);
}

std::optional<std::vector<BoxAxis>> FunctionChecker::box_axes(const Subscript& node) {
  const Type& object = node.object->type;
  if (!is_in_memory(*this, *node.object, "a slice", {isa::MemorySpace::ub})) return std::nullopt;
  if (!is_wholly_valid(*this, *node.object, "a subscript")) return std::nullopt;
  const bool has_axes = object.is_tensor_like() || object.is_vector_value();
  if (!has_axes || node.indices.size() > object.shape.size()) {
    error(node.object->location, has_axes ? std::to_string(node.indices.size()) + " indices for " +
                                                module().describe(object)
                                          : show_value(*node.object) + " has no elements");
    return std::nullopt;
  }
  BoxAxes axes;
  for (std::size_t i = 0; i < object.shape.size(); ++i) {
    BoxAxis axis{Dim(0), object.shape[i], false};
    if (i >= node.indices.size()) {
      axes.push_back(axis);
      continue;
    }
    const Expr& index = *node.indices[i];
    const auto* slice = std::get_if<Slice>(&index.node);
    if (slice == nullptr) {
      axis = {dim_of(index), Dim(1), true};
    } else {
      if (slice->lower != nullptr) axis.offset = dim_of(*slice->lower);
      const Dim end = slice->upper != nullptr ? dim_of(*slice->upper) : object.shape[i];
      axis.extent = end - axis.offset;
    }
    const auto offset = axis.offset.constant();
    const auto extent = axis.extent.constant();
    const std::string axis_text =
        "dimension " + std::to_string(i) + " of " + module().describe(object);
    std::string problem;
    if (offset && *offset < 0) {
      problem = "is negative, for " + axis_text + ": indices count from the begin";
    } else if (extent && *extent <= 0) {
      problem = "holds no element";
    } else if ((axis.offset + axis.extent).provably_greater(object.shape[i])) {
      problem = "is out of range for " + axis_text;
    }
    if (!problem.empty()) {
      const Dim end = axis.offset + axis.extent;
      error(index.location, (slice == nullptr ? "index " + module().describe(axis.offset)
                                              : "slice " + module().describe(axis.offset) + ":" +
                                                    module().describe(end)) +
                                " " + problem);
      return std::nullopt;
    }
    axes.push_back(axis);
  }
  return axes;
}

void FunctionChecker::assign_subscript(Assign& node) {
  const Type value = expression(*node.value);
  auto* subscript = std::get_if<Subscript>(&node.subscript->node);
  if (subscript == nullptr) return;
  const Type object = expression(*subscript->object);
  const bool good = check_indices(*subscript);
  if (object.kind == TypeKind::unknown || !good) return;
  if (function_.kind != FunctionKind::kernel && !can_slice_above_kernels(*subscript->object)) {
    return;
  }
  bool element = false;
  std::optional<BoxAxes> axes;
  if (object.kind == TypeKind::array) {
    element = array_element(*subscript).kind != TypeKind::unknown;
    if (!element) return;
  } else {
    axes = box_axes(*subscript);
    if (!axes) return;
    element = is_element(*axes);
  }
  if (value.kind == TypeKind::unknown) return;
  if (!element) {
    (void)can_assemble(*this, *subscript->object, *node.value, *axes, "pl.assemble");
  } else if (function_.kind != FunctionKind::kernel) {
    error(node.subscript->location, "a " + std::string(is_host() ? "host" : "per-device") +
                                        " function writes no elements, it runs before the devices "
                                        "do: write them in a kernel");
  } else if (value.kind != TypeKind::scalar) {
    error(node.value->location, "one element takes a scalar, got " + show_value(*node.value));
  } else if (is_writable(*this, *subscript->object, "pl.write")) {
    (void)element_value_fits(*this, object, *node.value, "pl.write");
  }
}

}  // namespace a2a3::ir
