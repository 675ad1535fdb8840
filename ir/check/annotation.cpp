// SPDX-License-Identifier: Apache-2.0
#include "ir/check/annotation.hpp"

#include <array>

#include "ir/check/dim_expr.hpp"
#include "ir/signal_layout.hpp"
#include "ir/static_eval.hpp"
#include "ir/vocabulary.hpp"
#include "ir/walk.hpp"

namespace a2a3::ir {
namespace {

class Resolver {
 public:
  Resolver(AnnotationPlace place, Module& module, Scope& captures, Diagnostics& diagnostics)
      : place_(place), module_(module), captures_(captures), diagnostics_(diagnostics) {}

  Type resolve(Expr& expr) {
    if (place_ == AnnotationPlace::result) {
      if (std::holds_alternative<NoneLiteral>(expr.node)) return Type::none();
      auto* subscript = std::get_if<Subscript>(&expr.node);
      if (subscript != nullptr && dotted_name(*subscript->object) == "tuple") {
        Type type = Type::of(TypeKind::tuple);
        for (const ExprPtr& element : subscript->indices)
          type.elements.push_back(base(*element));
        return type;
      }
    }
    return directed(expr);
  }

 private:
  Type fail(const Expr& expr, std::string message) {
    diagnostics_.error(expr.location, std::move(message));
    return {};
  }

  Type directed(Expr& expr) {
    auto* subscript = std::get_if<Subscript>(&expr.node);
    const auto name = subscript != nullptr ? dotted_name(*subscript->object) : std::nullopt;
    if (name != "pl.Out" && name != "pl.InOut") return base(expr);
    if (place_ == AnnotationPlace::variable) {
      return fail(expr, *name + "[...] marks a parameter; a variable has a plain type");
    }
    if (subscript->indices.size() != 1) return fail(expr, *name + "[...] takes one tensor type");
    Type type = base(*subscript->indices[0]);
    if (type.kind == TypeKind::unknown) return type;
    if (!type.is_tensor_like()) {
      return fail(*subscript->indices[0],
                  *name + "[...] takes a tensor type, got " + module_.describe(type));
    }
    type.direction = name == "pl.Out" ? Direction::out : Direction::inout;
    return type;
  }

  Type base(Expr& expr) {
    // pl.Tensor[[...], dt], or the legacy call form pl.Tensor((...), dt).
    const Expr* head = nullptr;
    std::vector<Expr*> parts;
    if (auto* subscript = std::get_if<Subscript>(&expr.node)) {
      head = subscript->object.get();
      for (const ExprPtr& index : subscript->indices)
        parts.push_back(index.get());
    } else if (auto* call = std::get_if<Call>(&expr.node)) {
      head = call->callee.get();
      if (!call->keywords.empty()) {
        const Keyword& keyword = call->keywords.front();
        diagnostics_.error(keyword.location, "a type has no keyword '" + keyword.name +
                                                 "': it takes a shape and a "
                                                 "dtype");
        return {};
      }
      for (const ExprPtr& argument : call->args)
        parts.push_back(argument.get());
    }
    const auto name = head != nullptr ? dotted_name(*head) : dotted_name(expr);
    if (name == "pl.Scalar") return scalar(expr, parts);
    if (name == "pl.Tensor") return shaped(expr, TypeKind::tensor, *name, parts);
    if (name == "pld.DistributedTensor" || name == "pl.DistributedTensor") {
      return shaped(expr, TypeKind::distributed_tensor, *name, parts);
    }
    if (name == "pl.Tile") {
      if (place_ == AnnotationPlace::variable) return shaped(expr, TypeKind::tile, *name, parts);
      return fail(expr, "pl.Tile is a type of variables only: tiles cannot be passed");
    }
    if (name == "pl.Out" || name == "pl.InOut") {
      return fail(expr, *name + "[...] must be the outermost part of an annotation");
    }
    const std::array<std::string, 8> known{
        "pl.Tensor", "pld.DistributedTensor", "pl.Scalar", "pl.Tile", "pl.Out", "pl.InOut",
        "tuple",     "pl.DistributedTensor"};
    if (name == "int" || name == "float") {
      return fail(expr, "'" + *name + "' is no type of the kernel language; a run-time scalar is " +
                            (name == "int" ? "pl.Scalar[pl.INT32]" : "pl.Scalar[pl.FP32]"));
    }
    return fail(expr, name ? "unknown type '" + *name + "'" + suggestion(*name, known)
                           : "not a type: expected pl.Tensor[[...], dtype], "
                             "pld.DistributedTensor[[...], dtype] or pl.Scalar[dtype]");
  }

