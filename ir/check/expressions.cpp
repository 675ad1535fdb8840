// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "ir/arithmetic_warnings.hpp"
#include "ir/check/dim_expr.hpp"
#include "ir/check/function_checker.hpp"
#include "ir/fold.hpp"
#include "ir/vocabulary.hpp"

namespace a2a3::ir {
namespace {

/// A captured dimension product or list, written out as the expression it stands for.
ExprPtr constant_expr(const Constant& constant, SourceLocation location) {
  auto expr = std::make_unique<Expr>();
  expr->location = location;
  if (const auto* list = std::get_if<ConstantList>(&constant.value)) {
    Sequence sequence;
    sequence.kind = Sequence::Kind::list;
    for (const Constant& item : *list)
      sequence.items.push_back(constant_expr(item, location));
    expr->node = std::move(sequence);
  } else if (const auto* text = std::get_if<std::string>(&constant.value)) {
    expr->node = StringLiteral{*text};
  } else {
    expr->node = Name{to_string(constant), kNoSlot};
    expr->constant = constant;
  }
  return expr;
}

}  // namespace

Type FunctionChecker::expression(Expr& expr) {
  expr.type = expression_node(expr);
  return expr.type;
}

Type FunctionChecker::constant_type(const Constant& constant) const {
  struct Visitor {
    Type operator()(NoneValue) const { return Type::of(TypeKind::constant); }
    Type operator()(bool) const { return Type::scalar(isa::DType::boolean); }
    Type operator()(std::int64_t) const { return Type::scalar(isa::DType::index); }
    Type operator()(double) const { return Type::scalar(isa::DType::fp32); }
    Type operator()(const std::string&) const { return Type::of(TypeKind::constant); }
    Type operator()(isa::DType) const { return Type::of(TypeKind::constant); }
    Type operator()(const EnumMember&) const { return Type::of(TypeKind::constant); }
    Type operator()(DynamicDim) const { return Type::scalar(isa::DType::index); }
    Type operator()(const ConstantList&) const { return Type::of(TypeKind::constant); }
  };
  return std::visit(Visitor{}, constant.value);
}

Type FunctionChecker::with_constant(Expr& expr, Constant constant) {
  const Type type = constant_type(constant);
  expr.constant = std::move(constant);
  return type;
}

Type FunctionChecker::with_constant(Expr& expr, Constant constant, const Type& type) {
  auto* integer = std::get_if<std::int64_t>(&constant.value);
  if (integer == nullptr || type.kind != TypeKind::scalar || !isa::is_integer(type.dtype)) {
    return with_constant(expr, std::move(constant));
  }
  const std::int64_t exact = std::exchange(*integer, wrapped(*integer, type.dtype));
  if (exact != *integer && !is_host() && warns_of_wrapping(type.dtype))
    warn_of_wrapping(program_.diagnostics(), expr.location, exact, type.dtype);
  expr.constant = std::move(constant);
  return type;
}

bool FunctionChecker::literal_fits(const Expr& value, isa::DType dtype, const std::string& what) {
  std::optional<Constant> known = value.constant;
  if (!known && value.type.kind == TypeKind::scalar && isa::is_integer(value.type.dtype)) {
    if (const auto integer = dim_of(value).constant()) known = Constant{*integer};
  }
  const bool is_number = known && (std::holds_alternative<std::int64_t>(known->value) ||
                                   std::holds_alternative<double>(known->value));
  if (!is_number || fits(*known, dtype)) return true;
  error(value.location,
        what + " " + to_string(*known) + " does not fit dtype " + std::string(isa::name(dtype)));
  return false;
}

Type FunctionChecker::expression_node(Expr& expr) {
  struct Visitor {
    FunctionChecker& self;
    Expr& expr;
    Type operator()(IntLiteral& node) const { return self.with_constant(expr, {node.value}); }
    Type operator()(FloatLiteral& node) const { return self.with_constant(expr, {node.value}); }
    Type operator()(StringLiteral& node) const { return self.with_constant(expr, {node.value}); }
    Type operator()(BoolLiteral& node) const { return self.with_constant(expr, {node.value}); }
    Type operator()(NoneLiteral&) const { return self.with_constant(expr, {NoneValue{}}); }
    Type operator()(Name&) const { return self.name(expr); }
    Type operator()(Attribute&) const { return self.attribute(expr); }
    Type operator()(Call& node) const { return self.call(expr, node); }
    Type operator()(Unary& node) const { return self.unary(expr, node); }
    Type operator()(Binary& node) const { return self.binary(expr, node); }
    Type operator()(Compare& node) const { return self.compare(expr, node); }
    Type operator()(Logical& node) const { return self.logical(expr, node); }
    Type operator()(Sequence& node) const {
      Type type = Type::of(TypeKind::tuple);
      for (ExprPtr& item : node.items)
        type.elements.push_back(self.expression(*item));
      return type;
    }
    Type operator()(Slice& node) const {
      if (node.lower != nullptr) (void)self.expression(*node.lower);
      if (node.upper != nullptr) (void)self.expression(*node.upper);
      return {};
    }
    Type operator()(Subscript& node) const { return self.subscript(expr, node); }
  };
  return std::visit(Visitor{*this, expr}, expr.node);
}

Type FunctionChecker::name(Expr& expr) {
  auto& node = std::get<Name>(expr.node);
  if (node.id.empty() || expr.constant)
    return expr.constant ? constant_type(*expr.constant) : Type{};
  const auto slot = slots_.find(node.id);
  const bool assigned =
      slot != slots_.end() && flow_.variables[slot->second].assigned != Assigned::no;
  if (!assigned) {
    if (!bound_.contains(node.id) && function_.captures->contains(node.id)) {
      return captured(expr, node.id);
    }
    unknown_name(expr, node.id);
    return {};
  }
  node.slot = slot->second;
  const bool maybe = flow_.variables[node.slot].assigned == Assigned::maybe;
  if (maybe && flow_.reachable && !program_.is_lost(node.id)) {
    error(expr.location, "'" + node.id +
                             "' may be read before it is assigned: not every path to "
                             "here assigns it")
        .notes.push_back({"it is assigned here", flow_.variables[node.slot].assigned_at});
    this->variable(node.slot).assigned = Assigned::yes;  // once is enough
  }
  const Variable& variable = flow_.variables[node.slot];
  for (Loop& loop : loops_) {
    if (loop.entered >= variable.order) loop.carried_reads.insert(node.slot);
  }
  if (variable.other_type) {
    error(expr.location, "'" + node.id +
                             "' has different types on the paths that meet before "
                             "here: " +
                             module().describe(variable.type) + " and " +
                             module().describe(*variable.other_type))
        .notes.push_back({"it is assigned here", variable.assigned_at});
    this->variable(node.slot).type = {};
    this->variable(node.slot).other_type.reset();
    return {};
  }
  return variable.type;
}

Type FunctionChecker::captured(Expr& expr, const std::string& id) {
  Capture& capture = function_.captures->find(id)->second;
  if (!capture.value) {
    if (!std::exchange(capture.reported, true)) {
      error(expr.location,
            "'" + id + "' is no constant that a kernel can capture: " + capture.problem)
          .notes.push_back({"it is defined here", capture.location});
    }
    return {};
  }
  if (const auto* dim = std::get_if<Dim>(&*capture.value)) {
    ExprPtr product = dim_expr(*dim, module(), expr.location, division());
    expr.node = std::move(product->node);
    return expression_node(expr);
  }
  const Constant& constant = std::get<Constant>(*capture.value);
  if (!module().may_copy(constant)) {
    error(expr.location, too_many_constants());
    return {};
  }
  if (std::holds_alternative<ConstantList>(constant.value)) {
    ExprPtr list = constant_expr(constant, expr.location);
    expr.node = std::move(list->node);
    return expression_node(expr);
  }
  return with_constant(expr, constant);
}

void FunctionChecker::unknown_name(const Expr& expr, const std::string& id) {
  if (program_.is_lost(id)) return;
  if (bound_.contains(id)) {
    error(expr.location, "'" + id + "' is read before it is assigned");
    return;
  }
  if (program_.find_function(id) != nullptr) {
    error(expr.location, "'" + id + "' is a function and can only be called");
    return;
  }
  const auto known = [this] {
    std::vector<std::string> names = function_.slot_names;
    for (const auto& [name, capture] : *function_.captures)
      names.push_back(name);
    return names;
  };
  Diagnostic& diagnostic =
      error(expr.location, "undefined name '" + id + "'" + module().suggest(id, known));
  const auto& dims = module().dynamic_dims;
  const auto dim = std::find_if(dims.begin(), dims.end(),
                                [&](const DynamicDimInfo& info) { return info.name == id; });
  if (dim != dims.end()) {
    diagnostic.notes.push_back({"this makes a dimension, but no name for it: write " + id +
                                    " = pl.dynamic(\"" + id + "\") before the functions",
                                dim->location});
  }
  // Reported once: later reads of the same name are the same mistake.
  Variable& absent = variable(slot_of(id));
  absent.assigned = Assigned::yes;
  absent.type = {};
}

Type FunctionChecker::attribute(Expr& expr) {
  const auto dotted = dotted_name(expr);
  if (!dotted) {
    auto& node = std::get<Attribute>(expr.node);
    const Type object = expression(*node.object);
    if (object.kind != TypeKind::unknown) {
      error(expr.location, show_value(*node.object) + " has no attribute '" + node.attribute + "'");
    }
    return {};
  }
  if (auto constant = language_constant(*dotted)) return with_constant(expr, std::move(*constant));
  if (find_op(*dotted) != nullptr) {
    error(expr.location, "'" + *dotted + "' is an operation and can only be called");
  } else {
    error(expr.location,
          "unknown name '" + *dotted + "'" + suggestion(*dotted, language_constant_names()));
  }
  return {};
}

std::string FunctionChecker::show_value(const Expr& expr) {
  if (const auto* sequence = std::get_if<Sequence>(&expr.node)) {
    return sequence->kind == Sequence::Kind::list ? "a list" : "a tuple";
  }
  if (expr.type.kind == TypeKind::constant && expr.constant) return to_string(*expr.constant);
  return module().describe(expr.type);
}

Origin FunctionChecker::origin_of(const Expr& expr) const {
  if (const auto found = facts_.find(&expr); found != facts_.end()) return found->second.origin;
  const auto* name = std::get_if<Name>(&expr.node);
  if (name == nullptr || name->slot == kNoSlot) return {};
  return flow_.variables[name->slot].origin;
}

Dim FunctionChecker::context_dim(bool count, std::int32_t parameter) {
  const auto key = std::make_pair(count, parameter);
  const auto found = context_dims_.find(key);
  if (parameter >= 0 && found != context_dims_.end()) return found->second;
  Dim dim = module().add_opaque(count ? "pld.nranks" : "pld.rank");
  context_dims_.insert_or_assign(key, dim);
  return dim;
}

bool FunctionChecker::is_own_rank(const Dim& value) const {
  return std::any_of(context_dims_.begin(), context_dims_.end(), [&](const auto& entry) {
    return !entry.first.first && entry.second == value;
  });
}

Dim FunctionChecker::quotient_dim(const Binary& binary) {
  const Dim lhs = dim_of(*binary.lhs);
  const Dim rhs = dim_of(*binary.rhs);
  for (const Quotient& known : quotients_) {
    if (known.op == binary.op && known.lhs == lhs && known.rhs == rhs) return known.value;
  }
  quotients_.push_back({binary.op, lhs, rhs, module().add_opaque("?")});
  return quotients_.back().value;
}

Dim FunctionChecker::dim_of(const Expr& expr) {
  if (expr.constant) {
    if (const auto* value = std::get_if<std::int64_t>(&expr.constant->value)) return Dim(*value);
    if (const auto* dim = std::get_if<DynamicDim>(&expr.constant->value)) {
      return Dim::symbol(dim->id);
    }
  }
  if (const auto found = facts_.find(&expr); found != facts_.end() && found->second.value) {
    return *found->second.value;
  }
  if (const auto* name = std::get_if<Name>(&expr.node); name != nullptr && name->slot != kNoSlot) {
    if (!flow_.variables[name->slot].value) {
      variable(name->slot).value = module().add_opaque(name->id);
    }
    return *flow_.variables[name->slot].value;
  }
  const Dim value = arithmetic(expr);
  if (value.is_known()) return value;
  const Dim opaque = module().add_opaque("?");
  set_value(expr, opaque);
  return opaque;
}

Dim FunctionChecker::arithmetic(const Expr& expr) {
  const auto* binary = std::get_if<Binary>(&expr.node);
  if (binary == nullptr) return Dim::unknown();
  switch (binary->op) {
    case BinaryOp::add:
      return dim_of(*binary->lhs) + dim_of(*binary->rhs);
    case BinaryOp::sub:
      return dim_of(*binary->lhs) - dim_of(*binary->rhs);
    case BinaryOp::mul:
      return dim_of(*binary->lhs) * dim_of(*binary->rhs);
    case BinaryOp::div:
    case BinaryOp::floordiv:
    case BinaryOp::mod:
    case BinaryOp::shift_left:
    case BinaryOp::shift_right:
      return quotient_dim(*binary);
  }
  return Dim::unknown();
}

}  // namespace a2a3::ir
