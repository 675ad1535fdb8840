// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/region.hpp"

namespace a2a3::ir {
namespace {

constexpr std::int64_t kTileAlignmentBytes = 32;  // kernel_language 4.1
constexpr std::int64_t kMaxTileElements = std::int64_t{1} << 31;

}  // namespace

bool rank_matches(OpCall& call, std::size_t operand, const std::vector<Dim>& dims,
                  const Type& tensor, const std::string& name) {
  if (dims.size() == tensor.shape.size()) return true;
  call.error(operand, name + " " + call.parameter(operand) + " rank (" +
                          std::to_string(dims.size()) + ") must match target tensor rank (" +
                          std::to_string(tensor.shape.size()) + ")");
  return false;
}

bool inside(OpCall& call, const std::string& name, std::size_t offsets_operand,
            const std::vector<Dim>& offsets, const std::vector<Dim>& extents, const Type& tensor,
            const std::string& what) {
  const std::vector<Dim>& reach = tensor.reach();
  // A box of lower rank lies in the trailing dimensions.
  const std::size_t skipped = offsets.size() - std::min(offsets.size(), extents.size());
  for (std::size_t i = 0; i < offsets.size() && i < reach.size(); ++i) {
    const SourceLocation at = call.item_location(offsets_operand, i);
    const auto constant = offsets[i].constant();
    if (constant && *constant < 0) {
      call.checker().error(at, name + " " + call.parameter(offsets_operand) + "[" +
                                   std::to_string(i) + "] is negative: " + call.show(offsets[i]));
      return false;
    }
    const Dim extent = i < skipped ? Dim(1) : extents[i - skipped];
    if ((offsets[i] + extent).provably_greater(reach[i])) {
      call.checker().error(
          at, name + " exceeds " + (tensor.is_partly_valid() ? "the valid part of " : "") + what +
                  " in dimension " + std::to_string(i) + " (offset=" + call.show(offsets[i]) +
                  ", extent=" + call.show(extent) + ", dim=" + call.show(reach[i]) + ")");
      return false;
    }
  }
  return true;
}

std::optional<std::vector<Dim>> tile_shape(OpCall& call, std::size_t operand,
                                           const std::string& name) {
  auto shape = call.dims(operand, name);
  if (!shape) return std::nullopt;
  if (shape->empty()) {
    call.error(operand, name + " " + call.parameter(operand) + " must be non-empty");
    return std::nullopt;
  }
  Dim elements(1);
  for (std::size_t i = 0; i < shape->size(); ++i) {
    const auto constant = (*shape)[i].constant();
    const SourceLocation at = call.item_location(operand, i);
    if (!constant) {
      call.checker()
          .error(at, name + " " + call.parameter(operand) + "[" + std::to_string(i) +
                         "] must be known before the run: a tile has a static shape")
          .notes.push_back({"take the largest size as the shape and pass the actual one as "
                            "valid_shape",
                            {}});
      return std::nullopt;
    }
    if (*constant <= 0) {
      call.checker().error(at, name + " " + call.parameter(operand) + "[" + std::to_string(i) +
                                   "] must be positive, got " + std::to_string(*constant));
      return std::nullopt;
    }
    elements = elements * (*shape)[i];
  }
  const auto count = elements.constant();
  if (!count || *count > kMaxTileElements) {
    call.error(operand, name + ": a tile of " +
                            (count ? std::to_string(*count) : "more than 2^63") +
                            " elements does not fit in any buffer");
    return std::nullopt;
  }
  return shape;
}

bool is_memory_shape(OpCall& call, std::size_t operand, const std::vector<Dim>& shape,
                     isa::DType dtype, const std::string& name) {
  if (shape.empty()) {
    call.error(operand, name + " shape must be non-empty");
    return false;
  }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto constant = shape[i].constant();
    if (!constant || *constant > 0) continue;
    call.checker().error(call.item_location(operand, i),
                         name + " shape dimension[" + std::to_string(i) + "] is " +
                             std::to_string(*constant) + "; all dimensions must be positive" +
                             (*constant == 0 ? "; " + std::string(kOnlyRingSignalsAreEmpty) : ""));
    return false;
  }
  if (!is_larger_than_memory(shape, dtype)) return true;
  call.error(operand, name + " shape has more than 2^48 bytes");
  return false;
}

bool check_fill_value(OpCall& call, std::size_t operand, isa::DType dtype,
                      const std::string& name) {
  const std::string what = name + " " + call.parameter(operand);
  if (!call.checker().literal_fits(call.operand(operand), dtype, what)) return false;
  if (!isa::is_float(call.type(operand).dtype) || isa::is_float(dtype)) return true;
  call.error(operand, what + " is a floating-point number, which does not fit dtype " +
                          std::string(isa::name(dtype)));
  return false;
}

