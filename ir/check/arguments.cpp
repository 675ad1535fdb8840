// SPDX-License-Identifier: Apache-2.0
#include "ir/check/function_checker.hpp"

namespace a2a3::ir {
namespace {

std::vector<Dim> without_leading_ones(const std::vector<Dim>& shape) {
  std::size_t first = 0;
  while (first + 1 < shape.size() && shape[first] == Dim(1))
    ++first;
  return {shape.begin() + static_cast<std::ptrdiff_t>(first), shape.end()};
}

}  // namespace

void FunctionChecker::match_argument(const Expr& argument, const Parameter& parameter,
                                     const Function& callee, std::map<Dim::Symbol, Dim>& bindings) {
  const Type& given = argument.type;
  const Type& wanted = parameter.type;
  if (given.kind == TypeKind::unknown || wanted.kind == TypeKind::unknown) return;
  const auto refuse = [&](const std::string& reason) {
    error(argument.location,
          "argument '" + parameter.name + "' of '" + callee.name + "': " + reason)
        .notes.push_back({"the parameter is declared here", parameter.location});
  };
  if (wanted.kind == TypeKind::scalar) {
    const bool fits = given.kind == TypeKind::scalar &&
                      (given.dtype == wanted.dtype ||
                       (isa::is_integer(given.dtype) && isa::is_integer(wanted.dtype)) ||
                       (isa::is_float(wanted.dtype) && isa::is_float(given.dtype)));
    if (!fits) {
      refuse("expected " + module().describe(wanted) + ", got " + show_value(argument));
    }
    return;
  }
  if (given.kind != wanted.kind) {
    std::string advice;
    if (given.kind == TypeKind::distributed_tensor) {
      advice = "; a window view needs a pld.DistributedTensor parameter";
    } else if (wanted.kind == TypeKind::distributed_tensor && given.kind == TypeKind::tensor) {
      advice = "; a pld.DistributedTensor parameter takes a view made by pld.window";
    } else if (given.kind == TypeKind::ptr) {
      advice = "; make a view of the buffer with pld.window";
    }
    refuse("expected " + module().describe(wanted) + ", got " + show_value(argument) + advice);
    return;
  }
  if (given.dtype != wanted.dtype) {
    refuse("expected dtype " + std::string(isa::name(wanted.dtype)) + ", got " +
           std::string(isa::name(given.dtype)));
    return;
  }
  if (wanted.kind == TypeKind::tensor && wanted.direction != Direction::in &&
      given.direction == Direction::in) {
    refuse("'" + parameter.name + "' is written (" + module().describe(wanted) +
           "), but the argument is a read-only pl.Tensor; declare it pl.Out or pl.InOut");
    return;
  }
  match_shape(argument, parameter, callee, bindings);
}

void FunctionChecker::match_shape(const Expr& argument, const Parameter& parameter,
                                  const Function& callee, std::map<Dim::Symbol, Dim>& bindings) {
  const auto refuse = [&](const std::string& reason) {
    error(argument.location,
          "argument '" + parameter.name + "' of '" + callee.name + "': " + reason)
        .notes.push_back({"the parameter is declared here", parameter.location});
  };
  const Type& given = argument.type;
  const Type& wanted = parameter.type;
  if (wanted.kind == TypeKind::distributed_tensor) {
    // The callee's annotation governs indexing; it must not see more elements than the view has.
    if (wanted.elements_count().provably_greater(given.elements_count())) {
      refuse("the parameter's shape " + module().describe(wanted) +
             " has more elements than the view " + module().describe(given));
      return;
    }
    if (given.shape.size() != wanted.shape.size()) return;
  }
  const bool same_rank = given.shape.size() == wanted.shape.size();
  const std::vector<Dim> from = same_rank ? given.shape : without_leading_ones(given.shape);
  const std::vector<Dim> into = same_rank ? wanted.shape : without_leading_ones(wanted.shape);
  if (from.size() != into.size()) {
    refuse("shapes differ: expected " + module().describe(wanted) + ", got " +
           module().describe(given));
    return;
  }
  for (std::size_t i = 0; i < into.size(); ++i) {
    const auto a = from[i].constant();
    const auto b = into[i].constant();
    if (a && b && *a != *b && wanted.kind == TypeKind::tensor) {
      refuse("shapes differ: expected " + module().describe(wanted) + ", got " +
             module().describe(given));
      return;
    }
    const auto& terms = into[i].terms();
    const bool is_symbol =
        terms.size() == 1 && terms.begin()->first.size() == 1 && terms.begin()->second == 1;
    if (!is_symbol) continue;
    const Dim::Symbol symbol = terms.begin()->first[0];
    const auto [bound, inserted] = bindings.try_emplace(symbol, from[i]);
    const bool contradicts =
        !inserted && bound->second.is_constant() && a && !(bound->second == from[i]);
    if (contradicts) {
      refuse("dimension " + module().symbol_name(symbol) + " is " +
             module().describe(bound->second) + " by an earlier argument and " +
             module().describe(from[i]) + " by this one");
      return;
    }
  }
}

}  // namespace a2a3::ir
