// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/module.hpp"

namespace a2a3::ir {

enum class Assigned : std::uint8_t { no, maybe, yes };

/// Which buffer a value is, as far as that is known before the run.
struct Origin {
  std::int32_t parameter = -1;     ///< of the function: the value is this parameter's buffer
  std::int32_t buffer = -1;        ///< window buffer of the host program
  bool collective_result = false;  ///< what a HOST collective gave, not a view made by pld.window

  friend bool operator==(const Origin&, const Origin&) = default;
};

/// What is known of a variable at one point of a function.
struct Variable {
  Assigned assigned = Assigned::no;
  Type type;
  std::optional<Type> other_type;  ///< another path gives it this type, which does not fit
  std::optional<Dim> value;        ///< of an integer scalar
  Origin origin;
  SourceLocation assigned_at;
  /// Depth of the innermost loop in whose body it has been assigned on every path so far; a read
  /// inside deeper loops sees the value of the iteration before.
  std::uint32_t loop_depth = 0;
};

/// What is known at one point of a function.
struct Flow {
  bool reachable = true;
  std::vector<Variable> variables;  ///< by slot
};

/// The type of a variable that has one type on one path and another on the other; nothing when they
/// do not fit. Integer scalars meet as INDEX; shapes meet when no two constant dimensions differ.
[[nodiscard]] std::optional<Type> join(const Type& a, const Type& b, Module& module);

/// `into` becomes what holds where both paths meet.
void merge(Flow& into, const Flow& other, Module& module);

}  // namespace a2a3::ir
