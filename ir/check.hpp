// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/diagnostic.hpp"
#include "ir/module.hpp"

namespace a2a3::ir {

/// Resolves names to slots and calls to operations or functions, deduces types and shapes, and
/// verifies the rules of every operation. Parameters without an annotation take the type of the
/// caller's argument. Reports all errors.
///
/// `earlier` holds what the parser reported about the same file: names and functions that were
/// lost with a broken statement are then not reported again as unknown.
///
/// A module without errors guarantees, for every function in Module::functions:
///  - Every Parameter::type is known, and its dimensions evaluate once the module's dynamic
///    dimensions are bound by the arguments' shapes. (Types inside of bodies may hold opaque
///    symbols, which stand for run-time scalars.)
///  - Every Name that is a variable has a slot and is assigned on every path before it is read;
///    every captured Name has Expr::constant. A captured dimension product (`TOTAL = NR * SIZE`)
///    stands in the tree as the expression itself.
///  - Every Call has `op` with `operands` filled, or `function` with one positional argument per
///    parameter, in parameter order (a `device=` keyword stays in `keywords`), or is a control
///    form of type None: For::iterator, pl.yield_.
///  - Expr::type is set. Expr::constant is set when the value is known before the run: literals,
///    captured names, dtypes, enum members, arithmetic over them, `<dtype>.get_byte()`. A
///    pl.dynamic dimension in a body is a constant of kind DynamicDim. An operand that takes an
///    enum holds an EnumMember, whichever way it was written.
///  - For::start, stop and step are filled (start and step null when absent).
///  - For loops are pl.range, pl.parallel or pl.unroll; there is no With. With carried names, the
///    loop may end in `x, y = pl.yield_(...)`, whose names are also assigned before the loop.
///  - Function::result and Function::result_parameters are set.
/// Scalar types: integer literals, loop variables and dynamic dimensions are INDEX, rank and nranks
/// INT32, world_size INT64, comparisons and logic BOOL, floating-point literals FP32. Arithmetic on
/// two integers of one dtype keeps it, on two different ones gives INDEX.
/// A variable may be rebound to a value of another type in straight-line code (as in the real
/// compiler's SSA form); where paths meet, a name that is read later has the same type on all of
/// them, except that integer scalars of different dtypes meet as INDEX.
[[nodiscard]] Diagnostics check(Module& module, const Diagnostics& earlier = {});

}  // namespace a2a3::ir
