// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/check/flow.hpp"
#include "ir/check/program_checker.hpp"
#include "ir/fold.hpp"
#include "ir/op.hpp"

namespace a2a3::ir {

struct BoxAxis;

/// Checks one function's body in the order it executes, following every path once.
class FunctionChecker {
 public:
  FunctionChecker(ProgramChecker& program, Function& function);
  void run();

  // What rules of operations and the dispatch check need.
  [[nodiscard]] Function& function() { return function_; }
  [[nodiscard]] ProgramChecker& program() { return program_; }
  [[nodiscard]] Module& module() { return program_.module(); }
  Diagnostic& error(SourceLocation location, std::string message) {
    return program_.diagnostics().error(location, std::move(message));
  }
  Diagnostic& unsupported(SourceLocation location, const std::string& what,
                          const std::string& advice = {}) {
    return program_.diagnostics().unsupported(location, what, advice);
  }
  /// An expression's type in words, or what stands there ("a list", `pl.FP32`).
  [[nodiscard]] std::string show_value(const Expr& expr);
  /// An integer scalar as a polynomial; what only the run knows is an opaque symbol, the same for
  /// the same variable version.
  [[nodiscard]] Dim dim_of(const Expr& expr);
  [[nodiscard]] Origin origin_of(const Expr& expr) const;
  void set_origin(const Expr& expr, Origin origin) { facts_[&expr].origin = origin; }
  void set_value(const Expr& expr, const Dim& value) {
    if (value.is_known()) facts_[&expr].value = value;
  }
  /// Rank (or rank count) of the comm context made from one parameter: the same dimension each
  /// time.
  [[nodiscard]] Dim context_dim(bool count, std::int32_t parameter);
  /// The value is provably the own rank in some domain.
  [[nodiscard]] bool is_own_rank(const Dim& value) const;
  /// `buf = pld.alloc_window_buffer(...)`: the name on the left side while its right side is
  /// checked; null anywhere else.
  [[nodiscard]] const std::string* assigned_name() const { return assigned_name_; }

  /// False, with an error that begins with `what`, when the value is a number known before the run
  /// that `dtype` cannot hold.
  bool literal_fits(const Expr& value, isa::DType dtype, const std::string& what);

  /// How `//` and `%` of this function divide.
  [[nodiscard]] Division division() const {
    return function_.kind == FunctionKind::host ? Division::floor : Division::truncate;
  }

  [[nodiscard]] bool in_loop() const { return !loops_.empty(); }
  [[nodiscard]] bool is_host() const { return function_.kind == FunctionKind::host; }

  /// The expression is a whole statement: an assignment's right side, an expression statement, or
  /// what is returned.
  [[nodiscard]] bool is_statement_value(const Expr& expr) const {
    return &expr == statement_value_;
  }

  /// Checks an expression and sets its type and constant.
  Type expression(Expr& expr);
  /// Host and per-device functions slice tensors, the latter also window views; reports otherwise.
  bool can_slice_above_kernels(const Expr& object);

 private:
  struct Loop {
    SourceLocation location;
    std::size_t entered = 0;  ///< assignments before it
    std::vector<Flow> breaks;
    std::vector<Flow> continues;
    std::set<Slot> carried_reads;  ///< variables whose value of the iteration before was read
    // Of a pl.range on HOST: what device= must respect.
    Slot index = kNoSlot;
    const For* range = nullptr;
    std::optional<Dim> start, stop, step;
    double copies = 1;  ///< of its body that pl.unroll writes out, here and in the loops around it
    bool explicit_form = false;
    std::vector<Type> carried_types;
  };
  /// A block at whose end pl.yield_ may stand, or (none) may not.
  struct YieldScope {
    enum class Kind : std::uint8_t { none, loop, arm };
    Kind kind = Kind::none;
    const Call* closing = nullptr;           ///< the pl.yield_ that is the last statement
    std::optional<std::vector<Type>> types;  ///< what an arm yields
    std::vector<Name> names;
    SourceLocation location;
  };
  /// A division, remainder or shift: the same operands give the same opaque symbol.
  struct Quotient {
    BinaryOp op = BinaryOp::floordiv;
    Dim lhs;
    Dim rhs;
    Dim value;
  };
  /// How often a loop runs before it ends without a break.
  enum class LoopRuns : std::uint8_t { maybe, at_least_once, forever };
  struct CallFacts {
    Origin origin;
    std::optional<Dim> value;
  };

  // statements.cpp
  void block(Block& block);
  void statement(Stmt& stmt);
  void assign(Assign& assign, SourceLocation location);
  Type annotated(Assign& assign, const Type& type);
  void unpack(Assign& assign, const Type& type, SourceLocation location);
  void if_else(If& node);
  void return_value(Return& node, SourceLocation location);
  bool can_return(const Expr& value);
  void merge_result(const Type& type, const std::vector<std::int32_t>& parameters,
                    SourceLocation location);
  void expression_statement(ExprStmt& node);
  bool condition(Expr& expr);
  void bind(Name& name, const Type& type, SourceLocation location);
  void bind(Name& name, const Type& type, const Expr& value, SourceLocation location);

  // loops.cpp
  void for_loop(For& node, SourceLocation location);
  void while_loop(While& node, SourceLocation location);
  bool loop_bounds(For& node);
  void enter_loop(const Block& body, SourceLocation location);
  void leave_loop(const Flow& before, LoopRuns runs);
  void carried_start(For& node);
  bool stage_count(Expr& expr);
  void loop_jump(bool is_break, SourceLocation location);

