// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ir/check/function_checker.hpp"
#include "ir/vocabulary.hpp"
#include "ir/walk.hpp"

namespace a2a3::ir {
namespace {

/// How often the compiler writes out the body of nested pl.unroll loops at most.
constexpr std::int64_t kMaxUnrolled = 65536;

double iterations(std::int64_t start, std::int64_t stop, std::int64_t step) {
  const double distance = static_cast<double>(stop) - static_cast<double>(start);
  return std::ceil(distance / static_cast<double>(step));
}

std::string loop_name(LoopKind kind) {
  switch (kind) {
    case LoopKind::range:
      return "pl.range";
    case LoopKind::parallel:
      return "pl.parallel";
    case LoopKind::unroll:
      return "pl.unroll";
    case LoopKind::pipeline:
      return "pl.pipeline";
    case LoopKind::while_:
      return "pl.while_";
    case LoopKind::spmd:
      return "pl.spmd";
    case LoopKind::split_aiv:
      return "pl.split_aiv";
  }
  return "loop";
}

}  // namespace

void FunctionChecker::enter_loop(const Block& body, SourceLocation location) {
  Loop loop;
  loop.location = location;
  loop.entered = assignments_;
  if (!loops_.empty()) loop.copies = loops_.back().copies;
  loops_.push_back(std::move(loop));
  // A later iteration sees other values of what the body assigns.
  for (const std::string& name : bound_names(body)) {
    const auto slot = slots_.find(name);
    if (slot != slots_.end()) variable(slot->second).value.reset();
  }
}

void FunctionChecker::leave_loop(const Flow& before, LoopRuns runs) {
  Loop loop = std::move(loops_.back());
  loops_.pop_back();
  for (const Flow& flow : loop.continues)
    merge(flow_, flow, module());
  if (flow_.reachable) {
    for (const Slot slot : loop.carried_reads) {
      const Variable& first = before.variables[slot];
      const Variable& next = flow_.variables[slot];
      if (join(first.type, next.type, module())) continue;
      error(next.assigned_at, "'" + function_.slot_names[static_cast<std::size_t>(slot)] +
                                  "' changes its type in the loop, and the next iteration reads "
                                  "it: " +
                                  module().describe(next.type) + " here, " +
                                  module().describe(first.type) + " before the loop")
          .notes.push_back({"its value before the loop", first.assigned_at});
      variable(slot).type = {};
    }
  }
  if (runs == LoopRuns::maybe) merge(flow_, before, module());
  if (runs == LoopRuns::forever) flow_.reachable = false;
  for (const Flow& flow : loop.breaks)
    merge(flow_, flow, module());
}

void FunctionChecker::loop_jump(bool is_break, SourceLocation location) {
  const char* word = is_break ? "break" : "continue";
  if (loops_.empty()) {
    error(location, std::string("'") + word + "' outside of a loop");
    return;
  }
  if (!scope_loops_.empty() && scope_loops_.back() == loops_.size()) {
    error(location, std::string("'") + word + "' cannot leave a launch scope");
  }
  Loop& loop = loops_.back();
  if (loop.range != nullptr && loop.range->kind != LoopKind::range) {
    error(location, std::string("'") + word + "' is allowed in sequential loops only, not in " +
                        loop_name(loop.range->kind));
  }
  (is_break ? loop.breaks : loop.continues).push_back(flow_);
  flow_.reachable = false;
}

bool FunctionChecker::stage_count(Expr& expr) {
  const Type type = expression(expr);
  const auto* stages = expr.constant ? std::get_if<std::int64_t>(&expr.constant->value) : nullptr;
  if (stages != nullptr && *stages > 0) return true;
  if (type.kind != TypeKind::unknown) {
    error(expr.location,
          "stage of pl.pipeline must be a positive constant integer, got " + show_value(expr));
  }
  return false;
}

bool FunctionChecker::loop_bounds(For& node) {
  auto* call = std::get_if<Call>(&node.iterator->node);
  if (call == nullptr) return false;
  const std::string name = loop_name(node.kind);
  bool good = true;
  for (Keyword& keyword : call->keywords) {
    if (keyword.name == "init_values") {
      if (std::holds_alternative<Sequence>(keyword.value->node)) continue;
      (void)expression(*keyword.value);
      error(keyword.value->location,
            "init_values of " + name + " must be a tuple, got " + show_value(*keyword.value));
      good = false;
      continue;
    }
    if (node.kind == LoopKind::pipeline && keyword.name == "stage") {
      good = stage_count(*keyword.value) && good;
      continue;
    }
    if (!program_.has_lost_statements()) {
      error(keyword.location,
            name + " has no keyword '" + keyword.name + "'; it takes (start, stop, step)" +
                (node.kind == LoopKind::pipeline ? ", stage=" : "") + " and init_values=");
    }
    good = false;
  }
  if (call->args.empty() || call->args.size() > 3) {
    error(call->callee->location, name +
                                      " takes (stop), (start, stop) or (start, stop, step), got " +
                                      std::to_string(call->args.size()) + " bounds");
    return false;
  }
  for (const ExprPtr& bound : call->args) {
    const Type type = expression(*bound);
    if (type.kind == TypeKind::unknown) {
      good = false;
    } else if (type.kind != TypeKind::scalar || !isa::is_integer(type.dtype)) {
      error(bound->location,
            "a bound of " + name + " must be an integer scalar, got " + show_value(*bound));
      good = false;
    } else if (node.kind == LoopKind::unroll &&
               !(bound->constant && std::holds_alternative<std::int64_t>(bound->constant->value))) {
      error(bound->location, "pl.unroll takes literal bounds only");
      good = false;
    }
  }
  const bool has_start = call->args.size() > 1;
  node.stop = clone(*call->args[has_start ? 1 : 0]);
  node.start = has_start ? clone(*call->args[0]) : nullptr;
  node.step = call->args.size() > 2 ? clone(*call->args[2]) : nullptr;
  if (good && node.step != nullptr && dim_of(*call->args[2]).constant() == 0) {
    error(node.step->location, "the step of " + name + " must not be 0");
    good = false;
  }
  return good;
}

void FunctionChecker::for_loop(For& node, SourceLocation location) {
  if (node.kind == LoopKind::while_) return for_while(node, location);
  if (node.kind == LoopKind::spmd) return spmd_loop(node, location);
  const bool supported = node.kind == LoopKind::range || node.kind == LoopKind::parallel ||
                         node.kind == LoopKind::unroll || node.kind == LoopKind::pipeline;
  auto* call = std::get_if<Call>(&node.iterator->node);
  node.iterator->type = Type::none();
  if (!supported) {
    unsupported(call != nullptr ? call->callee->location : node.iterator->location,
                loop_name(node.kind) + " is");
  }
  const bool good = supported && loop_bounds(node);
  bool runs = false;
  Dim start(0);
  Dim stop(0);
  Dim step(1);
  if (good) {
    const bool has_start = call->args.size() > 1;
    if (has_start) start = dim_of(*call->args[0]);
    stop = dim_of(*call->args[has_start ? 1 : 0]);
    if (call->args.size() > 2) step = dim_of(*call->args[2]);
    const auto sign = step.constant();
    runs = sign && (*sign > 0 ? stop.provably_greater(start) : start.provably_greater(stop));
  }
  double copies = 1;
  if (good && node.kind == LoopKind::unroll) {
    copies = (loops_.empty() ? 1 : loops_.back().copies) *
             std::max(iterations(start.constant().value_or(0), stop.constant().value_or(0),
                                 step.constant().value_or(1)),
                      1.0);
    if (copies > kMaxUnrolled) {
      error(call->callee->location,
            fmt::format("pl.unroll writes out its body {:.0f} times, the loops around it "
                        "included: at most {} are allowed; use pl.range",
                        copies, kMaxUnrolled));
    }
  }
  carried_start(node);
  const Flow before = flow_;
  enter_loop(node.body, location);
  loops_.back().range = &node;
  // More than the most has been reported: not again for the loops inside.
  if (copies > 1) loops_.back().copies = copies > kMaxUnrolled ? 1 : copies;
  if (good) {
    loops_.back().start = start;
    loops_.back().stop = stop;
    loops_.back().step = step;
  }
  if (!node.carried.empty()) {
    loops_.back().explicit_form = true;
    for (const ExprPtr& init : node.init_values)
      loops_.back().carried_types.push_back(init->type);
  }
  bind(node.index, Type::scalar(isa::DType::index), node.index_location);
  loops_.back().index = node.index.slot;
  loop_body(node);
  leave_loop(before, runs ? LoopRuns::at_least_once : LoopRuns::maybe);
}

void FunctionChecker::carried_start(For& node) {
  for (std::size_t i = 0; i < node.init_values.size(); ++i) {
    (void)expression(*node.init_values[i]);
  }
  if (auto* call = std::get_if<Call>(&node.iterator->node)) {
    // The iterator keeps the same expressions as written.
    for (Keyword& keyword : call->keywords) {
      if (keyword.name != "init_values") continue;
      auto* sequence = std::get_if<Sequence>(&keyword.value->node);
      for (std::size_t i = 0;
           sequence != nullptr && i < sequence->items.size() && i < node.init_values.size(); ++i) {
        sequence->items[i] = clone(*node.init_values[i]);
      }
    }
  }
  if (node.carried.size() != node.init_values.size()) {
    error(node.iterator->location, "the loop carries " + std::to_string(node.carried.size()) +
                                       " names, but init_values has " +
                                       std::to_string(node.init_values.size()));
  }
  for (std::size_t i = 0; i < node.carried.size(); ++i) {
    const bool has_value = i < node.init_values.size();
    bind(node.carried[i], has_value ? node.init_values[i]->type : Type{},
         has_value ? node.init_values[i]->location : node.iterator->location);
    if (has_value) {
      variable(node.carried[i].slot).origin = origin_of(*node.init_values[i]);
    }
  }
  // After a loop that runs zero times the names of its closing yield hold the initial values.
  auto* closing = node.carried.empty() || node.body.empty()
                      ? nullptr
                      : std::get_if<Assign>(&node.body.back().node);
  const auto* yielded = closing == nullptr ? nullptr : std::get_if<Call>(&closing->value->node);
  if (yielded == nullptr || dotted_name(*yielded->callee) != "pl.yield_") return;
  for (std::size_t i = 0; i < closing->names.size() && i < node.init_values.size(); ++i) {
    bind(closing->names[i], node.init_values[i]->type, closing->name_locations.at(i));
    if (closing->names[i].slot != kNoSlot) {
      variable(closing->names[i].slot).origin = origin_of(*node.init_values[i]);
    }
  }
}

void FunctionChecker::while_loop(While& node, SourceLocation location) {
  const Flow before = flow_;
  enter_loop(node.body, location);
  condition(*node.condition);
  (void)scoped_block(node.body, YieldScope::Kind::none);
  const bool forever = node.condition->constant == Constant{true};
  leave_loop(before, forever ? LoopRuns::forever : LoopRuns::maybe);
}

}  // namespace a2a3::ir
