// SPDX-License-Identifier: Apache-2.0
// Scopes of per-device functions that say how kernels are launched.
#include <algorithm>
#include <utility>

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
  if (function_.outlined == Outlined::task || function_.outlined == Outlined::blocks) {
    error(manager.location, "'" + name +
                                "' cannot stand in the inline code of another launch scope: that "
                                "code runs on one core, and launch scopes do not nest");
    return false;
  }
  Diagnostic& wrong = error(
      manager.location,
      "'" + name + "' says how a device's cores run a kernel: it can only stand in a per-device " +
          "function (@pl.jit, FunctionType.Orchestration)");
  if (function_.kind == FunctionKind::host) {
    wrong.notes.push_back(
        {"in a host function `with pl.at(level=pl.Level.CHIP):` around it makes "
         "a per-device function of its body, which runs on device 0",
         {}});
  }
  return false;
}

bool FunctionChecker::name_hint(const std::string& scope, const Expr& value) {
  if (std::holds_alternative<StringLiteral>(value.node)) return true;
  error(value.location, scope + " name_hint must be a string, got " + show_value(value));
  return false;
}

bool FunctionChecker::spmd_arguments(Call& call, SourceLocation location) {
  bool good = true;
  for (Keyword& keyword : call.keywords) {
    (void)expression(*keyword.value);
    if (keyword.name == "name_hint") {
      good = name_hint("pl.spmd", *keyword.value) && good;
      continue;
    }
    if (keyword.name == "core_num") continue;
    if (keyword.name == "sync_start") {
      unsupported(keyword.location, "sync_start of pl.spmd is",
                  "the blocks of a launch start as cores come free");
    } else {
      error(keyword.location, "pl.spmd has no keyword '" + keyword.name +
                                  "'; it takes the number of blocks (core_num) and name_hint=");
    }
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
  error(location, calls == 1
                      ? "pl.spmd launches one kernel: the call cannot stand in a loop, a branch or "
                        "another scope"
                      : "pl.spmd launches one kernel: its body must hold exactly one kernel call, "
                        "got " +
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
  leave_loop(before, LoopRuns::at_least_once);
}

std::optional<EnumMember> FunctionChecker::at_level(Call& call) {
  std::optional<EnumMember> level;
  for (ExprPtr& argument : call.args) {
    (void)expression(*argument);
    error(argument->location, "pl.at takes keywords: level=, role=, name_hint=, deps=");
  }
  for (Keyword& keyword : call.keywords) {
    (void)expression(*keyword.value);
    const auto* member = keyword.value->constant
                             ? std::get_if<EnumMember>(&keyword.value->constant->value)
                             : nullptr;
    const auto enumeration = [&](std::string_view name) {
      if (member != nullptr && member->enumeration == name) return true;
      error(keyword.value->location, "pl.at " + keyword.name + " must be a member of pl." +
                                         std::string(name) + ", got " + show_value(*keyword.value));
      return false;
    };
    if (keyword.name == "level") {
      if (enumeration("Level")) level = *member;
    } else if (keyword.name == "role") {
      (void)enumeration("Role");  // at_role() says where it fits
    } else if (keyword.name == "deps") {
      task_dependences(*keyword.value);
    } else if (keyword.name == "name_hint") {
      (void)name_hint("pl.at", *keyword.value);
    } else {
      error(keyword.location, "pl.at has no keyword '" + keyword.name +
                                  "' here; it takes level=, role=, name_hint= and deps=");
    }
  }
  if (keyword_value(call, "level") == nullptr) {
    error(call.callee->location, "pl.at needs level=, as in pl.at(level=pl.Level.CORE_GROUP)");
  }
  return level;
}

void FunctionChecker::task_dependences(Expr& deps) {
  const auto* sequence = std::get_if<Sequence>(&deps.node);
  if (sequence == nullptr) {
    error(deps.location, "deps= takes a list of tasks, as in deps=[tid], got " + show_value(deps));
    return;
  }
  for (const ExprPtr& item : sequence->items) {
    if (item->type.kind == TypeKind::task || item->type.kind == TypeKind::unknown) continue;
    error(item->location,
          "deps= takes the tasks of earlier scopes (`with pl.at(...) as tid:`), got " +
              show_value(*item));
  }
}

/// Checks the body of a scope whose end must be reached.
void FunctionChecker::scope_body(Block& body) {
  scope_loops_.push_back(loops_.size());
  (void)scoped_block(body, YieldScope::Kind::none);
  scope_loops_.pop_back();
}

/// Which roles a level has: orchestration above kernels, work on the cores.
void FunctionChecker::at_role(const Call& call, const EnumMember& level) {
  const bool cores = level.member == "CORE_GROUP";
  if (const ExprPtr* deps = keyword_value(call, "deps"); deps != nullptr && !cores) {
    error((*deps)->location, "deps= orders the tasks of a per-device function: pl.at at level " +
                                 level.member + " makes none");
  }
  const ExprPtr* given = keyword_value(call, "role");
  if (given == nullptr || !(*given)->constant) return;
  const auto* role = std::get_if<EnumMember>(&(*given)->constant->value);
  const std::string wanted = cores ? "Worker" : "Orchestrator";
  if (role == nullptr || role->enumeration != "Role" || role->member == wanted) return;
  unsupported((*given)->location,
              "pl.at at level " + level.member + " with role " + role->member + " is",
              cores ? "code for the cores has role Worker, or none"
                    : "code above the kernels has role Orchestrator, or none");
}

void FunctionChecker::at_scope(With& node, Call& call) {
  const auto level = at_level(call);
  const bool chip = level && level->member == "CHIP";
  const bool host = level && level->member == "HOST";
  const SourceLocation location = call.callee->location;
  if (level && !chip && !host && level->member != "CORE_GROUP") {
    unsupported(location, "pl.at at level " + level->member + " is",
                "levels are HOST, CHIP and CORE_GROUP");
  } else if ((chip || host) && function_.kind != FunctionKind::host) {
    error(location,
          chip ? "pl.at at level CHIP makes a per-device function: it can only stand in a host "
                 "function"
               : "pl.at at level HOST holds host orchestration: it can only stand in a host "
                 "function");
  } else if (level && !chip && !host) {
    (void)is_launch_place(*node.manager, "pl.at");
  }
  if (level) at_role(call, *level);
  if (!scope_loops_.empty() && in_task_) {
    error(location, "pl.at cannot stand inside another pl.at");
  } else if (in_spmd_) {
    error(location, "pl.at cannot stand inside pl.spmd: a block is a task already");
  }
  // A scope of the host in the host function is no more than its statements.
  const bool outer = std::exchange(in_task_, in_task_ || !host);
  scope_body(node.body);
  in_task_ = outer;
  if (!node.as) return;
  const bool task = !chip && !host;
  if (!task) error(location, "pl.at at level " + level->member + " gives no task to hold");
  bind(*node.as, Type::of(task ? TypeKind::task : TypeKind::unknown), node.manager->location);
}

void FunctionChecker::manual_scope(With& node, Call& call) {
  (void)is_launch_place(*node.manager, "pl.manual_scope");
  if (!call.args.empty() || !call.keywords.empty()) {
    error(call.callee->location, "pl.manual_scope takes nothing");
  }
  if (node.as) {
    error(call.callee->location,
          "pl.manual_scope gives nothing to hold: tasks come from "
          "`with pl.at(...) as tid:` in it");
    bind(*node.as, {}, node.manager->location);
  }
  scope_body(node.body);
}

/// What leaves a kernel is a tensor that it was given.
std::string FunctionChecker::kernel_result_problem(const Expr& value) const {
  const bool computed = value.type.kind == TypeKind::tile ||
                        (value.type.kind == TypeKind::scalar && origin_of(value).parameter < 0);
  if (!computed || function_.kind != FunctionKind::kernel) return "";
  if (function_.outlined == Outlined::task || function_.outlined == Outlined::blocks) {
    const auto* name = std::get_if<Name>(&value.node);
    return "'" + (name == nullptr ? std::string("this") : name->id) +
           "' is made in the inline code of a launch scope, which runs as a kernel: outside of it "
           "only tensors can be used; store it into one";
  }
  if (value.type.kind != TypeKind::scalar) return "";
  return "a kernel cannot return a scalar that it computes: its caller runs before it; store it "
         "into a tensor";
}

/// A kernel with pld.system.defer_wait is a waiter: nothing else has a place in it.
void FunctionChecker::check_waiter() {
  bool waits = false;
  const Expr* other = nullptr;
  walk(function_.body, [&](const Expr& expr) {
    const auto* call = std::get_if<Call>(&expr.node);
    if (call == nullptr || call->op == nullptr) return;
    switch (call->op->id) {
      case OpId::defer_wait:
        waits = true;
        return;
      case OpId::get_comm_ctx:
      case OpId::rank:
      case OpId::nranks:
      case OpId::tensor_dim:
      case OpId::scalar_min:
      case OpId::scalar_max:
      case OpId::const_value:
      case OpId::get_byte:
      case OpId::cast:
        return;
      default:
        if (other == nullptr) other = &expr;
    }
  });
  if (!waits || other == nullptr) return;
  error(other->location, "pld.system.defer_wait needs a dedicated waiter scope: move " +
                             std::string(std::get<Call>(other->node).op->name) +
                             " to another pl.at scope");
}

/// A waiter completes the task that runs it: each of its calls stands in a pl.at scope.
void FunctionChecker::check_waiter_call(const Call& node, const Function& callee) {
  if (in_task_ || callee.outlined != Outlined::no) return;
  const Expr* wait = nullptr;
  walk(callee.body, [&](const Expr& expr) {
    const auto* call = std::get_if<Call>(&expr.node);
    const bool waits = call != nullptr && call->op != nullptr && call->op->id == OpId::defer_wait;
    if (waits && wait == nullptr) wait = &expr;
  });
  if (wait == nullptr) return;
  error(node.callee->location,
        "pld.system.defer_wait completes a task: call '" + callee.name +
            "' in a scope of its own, `with pl.at(level=pl.Level.CORE_GROUP) as tid:`, and let "
            "later scopes take deps=[tid]")
      .notes.push_back({"it waits here", wait->location});
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
  if (name == "pl.at") return at_scope(node, *call);
  if (name == "pl.manual_scope") return manual_scope(node, *call);
  if (find_unsupported_op(name) != nullptr) {
    unsupported(node.manager->location, "'with " + name + "(...)' is");
  } else if (!is_unparsed(*node.manager)) {
    error(node.manager->location, "'with' needs pl.at(...), pl.manual_scope() or pl.spmd(...)");
  }
  if (node.as) bind(*node.as, {}, node.manager->location);
  (void)scoped_block(node.body, YieldScope::Kind::none);
}

}  // namespace a2a3::ir
