// SPDX-License-Identifier: Apache-2.0
// Scopes of per-device functions that say how kernels are launched.
#include <algorithm>

#include "ir/check/function_checker.hpp"
#include "ir/launch_scope.hpp"
#include "ir/vocabulary.hpp"
#include "ir/walk.hpp"

namespace a2a3::ir {

bool FunctionChecker::calls_function(const Expr& expr) {
  const auto* call = std::get_if<Call>(&expr.node);
  if (call == nullptr) return false;
  if (call->function != nullptr) return true;
  const auto dotted = dotted_name(*call->callee);
  if (!dotted) return false;
  const bool method = dotted->starts_with("self.");
  return method == module().is_class &&
         program_.find_function(method ? dotted->substr(5) : *dotted) != nullptr;
}

/// The scope can stand here. What it is called is a name of the language.
bool FunctionChecker::is_launch_place(const Expr& manager, const std::string& name) {
  if (function_.kind == FunctionKind::chip) return true;
  error(manager.location,
        "'" + name +
            "' says how a device's cores run a kernel: it can only stand in a per-device " +
            "function (@pl.jit, FunctionType.Orchestration)");
  return false;
}

bool FunctionChecker::spmd_arguments(Call& call, SourceLocation location) {
  bool good = true;
  for (Keyword& keyword : call.keywords) {
    (void)expression(*keyword.value);
    if (keyword.name == "core_num" || keyword.name == "name_hint") continue;
    error(keyword.location, keyword.name == "sync_start"
                                ? "sync_start of pl.spmd is not supported yet; see docs/coverage.md"
                                : "pl.spmd has no keyword '" + keyword.name +
                                      "'; it takes the number of blocks (core_num) and name_hint=");
    good = false;
  }
  for (ExprPtr& argument : call.args)
    (void)expression(*argument);
  const Expr* count = spmd_count(call);
  if (count == nullptr || call.args.size() > 1) {
    error(call.callee->location, "pl.spmd takes the number of blocks: pl.spmd(n)");
    return false;
  }
  if (count->type.kind == TypeKind::unknown) return false;
  if (count->type.kind != TypeKind::scalar || !isa::is_integer(count->type.dtype)) {
    error(count->location,
          "the number of blocks of pl.spmd must be an integer scalar, got " + show_value(*count));
    return false;
  }
  const auto blocks = dim_of(*count).constant();
  if (blocks && *blocks < 1) {
    error(count->location, "pl.spmd needs at least one block, got " + std::to_string(*blocks));
    return false;
  }
  if (in_spmd_) {
    error(location, "pl.spmd cannot stand inside another pl.spmd: a block runs on one core");
    return false;
  }
  return good;
}

void FunctionChecker::spmd_body(Block& body, SourceLocation location) {
  const bool outer = in_spmd_;
  in_spmd_ = true;
  (void)scoped_block(body, YieldScope::Kind::none);
  in_spmd_ = outer;
  int calls = 0;
  walk(body, [&](const Expr& expr) { calls += calls_function(expr) ? 1 : 0; });
  const bool direct = std::any_of(body.begin(), body.end(), [this](const Stmt& stmt) {
    const auto* assign = std::get_if<Assign>(&stmt.node);
    const auto* alone = std::get_if<ExprStmt>(&stmt.node);
    return (assign != nullptr && calls_function(*assign->value)) ||
           (alone != nullptr && calls_function(*alone->value));
  });
  if ((calls == 1 && direct) || program_.has_lost_statements()) return;
  error(location,
        "pl.spmd launches one kernel: its body must hold exactly one kernel call, outside "
        "of loops and branches, got " +
            std::to_string(calls));
}

void FunctionChecker::spmd_loop(For& node, SourceLocation location) {
  auto* call = std::get_if<Call>(&node.iterator->node);
  node.iterator->type = Type::none();
  if (call == nullptr) return;
  const bool allowed = is_launch_place(*node.iterator, "pl.spmd");
  if (allowed && spmd_arguments(*call, call->callee->location)) {
    node.stop = clone(*spmd_count(*call));
  }
  if (!node.carried.empty()) {
    error(location, "pl.spmd carries no values: its blocks run at the same time");
  }
  const Flow before = flow_;
  enter_loop(node.body, location);
  loops_.back().range = &node;
  bind(node.index, Type::scalar(isa::DType::index), node.index_location);
  if (allowed) {
    spmd_body(node.body, call->callee->location);
  } else {
    (void)scoped_block(node.body, YieldScope::Kind::none);
  }
  leave_loop(before, true);
}

void FunctionChecker::with(With& node) {
  auto* call = std::get_if<Call>(&node.manager->node);
  const std::string name =
      call != nullptr ? dotted_name(*call->callee).value_or("this") : std::string("this");
  node.manager->type = Type::none();
  if (name == "pl.spmd") {
    const bool allowed = is_launch_place(*node.manager, name);
    if (node.as) {
      error(node.manager->location, "'with pl.spmd(...)' gives nothing to hold: write `for " +
                                        node.as->id + " in pl.spmd(...)` for the block index");
      bind(*node.as, Type::scalar(isa::DType::index), node.manager->location);
    }
    if (!allowed) return (void)scoped_block(node.body, YieldScope::Kind::none);
    (void)spmd_arguments(*call, call->callee->location);
    return spmd_body(node.body, call->callee->location);
  }
  const UnsupportedOp* known = find_unsupported_op(name);
  if (!is_unparsed(*node.manager)) {
    error(node.manager->location,
          known != nullptr ? "'with " + name + "(...)' is not supported yet; see docs/coverage.md"
                           : "'with' needs pl.at(...), pl.manual_scope(), pl.spmd(...) or "
                             "pl.cluster()");
  }
  if (node.as) bind(*node.as, {}, node.manager->location);
  (void)scoped_block(node.body, YieldScope::Kind::none);
}

}  // namespace a2a3::ir
