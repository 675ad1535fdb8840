// SPDX-License-Identifier: Apache-2.0
#include "ir/type.hpp"

#include <algorithm>
#include <utility>

namespace a2a3::ir {
namespace {

std::string shaped(const char* kind, const Type& type, const SymbolNames& name_of) {
  return std::string(kind) + "[" + to_string(type.shape, name_of) + ", " +
         std::string(isa::name(type.dtype)) +
         (type.is_partly_valid() ? ", valid_shape=" + to_string(type.valid_shape, name_of) : "") +
         "]";
}

std::string with_direction(Direction direction, std::string base) {
  switch (direction) {
    case Direction::in:
      return base;
    case Direction::out:
      return "Out[" + base + "]";
    case Direction::inout:
      return "InOut[" + base + "]";
  }
  return base;
}

}  // namespace

Dim Type::elements_count() const {
  Dim product(1);
  for (const Dim& dim : shape)
    product = product * dim;
  return product;
}

Type Type::scalar(isa::DType dtype) {
  Type type = of(TypeKind::scalar);
  type.dtype = dtype;
  return type;
}

Type Type::tile(isa::DType dtype, std::vector<Dim> shape) {
  Type type = of(TypeKind::tile);
  type.dtype = dtype;
  type.space = isa::MemorySpace::ub;
  type.valid_shape = shape;
  type.shape = std::move(shape);
  return type;
}

bool is_larger_than_memory(const std::vector<Dim>& shape, isa::DType dtype) {
  std::int64_t bytes = isa::size_of(dtype);
  return std::any_of(shape.begin(), shape.end(), [&](const Dim& dim) {
    return __builtin_mul_overflow(bytes, dim.constant().value_or(1), &bytes) || bytes > kMostBytes;
  });
}

Type Type::computed_tensor(isa::DType dtype, std::vector<Dim> shape) {
  Type type = tile(dtype, std::move(shape));
  type.kind = TypeKind::tensor;
  return type;
}

std::string to_string(const std::vector<Dim>& shape, const SymbolNames& name_of) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += shape[i].to_string(name_of);
  }
  return text + "]";
}

std::string to_string(const Type& type, const SymbolNames& name_of) {
  switch (type.kind) {
    case TypeKind::unknown:
      return "unknown";
    case TypeKind::none:
      return "None";
    case TypeKind::scalar:
      return "Scalar[" + std::string(isa::name(type.dtype)) + "]";
    case TypeKind::tensor:
      if (type.is_computed_tensor()) return "computed " + shaped("Tensor", type, name_of);
      return with_direction(type.direction, shaped("Tensor", type, name_of));
    case TypeKind::distributed_tensor:
      return with_direction(type.direction, shaped("DistributedTensor", type, name_of));
    case TypeKind::tile:
      return shaped("Tile", type, name_of);
    case TypeKind::tuple: {
      std::string text = "tuple[";
      for (std::size_t i = 0; i < type.elements.size(); ++i) {
        if (i > 0) text += ", ";
        text += to_string(type.elements[i], name_of);
      }
      return text + "]";
    }
    case TypeKind::ptr:
      return "Ptr";
    case TypeKind::comm_ctx:
      return "CommCtx";
    case TypeKind::task:
      return "Task";
    case TypeKind::array:
      return shaped("Array", type, name_of);
    case TypeKind::constant:
      return "constant";
  }
  return "unknown";
}

}  // namespace a2a3::ir