  Type scalar(const Expr& expr, const std::vector<Expr*>& parts) {
    if (parts.size() != 1) return fail(expr, "pl.Scalar takes one dtype: pl.Scalar[pl.INT32]");
    const auto type = dtype(*parts[0]);
    return type ? Type::scalar(*type) : Type{};
  }

  Type shaped(const Expr& expr, TypeKind kind, const std::string& name,
              const std::vector<Expr*>& parts) {
    const bool has_layout = parts.size() == 3 && is_layout(*parts[2]);
    if (has_layout && !has_nd_layout(*parts[2], name)) return {};
    if (parts.size() != 2 && !has_layout) {
      return fail(expr, name + " takes a shape and a dtype: " + name + "[[1, 64], pl.FP32]");
    }
    zero_ = nullptr;
    auto shape = dims(*parts[0], name);
    const Expr* zero = zero_;
    const auto element = dtype(*parts[1]);
    if (!shape || !element) return {};
    const bool may_be_empty = kind == TypeKind::distributed_tensor;
    if (zero != nullptr && !(may_be_empty && is_ring_signal_of_one_rank(*element, *shape))) {
      return fail(*zero, "dimension 0 is out of range: it must be positive and at most 2^48; " +
                             std::string(kOnlyRingSignalsAreEmpty));
    }
    if (kind == TypeKind::tile) return Type::tile(*element, std::move(*shape));
    if (*element == isa::DType::index) {
      return fail(*parts[1], "a tensor in memory cannot have dtype INDEX");
    }
    if (is_larger_than_memory(*shape, *element)) {
      return fail(*parts[0], "a tensor has at most 2^48 bytes");
    }
    Type type = Type::of(kind);
    type.dtype = *element;
    type.shape = std::move(*shape);
    return type;
  }

  /// `pl.DN` or `pl.TensorLayout.DN`.
  static bool is_layout(const Expr& expr) {
    const auto name = dotted_name(expr);
    if (!name || !name->starts_with("pl.")) return false;
    const std::string layout = name->substr(name->rfind('.') + 1);
    return layout == "ND" || layout == "DN" || layout == "NZ";
  }

  bool has_nd_layout(const Expr& expr, const std::string& name) {
    const std::string written = *dotted_name(expr);
    if (written.ends_with(".ND")) return true;
    diagnostics_.unsupported(
        expr.location, "layout " + written + " of " + name + " is",
        "a collective's target view only supports ND layout, and so does every "
        "other operation here");
    return false;
  }

  std::optional<std::vector<Dim>> dims(Expr& expr, const std::string& name) {
    auto* sequence = std::get_if<Sequence>(&expr.node);
    if (sequence == nullptr) return dims_from_capture(expr, name);
    std::vector<Dim> shape;
    bool good = true;
    for (const ExprPtr& item : sequence->items) {
      const auto value = evaluate(*item);
      if (!value) {
        good = false;
        continue;
      }
      good = append_dim(*value, *item, shape) && good;
    }
    if (good && shape.empty()) {
      fail(expr, "the shape of a tensor must not be empty");
      good = false;
    }
    if (!good) return std::nullopt;
    return shape;
  }

