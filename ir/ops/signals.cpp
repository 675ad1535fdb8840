// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/region.hpp"
#include "ir/ops/rules.hpp"
#include "ir/vocabulary.hpp"
#include "ir/walk.hpp"

namespace a2a3::ir::rules {
namespace {

/// The window operand and the cell that `offsets` names in it.
void check_cell(OpCall& call, const std::string& name, std::size_t offsets_operand) {
  const std::string window = call.parameter(0);
  const bool is_window =
      call.is_window(0, name + " " + window + " must be a DistributedTensor (window-bound)");
  const auto offsets = call.dims(offsets_operand, name);
  if (!is_window) return;
  const Type& type = call.type(0);
  if (type.dtype != isa::DType::int32) {
    call.error(0, name + " " + window +
                      " must have INT32 element type (a signal cell is an int32 "
                      "counter), got " +
                      call.show(type));
  }
  if (!offsets || !rank_matches(call, offsets_operand, *offsets, type, name)) return;
  const std::vector<Dim> cell(offsets->size(), Dim(1));
  (void)inside(call, name, offsets_operand, *offsets, cell, type, "the " + window + " window");
}

/// The value when it is known before the run and right.
std::optional<std::int64_t> check_value(OpCall& call, const std::string& name,
                                        std::size_t operand) {
  const std::string parameter = call.parameter(operand);
  if (!call.is_scalar(operand, name + " " + parameter + " must be a scalar")) return std::nullopt;
  if (!call.is_integer_scalar(operand, name + " " + parameter + " must be an integer")) {
    return std::nullopt;
  }
  const Expr& value = call.operand(operand);
  if (!call.checker().literal_fits(value, isa::DType::int32, name + " " + parameter)) {
    return std::nullopt;
  }
  return call.dim_of(value).constant();
}

Diagnostic& warning(OpCall& call, std::size_t operand, std::string message) {
  return call.checker().program().diagnostics().warning(call.operand(operand).location,
                                                        std::move(message));
}

/// Whether the kernel has a notify to this window of which `matters(value)` is true. Calls that are
/// not checked yet are known by their text.
template <class Matters>
bool is_signalled_too(OpCall& call, Matters&& matters) {
  const auto* window = std::get_if<Name>(&call.operand(0).node);
  if (window == nullptr) return true;
  bool found = false;
  walk(call.checker().function().body, [&](const Expr& expr) {
    const auto* other = std::get_if<Call>(&expr.node);
    if (other == nullptr || other->args.empty()) return;
    const auto name = dotted_name(*other->callee);
    const auto* target = std::get_if<Name>(&other->args[0]->node);
    if (!name || !name->ends_with(".notify") || target == nullptr || target->id != window->id)
      return;
    const Expr* value = other->args.size() > 3 ? other->args[3].get() : nullptr;
    for (const Keyword& keyword : other->keywords) {
      if (keyword.name == "value") value = keyword.value.get();
    }
    found = found || value == nullptr || matters(*value);
  });
  return found;
}

/// Nothing arrives with a value of 0, unless it resets a cell.
void warn_of_empty_notify(OpCall& call, const std::string& name) {
  const auto& op = call.operand(4).constant;
  const auto* member = op ? std::get_if<EnumMember>(&op->value) : nullptr;
  if (member == nullptr) return;
  const bool is_set = member->member == "Set";
  const bool is_reset = call.checker().is_own_rank(call.dim_of(call.operand(1)));
  const auto is_another = [](const Expr& value) {
    const auto* literal = std::get_if<IntLiteral>(&value.node);
    return literal == nullptr || literal->value != 0;
  };
  if (is_set && (is_reset || is_signalled_too(call, is_another))) return;
  warning(call, 3,
          name + (is_set ? " value 0 with NotifyOp.Set: a wait for at least 1 never passes"
                         : " value 0 with NotifyOp.AtomicAdd: the cell stays as it is"))
      .notes.push_back({"cells are zero at the start: signal with values of 1 and more", {}});
}

/// A wait that does not wait: cells are zero at the start, unless the kernel takes them below it.
void warn_of_passing_wait(OpCall& call, const std::string& name, std::int64_t expected) {
  const auto& cmp = call.operand(3).constant;
  const auto* member = cmp ? std::get_if<EnumMember>(&cmp->value) : nullptr;
  if (member == nullptr || (member->member == "Eq" && expected != 0)) return;
  const auto may_be_negative = [](const Expr& value) {
    return std::holds_alternative<Unary>(value.node) || std::holds_alternative<Binary>(value.node);
  };
  if (is_signalled_too(call, may_be_negative)) return;
  warning(call, 2,
          name + " expected " + std::to_string(expected) + " with WaitCmp." +
              std::string(member->member) +
              " passes at once while the cell is 0, as it is at the start")
      .notes.push_back({"wait for the value that the peer's notify leaves, at least 1", {}});
}

}  // namespace

// pld.system.notify(target, peer, offsets, value, *, op)
Type notify(OpCall& call) {
  const std::string name = "pld.system.notify";
  check_cell(call, name, 2);
  (void)check_peer(call, 1, name);
  const auto value = check_value(call, name, 3);
  (void)call.member(4, "NotifyOp", "AtomicAdd",
                    name + " op must be NotifyOp.AtomicAdd or NotifyOp.Set");
  if (value == 0) warn_of_empty_notify(call, name);
  return Type::none();
}

// pld.system.wait(signal, offsets, expected, *, cmp)
Type wait(OpCall& call) {
  const std::string name = "pld.system.wait";
  check_cell(call, name, 1);
  const auto expected = check_value(call, name, 2);
  (void)call.member(3, "WaitCmp", "Ge", name + " cmp must be WaitCmp.Eq or WaitCmp.Ge");
  if (expected && *expected <= 0) warn_of_passing_wait(call, name, *expected);
  return Type::none();
}

}  // namespace a2a3::ir::rules
