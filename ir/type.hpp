// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ir/dim.hpp"
#include "isa/dtype.hpp"
#include "isa/operand.hpp"

namespace a2a3::ir {

enum class TypeKind : std::uint8_t {
  unknown,  ///< not deduced (an error was reported, or the parameter is unannotated and never
            ///< called)
  none,     ///< result of an op or function without one
  scalar,   ///< dtype
  tensor,   ///< plain GM tensor: shape, dtype, direction
  distributed_tensor,  ///< view of a window buffer: shape, dtype, direction
  tile,                ///< shape (as written, any rank), valid_shape, dtype, space
  tuple,               ///< elements
  ptr,                 ///< handle of a window buffer (pld.alloc_window_buffer)
  comm_ctx,            ///< pld.get_comm_ctx
  task,                ///< `with pl.at(...) as tid`
  array,               ///< pl.array.create: shape has one dimension
  constant,            ///< dtypes, enum members, strings: values without a run-time form
};

/// How a parameter is passed. A bare annotation is `in`.
enum class Direction : std::uint8_t { in, out, inout };

struct Type {
  TypeKind kind = TypeKind::unknown;
  isa::DType dtype = isa::DType::index;
  Direction direction = Direction::in;
  isa::MemorySpace space = isa::MemorySpace::gm;
  std::vector<Dim> shape;
  /// Tiles: same rank as shape; opaque symbols where only the run knows. Of what lies in global
  /// memory empty, except for a slice with a valid_shape that is or may be smaller than its shape.
  std::vector<Dim> valid_shape;
  std::vector<Type> elements;  ///< of a tuple

  /// A tensor in global memory or a window slice.
  [[nodiscard]] bool is_tensor_like() const {
    return (kind == TypeKind::tensor && space == isa::MemorySpace::gm) ||
           kind == TypeKind::distributed_tensor;
  }
  /// The value of tensor-level arithmetic: a tensor for the checker, a tile on the device.
  [[nodiscard]] bool is_computed_tensor() const {
    return kind == TypeKind::tensor && space == isa::MemorySpace::ub;
  }
  /// What the vector pipe works on: a tile in the unified buffer, or a computed tensor.
  [[nodiscard]] bool is_vector_value() const {
    return (kind == TypeKind::tile && space == isa::MemorySpace::ub) || is_computed_tensor();
  }
  /// A slice of a tensor or window of which only a part in front counts.
  [[nodiscard]] bool is_partly_valid() const { return is_tensor_like() && !valid_shape.empty(); }
  /// What may be read and written of something in global memory.
  [[nodiscard]] const std::vector<Dim>& reach() const {
    return is_partly_valid() ? valid_shape : shape;
  }
  /// Product of `shape`.
  [[nodiscard]] Dim elements_count() const;

  friend bool operator==(const Type&, const Type&) = default;

  [[nodiscard]] static Type none() { return of(TypeKind::none); }
  [[nodiscard]] static Type of(TypeKind kind) {
    Type type;
    type.kind = kind;
    return type;
  }
  [[nodiscard]] static Type scalar(isa::DType dtype);
  /// A tile in the vector buffer whose whole box is valid.
  [[nodiscard]] static Type tile(isa::DType dtype, std::vector<Dim> shape);
  [[nodiscard]] static Type computed_tensor(isa::DType dtype, std::vector<Dim> shape);
};

/// No tensor has more bytes: the reach of a device's addresses, far below what a Dim can count.
inline constexpr std::int64_t kMostBytes = std::int64_t{1} << 48;
/// The known extents alone make the tensor larger than kMostBytes.
[[nodiscard]] bool is_larger_than_memory(const std::vector<Dim>& shape, isa::DType dtype);

/// What a symbol of a Dim is called.
using SymbolNames = std::function<std::string(Dim::Symbol)>;

/// `[NR, 64]`.
[[nodiscard]] std::string to_string(const std::vector<Dim>& shape, const SymbolNames& name_of);
/// The type in the language's words without its `pl.` prefix: `Tensor[[NR, 64], FP32]`,
/// `Scalar[INT32]`, `Out[Tensor[...]]` when it is a parameter's.
[[nodiscard]] std::string to_string(const Type& type, const SymbolNames& name_of);

}  // namespace a2a3::ir
