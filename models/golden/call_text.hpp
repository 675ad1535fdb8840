// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/diagnostic.hpp"
#include "ir/source.hpp"

namespace a2a3::models {

/// An argument of a CallText: a number, or text.
struct CallArgument {
  std::string name;  ///< empty when it was given by position
  ir::SourceLocation location;
  double number = 0;
  std::optional<std::string> text;
};

/// What a name stands for as an argument.
enum class CallNames : std::uint8_t {
  numbers,  ///< a setting's value
  texts     ///< itself, dots included
};

/// `function(1, step=2)` in a run file or option: numbers (expressions over the settings allowed)
/// and texts as arguments. A bare name is a call without arguments.
struct CallText {
  std::string function;
  ir::SourceLocation location;
  std::vector<CallArgument> arguments;

  /// Stores the arguments at the parameters of the given names, in order; those not given keep
  /// their values. False when an argument is unknown, given twice, one too many, or text.
  bool take(std::initializer_list<std::pair<const char*, double*>> parameters,
            ir::Diagnostics& diagnostics) const;
};

[[nodiscard]] std::optional<CallText> parse_call(const ir::SourceFilePtr& source,
                                                 const std::map<std::string, double>& settings,
                                                 ir::Diagnostics& diagnostics,
                                                 CallNames names = CallNames::numbers);

}  // namespace a2a3::models