  /// A shape may be a captured list: `SHAPE = [1, 64]`.
  std::optional<std::vector<Dim>> dims_from_capture(Expr& expr, const std::string& name) {
    const auto value = evaluate(expr);
    if (!value) return std::nullopt;
    const auto* constant = std::get_if<Constant>(&*value);
    const auto* list = constant == nullptr ? nullptr : std::get_if<ConstantList>(&constant->value);
    if (list == nullptr || list->empty()) {
      fail(expr, "the shape of " + name + " must be a list, for example [1, 64]");
      return std::nullopt;
    }
    std::vector<Dim> shape;
    for (const Constant& item : *list) {
      if (!append_dim(item, expr, shape)) return std::nullopt;
    }
    return shape;
  }

  bool append_dim(const StaticValue& value, const Expr& expr, std::vector<Dim>& shape) {
    const auto dim = as_dim(value);
    if (!dim) {
      fail(expr, "a dimension must be an integer or a pl.dynamic dimension");
      return false;
    }
    if (const auto constant = dim->constant()) {
      if (*constant < 0 || *constant > kMostBytes) {
        fail(expr, "dimension " + std::to_string(*constant) +
                       " is out of range: it must be positive and at most 2^48");
        return false;
      }
      if (*constant == 0 && zero_ == nullptr) zero_ = &expr;
    }
    shape.push_back(*dim);
    return true;
  }

  std::optional<isa::DType> dtype(Expr& expr) {
    const auto value = evaluate(expr);
    if (!value) return std::nullopt;
    const auto* constant = std::get_if<Constant>(&*value);
    const auto* type = constant == nullptr ? nullptr : std::get_if<isa::DType>(&constant->value);
    if (type == nullptr) {
      fail(expr, "expected a dtype, for example pl.FP32");
      return std::nullopt;
    }
    return *type;
  }

  std::optional<StaticValue> evaluate(Expr& expr) {
    std::vector<std::string> names;
    bool makes_dim = false;
    walk(expr, [&](const Expr& part) {
      if (const auto* name = std::get_if<Name>(&part.node)) names.push_back(name->id);
      const auto* call = std::get_if<Call>(&part.node);
      makes_dim = makes_dim || (call != nullptr && dotted_name(*call->callee) == "pl.dynamic");
    });
    for (const std::string& name : names) {
      const auto capture = captures_.find(name);
      if (capture != captures_.end() && capture->second.reported) return std::nullopt;
    }
    auto result = StaticEvaluator(module_, captures_).evaluate(expr);
    if (const auto* error = std::get_if<StaticError>(&result)) {
      diagnostics_.error(error->location, error->message);
      // A name without a value is one mistake, however often it is used.
      for (const std::string& name : names) {
        if (name == "pl" || name == "pld") continue;
        Capture& capture = captures_[name];
        capture.reported = capture.reported || !capture.value;
      }
      return std::nullopt;
    }
    auto& value = std::get<StaticValue>(result);
    if (makes_dim) {
      // An inline pl.dynamic(...) was called now, once: its dimension takes the call's place.
      if (const auto dim = as_dim(value)) {
        ExprPtr written = dim_expr(*dim, module_, expr.location, Division::floor);
        expr.node = std::move(written->node);
        expr.constant = written->constant;
      }
    } else if (const auto* constant = std::get_if<Constant>(&value)) {
      expr.constant = *constant;
    }
    return std::move(value);
  }

  AnnotationPlace place_;
  Module& module_;
  Scope& captures_;
  Diagnostics& diagnostics_;
  const Expr* zero_ = nullptr;  ///< the first extent of 0 in the shape that is being read
};

}  // namespace

Type resolve_annotation(TypeExpr& annotation, AnnotationPlace place, Module& module,
                        Scope& captures, Diagnostics& diagnostics) {
  if (annotation.expr == nullptr) return {};
  return Resolver(place, module, captures, diagnostics).resolve(*annotation.expr);
}

}  // namespace a2a3::ir