  // yields.cpp
  YieldScope scoped_block(Block& statements, YieldScope::Kind kind);
  void loop_body(For& node);
  void yield(Assign* assign, Call& call, SourceLocation location);
  void check_loop_yield(const Call& call, const std::vector<Type>& types, SourceLocation location);
  YieldScope branches(If& node);
  YieldScope arm(Block& statements, bool is_elif);
  void check_arms(const YieldScope& first, const YieldScope& second);
  void for_while(For& node, SourceLocation location);
  void loop_condition(Call& call);

  // launches.cpp
  void with(With& node);
  void at_scope(With& node, Call& call);
  std::optional<EnumMember> at_level(Call& call);
  void at_role(const Call& call, const EnumMember& level);
  void task_dependences(Expr& deps);
  void manual_scope(With& node, Call& call);
  void scope_body(Block& body);
  void check_waiter();
  void check_waiter_call(const Call& node, const Function& callee);
  [[nodiscard]] std::string kernel_result_problem(const Expr& value) const;
  void spmd_loop(For& node, SourceLocation location);
  /// True for a string; an error otherwise.
  bool name_hint(const std::string& scope, const Expr& value);
  bool spmd_arguments(Call& call, SourceLocation location);
  void spmd_body(Block& body, SourceLocation location);
  bool is_launch_place(const Expr& manager, const std::string& name);
  [[nodiscard]] bool calls_function(const Expr& expr);

  // expressions.cpp
  Type expression_node(Expr& expr);
  Type name(Expr& expr);
  Type captured(Expr& expr, const std::string& id);
  Type attribute(Expr& expr);
  // subscripts.cpp
  Type subscript(Expr& expr, Subscript& node);
  Type array_element(const Subscript& node);
  bool check_indices(Subscript& node);
  std::optional<std::vector<BoxAxis>> box_axes(const Subscript& node);
  void assign_subscript(Assign& assign);

  Type constant_type(const Constant& constant) const;
  Type with_constant(Expr& expr, Constant constant);
  /// The same for arithmetic that gives this type when it gives an integer, which wraps around.
  Type with_constant(Expr& expr, Constant constant, const Type& type);
  void unknown_name(const Expr& expr, const std::string& id);
  Dim arithmetic(const Expr& expr);

  // operators.cpp
  Type unary(Expr& expr, Unary& node);
  Type binary(Expr& expr, Binary& node);
  Type compare(Expr& expr, Compare& node);
  Type logical(Expr& expr, Logical& node);
  /// Of a division of two constants in a function for the device.
  void warn_of_negative_operand(const Binary& node, isa::DType dtype);
  Type scalar_arithmetic(Expr& expr, const Binary& node);

  // calls.cpp
  Type call(Expr& expr, Call& node);
  Type function_call(Expr& expr, Call& node, Function& callee);
  bool callable_from_here(const Call& node, const Function& callee);
  bool normalise_arguments(Expr& expr, Call& node, const Function& callee);
  void match_argument(const Expr& argument, const Parameter& parameter, const Function& callee,
                      std::map<Dim::Symbol, Dim>& bindings);
  void match_shape(const Expr& argument, const Parameter& parameter, const Function& callee,
                   std::map<Dim::Symbol, Dim>& bindings);
  Type unknown_callee(Expr& expr, Call& node, const std::string& name);
  void check_arguments_only(Call& node);

  // op_calls.cpp
  Type op_call(Expr& expr, Call& node, const OpInfo& op);
  bool bind_operands(Expr& expr, Call& node, const OpInfo& op);
  bool level_allows(const Expr& callee, const OpInfo& op);
  bool operands_in_vector_memory(const Call& node, const OpInfo& op);
  bool operands_wholly_valid(const Call& node, const OpInfo& op);

  // dispatch.cpp
  std::optional<DeviceSet::Run> check_device(Call& node);
  void mark_dispatched(const Call& node);
  void mark_devices(const Call& node, DeviceSet::Run devices);
  void check_buffers(std::size_t first_buffer);

  // host_domains.cpp
  void form_host_domains();
  void check_host_call(const HostCall& call);

  Slot slot_of(const std::string& id);
  Dim quotient_dim(const Binary& binary);
  [[nodiscard]] bool is_variable(const std::string& id) const { return slots_.contains(id); }
  Variable& variable(Slot slot) { return flow_.variables.change(slot); }

  ProgramChecker& program_;
  Function& function_;
  Flow flow_;
  std::map<std::string, Slot, std::less<>> slots_;
  std::set<std::string> bound_;  ///< names that the body assigns: these are never captured
  std::size_t assignments_ = 0;  ///< so far
  std::vector<Loop> loops_;
  std::vector<YieldScope> yields_;
  const Call* loop_condition_ = nullptr;  ///< the pl.cond that begins a pl.while_ loop
  bool in_spmd_ = false;
  bool in_task_ = false;
  std::vector<std::size_t> scope_loops_;  ///< loops around each launch scope that is open
  std::unordered_map<const Expr*, CallFacts> facts_;
  std::vector<Quotient> quotients_;
  std::map<std::pair<bool, std::int32_t>, Dim> context_dims_;
  const std::string* assigned_name_ = nullptr;
  const Expr* statement_value_ = nullptr;
  std::optional<Type> result_;  ///< met so far in return statements
  std::optional<Type> declared_result_;
  SourceLocation result_location_;
};

}  // namespace a2a3::ir
