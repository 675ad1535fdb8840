// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "interp/program.hpp"
#include "interp/source_table.hpp"
#include "ir/diagnostic.hpp"
#include "ir/op.hpp"

namespace a2a3::interp {

/// Where an expression's value is: a register, of which file. `index` is kNoRegister for values
/// without a run-time form.
using Value = TypedRegister;

/// Builds one program. Statements are in flatten_statement.cpp and
/// flatten_loop.cpp, expressions in flatten_expr.cpp, calls in flatten_op.cpp and flatten_call.cpp.
class Flattener {
 public:
  Flattener(const ir::Function& function, SourceTable& sources, ir::Diagnostics& diagnostics);
  Program run();

 private:
  /// Jumps that are patched when a loop's end is known.
  struct Loop {
    std::vector<std::size_t> breaks;
    std::vector<std::size_t> continues;
  };

  // Statements.
  void block(const ir::Block& statements);
  void statement(const ir::Stmt& stmt);
  void assign(const ir::Assign& assign, const ir::SourceLocation& location);
  void assign_subscript(const ir::Assign& assign, const ir::SourceLocation& location);
  void assign_parallel(const std::vector<const ir::Name*>& names,
                       const std::vector<const ir::Expr*>& values,
                       const ir::SourceLocation& location);
  void for_range(const ir::For& loop, const ir::SourceLocation& location);
  void for_while(const ir::For& loop, const ir::SourceLocation& location);
  /// pl.spmd: `count` blocks, each of which runs the body with its number in `index`.
  void spmd(const ir::Expr& count, ir::Slot index, const ir::Block& body,
            const ir::SourceLocation& location);
  void task(const ir::With& scope, const ir::Call& manager, const ir::SourceLocation& location);
  void with(const ir::With& scope, const ir::SourceLocation& location);
  void while_loop(const ir::While& loop, const ir::SourceLocation& location);
  void if_else(const ir::If& branch, const ir::SourceLocation& location);
  void return_values(const ir::Return& stmt, const ir::SourceLocation& location);
  void carried_body(const ir::For& loop, std::size_t first_statement,
                    const ir::SourceLocation& location);
  /// Sets the carried names to the init values, and the names of the closing yield too, so that
  /// they hold them when the loop does not run.
  void carried_start(const ir::For& loop, const ir::SourceLocation& location);

  // Expressions. With `target` the value goes to that register if the expression computes one.
  Value expression(const ir::Expr& expr, Value target = {});
  Value constant(const ir::Constant& value, const ir::Type& type, const ir::SourceLocation& where);
  Value name(const ir::Name& name, const ir::Type& type);
  Value unary(const ir::Unary& node, const ir::Expr& expr, Value target);
  Value binary(const ir::Binary& node, const ir::Expr& expr, Value target);
  Value compare(const ir::Compare& node, const ir::Expr& expr, Value target);
  Value logical(const ir::Logical& node, const ir::Expr& expr, Value target);
  Value subscript(const ir::Subscript& node, const ir::Expr& expr, Value target);
  Value arithmetic(isa::BinaryOp op, const ir::Expr& lhs, const ir::Expr& rhs, const ir::Expr& expr,
                   Value target);
  Value scalar_binary(OpCode code, Value lhs, Value rhs, isa::DType dtype, const ir::Expr& expr,
                      Value target);
  /// `is_cast`: the kernel asks for it, and wants what `dtype` holds of the value.
  Value convert(Value value, isa::DType dtype, const ir::SourceLocation& where, Value target = {},
                bool is_cast = false);
  RegisterList list(const ir::Expr& expr);
  RegisterList optional_list(const ir::Expr* expr);

  // Calls.
  Value call(const ir::Call& call, const ir::Expr& expr, Value target);
  std::vector<Value> function_call(const ir::Call& call, const ir::SourceLocation& where,
                                   const std::vector<Value>& targets);
  Value local_op(const ir::Call& call, const ir::Expr& expr, Value target);
  Value view_op(const ir::Call& call, const ir::Expr& expr, Value target);
  Value box_op(const ir::Call& call, const ir::Expr& expr, Value target);
  Value remote_op(const ir::Call& call, const ir::Expr& expr, Value target);
  Value host_op(const ir::Call& call, const ir::Expr& expr, Value target);
  Value transfer(const ir::Call& call, const ir::Expr& expr, bool get, bool staged);

  // Boxes; flatten_box.cpp.
  struct Box {
    RegisterList offsets;
    RegisterList shape;
    std::array<bool, isa::kBoxDims> dropped{};
  };
  /// The box that the indices of a subscript give in `object`.
  Box box(const ir::Subscript& node, Value object);
  Register axis_extent(const ir::Type& type, Value object, std::size_t axis,
                       const ir::SourceLocation& where);
  Register minus(Register lhs, Register rhs, const ir::SourceLocation& where);
  Value slice(Value object, const Box& box, const ir::Expr& expr, Value target);
  Value slice_with_valid_shape(Value object, const Box& box, const RegisterList& valid,
                               const ir::Expr& expr, Value target);
  /// Writes a tile, or the content of a tensor, into a box of `target`.
  void assemble(Value target, const Box& box, const ir::Expr& source,
                const ir::SourceLocation& where);
  /// A value that elementwise operations take: a tensor in global memory is loaded as a whole.
  Value tile_operand(const ir::Expr& expr);
  Value on_tiles(OpCode code, const ir::Call& call, const ir::Expr& expr, Value target);

  // Registers.
  Register slot_register(ir::Slot slot, RegisterFile file);
  Value new_value(const ir::Type& type, Value target = {});
  Register new_scalar();
  Register temporary_scalar();
  Register temporary_tile();
  /// Gives the temporaries of the statement under construction back.
  void end_statement();
  Register scalar_constant(std::int64_t bits);
  Register dim_register(std::uint32_t dim);
  void copy(Value from, Value to, const ir::SourceLocation& where);

  // Code.
  Op& emit(OpCode code, const ir::SourceLocation& where, unsigned scalar_ops = 0);
  [[nodiscard]] std::uint32_t here() const {
    return static_cast<std::uint32_t>(program_.ops.size());
  }
  void patch(const std::vector<std::size_t>& jumps, std::uint32_t target);
  void unsupported(const ir::SourceLocation& where, const std::string& what);

  const ir::Function& function_;
  SourceTable& sources_;
  ir::Diagnostics& diagnostics_;
  Program program_;
  std::vector<std::array<Register, 3>> slots_;  ///< by slot and register file
  std::map<std::int64_t, Register> constants_;
  std::vector<Register> free_temporaries_;
  std::vector<Register> used_temporaries_;  ///< by the statement under construction
  std::vector<Register> free_tiles_;        ///< the same for tile registers
  std::vector<Register> used_tiles_;
  std::vector<Loop> loops_;
  const ir::Name* window_name_ = nullptr;  ///< target of the assignment under construction
};

/// The call of an expression whose callee is written `dotted`; nullptr otherwise.
[[nodiscard]] const ir::Call* call_of(const ir::Expr* expr, std::string_view dotted);
/// The values of a call of pl.yield_: its arguments, or the items of a single tuple.
[[nodiscard]] std::vector<const ir::Expr*> yielded(const ir::Call& call);
/// The names as the targets of assign_parallel().
[[nodiscard]] std::vector<const ir::Name*> pointers(const std::vector<ir::Name>& names);
/// The file that values of a type live in; kNoRegister types give scalar.
[[nodiscard]] RegisterFile register_file(const ir::Type& type);
[[nodiscard]] bool has_register(const ir::Type& type);

}  // namespace a2a3::interp
