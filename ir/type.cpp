// SPDX-License-Identifier: Apache-2.0
#include "ir/type.hpp"

#include <utility>

namespace a2a3::ir {
namespace {

std::string shaped(const char* kind, const Type& type, const SymbolNames& name_of) {
  return std::string(kind) + "[" + to_string(type.shape, name_of) + ", " +
         std::string(isa::name(type.dtype)) + "]";
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
