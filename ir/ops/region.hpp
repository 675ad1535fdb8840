// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/check/op_call.hpp"

namespace a2a3::ir {

/// A list operand has as many items as `rank`; otherwise reports
/// `<name> <parameter> rank (a) must match target tensor rank (b)`.
bool rank_matches(OpCall& call, std::size_t operand, const std::vector<Dim>& dims,
                  const Type& tensor, const std::string& name);

/// Offsets are not provably negative and the box lies inside the tensor as far as is known before
/// the run. `offsets_operand` gets the caret; `what` names the tensor ("the tensor", "the target").
bool inside(OpCall& call, const std::string& name, std::size_t offsets_operand,
            const std::vector<Dim>& offsets, const std::vector<Dim>& extents, const Type& tensor,
            const std::string& what);

/// The shape operand of a tile-producing op: constant positive integers. Nothing when it is not
/// (reported).
[[nodiscard]] std::optional<std::vector<Dim>> tile_shape(OpCall& call, std::size_t operand,
                                                         const std::string& name);

/// The shape operand of something in memory: not empty, positive as far as is known before the run,
/// and with elements of `dtype` no larger than kMostBytes. Reports the first thing that is wrong.
bool is_memory_shape(OpCall& call, std::size_t operand, const std::vector<Dim>& shape,
                     isa::DType dtype, const std::string& name);

/// The number that fills elements of `dtype` fits them.
bool check_fill_value(OpCall& call, std::size_t operand, isa::DType dtype, const std::string& name);

/// The valid_shape operand, checked against the physical shape; the whole shape when absent.
[[nodiscard]] std::optional<std::vector<Dim>> valid_shape(OpCall& call, std::size_t operand,
                                                          const std::vector<Dim>& shape,
                                                          const std::string& name);

/// The alignment rule of tiles in the vector buffer: a row, or the whole column of an [M, 1] tile,
/// is a multiple of 32 bytes. Reports at `location`.
bool is_aligned_tile(FunctionChecker& checker, const Type& tile, SourceLocation location);

/// The memory operand of an op that makes a tile: one of the members named, Vec when it is absent.
/// Nothing when it is another one (reported; `advice` follows).
[[nodiscard]] std::optional<isa::MemorySpace> target_memory(
    OpCall& call, std::size_t operand, const std::string& name,
    std::initializer_list<std::string_view> members, const std::string& advice);

/// `Mat` of MemorySpace.Mat.
[[nodiscard]] std::string_view member_of(isa::MemorySpace space);

/// A tile operand lies in one of `spaces`; reports where it is otherwise. True for what is no tile.
bool is_in_memory(FunctionChecker& checker, const Expr& operand, const std::string& name,
                  std::initializer_list<isa::MemorySpace> spaces);

/// A tensor in global memory that an operation on tensors takes whole, through a tile: static
/// shape, aligned rows. Reports otherwise.
bool is_loadable(FunctionChecker& checker, const Expr& tensor, const std::string& name);

/// Not a slice with a valid_shape of its own, which an operation on whole tensors would overlook;
/// reports it as not supported.
bool is_wholly_valid(FunctionChecker& checker, const Expr& tensor, const std::string& name);

/// Not surely a slice with gaps between its rows, which cannot take another shape; reports it.
/// `what` names the operand.
bool is_packed(OpCall& call, std::size_t operand, const std::string& what);

/// Written `pl.tile.x` the operand is no tensor, written `pl.tensor.x` it is no tile; reports
/// otherwise.
bool kind_fits_spelling(OpCall& call, std::size_t operand);

/// The tensor may be written: reports a plain read-only pl.Tensor parameter.
bool is_writable(FunctionChecker& checker, const Expr& tensor, const std::string& name);

/// The atomic operand: whether it adds, with the dtype rule. Nothing when it is wrong (reported).
[[nodiscard]] std::optional<bool> atomic_add(OpCall& call, std::size_t operand, isa::DType dtype,
                                             const std::string& name);

/// The peer operand: an integer scalar, not a negative constant.
bool check_peer(OpCall& call, std::size_t operand, const std::string& name);

/// The tensor may be written: reports a plain read-only pl.Tensor parameter.
bool is_writable(OpCall& call, std::size_t operand, const std::string& name);

}  // namespace a2a3::ir
