// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
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
  bool part = false;               ///< a slice of it, not the whole
  bool gaps = false;               ///< a slice that is surely no single run of elements

  /// Two such values of one parameter are the same bytes; of two slices nothing is known.
  [[nodiscard]] bool is_whole_parameter() const { return parameter >= 0 && !part; }
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
  /// Place among the function's assignments: loops that were entered later see the value of the
  /// iteration before in it. 0 when a path does not assign it.
  std::size_t order = 0;
};

/// The variables of a function by slot. Copies share what neither of them changes, so that a branch
/// costs what it assigns, not what there is.
class Variables {
 public:
  /// The variable of that slot, as it is before its first assignment when nothing is known of it.
  [[nodiscard]] const Variable& operator[](Slot slot) const;
  [[nodiscard]] Variable& change(Slot slot);
  /// Becomes what holds where both paths meet.
  void merge(const Variables& other, Module& module);

 private:
  static constexpr std::size_t kChunk = 32;
  using Chunk = std::array<Variable, kChunk>;
  [[nodiscard]] Chunk& own(std::size_t chunk);

  std::vector<std::shared_ptr<Chunk>> chunks_;  ///< null: nothing assigned
};

/// What is known at one point of a function.
struct Flow {
  bool reachable = true;
  Variables variables;
};

/// The type of a variable that has one type on one path and another on the other; nothing when they
/// do not fit. Integer scalars meet as INDEX; shapes meet when no two constant dimensions differ.
[[nodiscard]] std::optional<Type> join(const Type& a, const Type& b, Module& module);

/// `into` becomes what holds where both paths meet.
void merge(Flow& into, const Flow& other, Module& module);

}  // namespace a2a3::ir
