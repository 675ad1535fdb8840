// SPDX-License-Identifier: Apache-2.0
// pl.yield_, the forms that end in it, and pl.while_.
#include "ir/check/function_checker.hpp"
#include "ir/vocabulary.hpp"

namespace a2a3::ir {
namespace {

const Call* yield_of(const Expr* value) {
  const auto* call = value != nullptr ? std::get_if<Call>(&value->node) : nullptr;
  return call != nullptr && dotted_name(*call->callee) == "pl.yield_" ? call : nullptr;
}

/// The pl.yield_ that is a block's last statement; nullptr when there is none.
const Call* closing_yield(const Block& block) {
  if (block.empty()) return nullptr;
  if (const auto* assign = std::get_if<Assign>(&block.back().node)) {
    return yield_of(assign->value.get());
  }
  const auto* statement = std::get_if<ExprStmt>(&block.back().node);
  return statement != nullptr ? yield_of(statement->value.get()) : nullptr;
}

std::string values(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " value" : " values");
}

}  // namespace

FunctionChecker::YieldScope FunctionChecker::scoped_block(Block& statements,
                                                          YieldScope::Kind kind) {
  YieldScope scope;
  scope.kind = kind;
  scope.closing = closing_yield(statements);
  yields_.push_back(std::move(scope));
  block(statements);
  scope = std::move(yields_.back());
  yields_.pop_back();
  return scope;
}

void FunctionChecker::loop_body(For& node) {
  const bool carries = !node.carried.empty();
  const YieldScope scope =
      scoped_block(node.body, carries ? YieldScope::Kind::loop : YieldScope::Kind::none);
  if (!carries || scope.closing != nullptr || !flow_.reachable || program_.has_lost_statements())
    return;
  error(node.iterator->location,
        "a loop with init_values ends in pl.yield_(...), which gives the next iteration's values");
}

void FunctionChecker::yield(Assign* assign, Call& call, SourceLocation location) {
  std::vector<Type> types;
  for (const ExprPtr& value : call.args)
    types.push_back(expression(*value));
  if (!call.keywords.empty()) error(call.keywords[0].location, "pl.yield_ takes no keywords");
  const auto kind = yields_.empty() ? YieldScope::Kind::none : yields_.back().kind;
  if (kind == YieldScope::Kind::none) {
    error(location,
          "pl.yield_ belongs at the end of a loop with init_values or of both arms of an if; "
          "elsewhere none is needed: names rebound in a loop or branch are visible afterwards");
  } else if (yields_.back().closing != &call) {
    error(location, kind == YieldScope::Kind::loop
                        ? "pl.yield_ must be the last statement of the loop"
                        : "pl.yield_ must be the last statement of the branch");
  } else if (kind == YieldScope::Kind::loop) {
    check_loop_yield(call, types, location);
  } else if (assign == nullptr) {
    error(location, "the values that a branch yields need names: x = pl.yield_(...)");
  } else {
    yields_.back().types = types;
    yields_.back().names = assign->names;
    yields_.back().location = location;
  }
  if (assign == nullptr) return;
  if (kind != YieldScope::Kind::none && assign->names.size() != types.size()) {
    error(location, "pl.yield_ gives " + values(types.size()) + " to " +
                        std::to_string(assign->names.size()) +
                        (assign->names.size() == 1 ? " name" : " names"));
  }
  for (std::size_t i = 0; i < assign->names.size(); ++i) {
    const bool has_value = i < types.size();
    bind(assign->names[i], has_value ? types[i] : Type{}, assign->name_locations.at(i));
    if (has_value && assign->names[i].slot != kNoSlot) {
      variable(assign->names[i].slot).origin = origin_of(*call.args[i]);
    }
  }
}

void FunctionChecker::check_loop_yield(const Call& call, const std::vector<Type>& types,
                                       SourceLocation location) {
  const std::vector<Type>& carried = loops_.back().carried_types;
  if (types.size() != carried.size()) {
    error(location, "pl.yield_ gives " + values(types.size()) + ", but init_values has " +
                        std::to_string(carried.size()));
    return;
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (join(carried[i], types[i], module())) continue;
    error(call.args[i]->location, "pl.yield_ value " + std::to_string(i) + " is " +
                                      module().describe(types[i]) + ", but init_values has " +
                                      module().describe(carried[i]));
  }
}

