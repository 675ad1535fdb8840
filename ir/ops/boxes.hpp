// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/check/function_checker.hpp"

/// Boxes of tensors and tiles: what pl.slice and pl.assemble share with subscripts.
namespace a2a3::ir {

/// One axis of a box; a dropped one (a scalar index) has extent 1.
struct BoxAxis {
  Dim offset;
  Dim extent;
  bool dropped = false;
};
using BoxAxes = std::vector<BoxAxis>;

/// The type of the box: a view of a tensor or window, a copy of a tile of one or two dimensions.
/// Unknown when there can be none (reported at `location`).
[[nodiscard]] Type box_type(FunctionChecker& checker, const Type& object, const BoxAxes& axes,
                            SourceLocation location);

/// Where the box of a value with this origin lies: a part, and surely in several pieces when rows
/// that are not whole follow each other.
[[nodiscard]] Origin part_of(Origin origin, const Type& object, const BoxAxes& axes);

/// Checks that `source` can overwrite the box of `target`: kinds, dtypes, shapes, and that the
/// target may be written.
bool can_assemble(FunctionChecker& checker, const Expr& target, const Expr& source,
                  const BoxAxes& axes, const std::string& name);

/// A scalar can become an element of a tensor, tile or array of this type; reports otherwise.
bool element_value_fits(FunctionChecker& checker, const Type& target, const Expr& value,
                        const std::string& name);

}  // namespace a2a3::ir