std::optional<std::vector<Dim>> valid_shape(OpCall& call, std::size_t operand,
                                            const std::vector<Dim>& shape,
                                            const std::string& name) {
  if (!call.has(operand)) return shape;
  auto valid = call.dims(operand, name);
  if (!valid) return std::nullopt;
  if (valid->size() != shape.size()) {
    call.error(operand, name + " valid_shape rank (" + std::to_string(valid->size()) +
                            ") must match target tensor rank (" + std::to_string(shape.size()) +
                            ")");
    return std::nullopt;
  }
  const bool of_slice = call.op().id == OpId::slice && call.type(0).is_tensor_like();
  const std::string whose = of_slice ? "slice's " : "tile's ";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const SourceLocation at = call.item_location(operand, i);
    const auto constant = (*valid)[i].constant();
    if (constant && *constant < 0) {
      call.checker().error(at, name + " valid_shape " + std::to_string(i) +
                                   " is provably negative; got " + std::to_string(*constant));
      return std::nullopt;
    }
    if ((*valid)[i].provably_greater(shape[i])) {
      call.checker().error(at, name + " valid_shape[" + std::to_string(i) + "] (" +
                                   call.show((*valid)[i]) + ") exceeds the " + whose + "shape (" +
                                   call.show(shape[i]) + ")");
      return std::nullopt;
    }
  }
  return valid;
}

bool is_aligned_tile(FunctionChecker& checker, const Type& tile, SourceLocation location) {
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < tile.shape.size(); ++i)
    rows *= tile.shape[i].constant().value_or(1);
  const std::int64_t cols = tile.shape.back().constant().value_or(1);
  const bool column = cols == 1 && rows > 1;
  const std::int64_t elements = column ? rows : cols;
  const std::int64_t bytes = elements * isa::size_of(tile.dtype);
  if (bytes % kTileAlignmentBytes == 0) return true;
  auto& diagnostic = checker.error(
      location, std::string("pto.alloc_tile requires the ") + (column ? "column" : "row") +
                    " of a tile to be 32-byte aligned: " + checker.module().describe(tile) +
                    " has " + std::to_string(bytes) + " bytes");
  const std::int64_t unit = kTileAlignmentBytes / isa::size_of(tile.dtype);
  const std::int64_t padded = (elements + unit - 1) / unit * unit;
  const char* const what = column ? "rows" : "columns";
  diagnostic.notes.push_back(
      {(bytes < kTileAlignmentBytes
            ? "read or write single elements with pl.read and pl.write, or pad the tile to "
            : "pad the tile to ") +
           std::to_string(padded) + " " + what + " (a multiple of " + std::to_string(unit) +
           ") and narrow it to " + std::to_string(elements) + " with valid_shape",
       {}});
  return false;
}

std::optional<bool> atomic_add(OpCall& call, std::size_t operand, isa::DType dtype,
                               const std::string& name) {
  const auto member = call.member(operand, "AtomicType", "None_",
                                  name + " atomic must be AtomicType.None_ or AtomicType.Add");
  if (!member) return std::nullopt;
  if (member->member != "Add") return false;
  if (isa::supports_atomic_add(dtype)) return true;
  call.error(operand, name +
                          " with atomic=AtomicType.Add requires an "
                          "fp32/bf16/fp16/int32/int16/int8 dtype, got " +
                          std::string(isa::name(dtype)));
  return std::nullopt;
}

bool check_peer(OpCall& call, std::size_t operand, const std::string& name) {
  if (!call.is_integer_scalar(operand, name + " peer must be a scalar (rank index)")) return false;
  const auto constant = call.dim_of(call.operand(operand)).constant();
  if (!constant || *constant >= 0) return true;
  call.error(operand,
             name + " peer " + std::to_string(*constant) + " is outside of the ranks 0..P-1");
  return false;
}

bool is_writable(FunctionChecker& checker, const Expr& tensor, const std::string& name) {
  const Type& type = tensor.type;
  if (type.kind != TypeKind::tensor || type.direction != Direction::in || !type.is_tensor_like())
    return true;
  auto& diagnostic = checker.error(
      tensor.location, name +
                           " cannot write a read-only tensor: the parameter is a plain pl.Tensor; "
                           "declare it pl.Out[...] or pl.InOut[...]");
  const std::int32_t parameter = checker.origin_of(tensor).parameter;
  const auto& parameters = checker.function().parameters;
  if (parameter >= 0 && static_cast<std::size_t>(parameter) < parameters.size()) {
    diagnostic.notes.push_back({"the parameter is declared here",
                                parameters[static_cast<std::size_t>(parameter)].location});
  }
  return false;
}

bool is_writable(OpCall& call, std::size_t operand, const std::string& name) {
  return !call.has(operand) || is_writable(call.checker(), call.operand(operand), name);
}

}  // namespace a2a3::ir