/// What an arm yields; of an `elif` what the whole rest of the chain yields.
FunctionChecker::YieldScope FunctionChecker::arm(Block& statements, bool is_elif) {
  auto* chained =
      is_elif && statements.size() == 1 ? std::get_if<If>(&statements[0].node) : nullptr;
  return chained != nullptr ? branches(*chained) : scoped_block(statements, YieldScope::Kind::arm);
}

FunctionChecker::YieldScope FunctionChecker::branches(If& node) {
  condition(*node.condition);
  const Flow before = flow_;
  YieldScope first = arm(node.then_body, false);
  Flow after_then = std::move(flow_);
  flow_ = before;
  YieldScope second = arm(node.else_body, node.is_elif_chain);
  const bool both_meet = after_then.reachable && flow_.reachable;
  if (both_meet && !program_.has_lost_statements()) check_arms(first, second);
  merge(after_then, flow_, module());
  flow_ = std::move(after_then);
  return first.types ? std::move(first) : std::move(second);
}

void FunctionChecker::check_arms(const YieldScope& first, const YieldScope& second) {
  if (!first.types && !second.types) return;
  if (!first.types || !second.types) {
    error((first.types ? first : second).location,
          "pl.yield_ stands in one arm of the if only: both arms must yield the same number of "
          "values of the same types");
    return;
  }
  const auto& names = first.names;
  if (first.types->size() != second.types->size()) {
    error(second.location, "pl.yield_ gives " + values(second.types->size()) + " here and " +
                               std::to_string(first.types->size()) + " in the other arm of the if")
        .notes.push_back({"the other pl.yield_", first.location});
    return;
  }
  for (std::size_t i = 0; i < first.types->size(); ++i) {
    if (i < names.size() && i < second.names.size() && names[i].id != second.names[i].id) {
      error(second.location, "pl.yield_ gives value " + std::to_string(i) + " to '" +
                                 second.names[i].id + "' here and to '" + names[i].id +
                                 "' in the other arm of the if")
          .notes.push_back({"the other pl.yield_", first.location});
    }
    const Type& here = (*second.types)[i];
    const Type& there = (*first.types)[i];
    if (join(there, here, module())) continue;
    error(second.location, "pl.yield_ value " + std::to_string(i) + " is " +
                               module().describe(here) + ", but " + module().describe(there) +
                               " in the other arm of the if")
        .notes.push_back({"the other pl.yield_", first.location});
    // Reported here: the name has no type that later reads could disagree with.
    if (i < second.names.size() && second.names[i].slot != kNoSlot) {
      variable(second.names[i].slot).type = {};
    }
  }
}

void FunctionChecker::for_while(For& node, SourceLocation location) {
  const auto* call = std::get_if<Call>(&node.iterator->node);
  node.iterator->type = Type::none();
  const bool only_init_values = call != nullptr && call->args.empty() &&
                                call->keywords.size() == 1 &&
                                call->keywords[0].name == "init_values";
  if (!only_init_values && !program_.has_lost_statements()) {
    error(node.iterator->location, "pl.while_ takes init_values=(...) and nothing else");
  }
  carried_start(node);
  const Flow before = flow_;
  enter_loop(node.body, location);
  loops_.back().explicit_form = true;
  for (const ExprPtr& init : node.init_values)
    loops_.back().carried_types.push_back(init->type);
  loops_.back().carried_types.resize(node.carried.size());
  const auto* first = node.body.empty() ? nullptr : std::get_if<ExprStmt>(&node.body[0].node);
  const auto* test = first != nullptr ? std::get_if<Call>(&first->value->node) : nullptr;
  if (test != nullptr && dotted_name(*test->callee) == "pl.cond") {
    loop_condition_ = test;
  } else if (!program_.has_lost_statements()) {
    error(node.body.empty() ? node.iterator->location : node.body[0].location,
          "a pl.while_ loop begins with pl.cond(condition)");
  }
  loop_body(node);
  leave_loop(before, LoopRuns::maybe);
}

void FunctionChecker::loop_condition(Call& call) {
  if (&call != loop_condition_) {
    error(call.callee->location, "pl.cond must be the first statement of a pl.while_ loop");
  } else if (call.args.size() != 1 || !call.keywords.empty()) {
    error(call.callee->location, "pl.cond takes one condition");
  } else {
    (void)condition(*call.args[0]);
    return;
  }
  check_arguments_only(call);
}

}  // namespace a2a3::ir
