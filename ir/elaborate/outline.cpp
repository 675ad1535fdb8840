// SPDX-License-Identifier: Apache-2.0
#include "ir/elaborate/outline.hpp"

#include <algorithm>
#include <cctype>
#include <tuple>

#include "ir/elaborate/name_use.hpp"
#include "ir/launch_scope.hpp"
#include "ir/lexer.hpp"
#include "ir/vocabulary.hpp"
#include "ir/walk.hpp"

namespace a2a3::ir {
namespace {

/// A launch scope: what holds its body, and the call that says what it is.
struct LaunchScope {
  Block* body = nullptr;
  const Expr* manager = nullptr;
  const Name* index = nullptr;  ///< block index of a pl.spmd loop
};

std::string manager_name(const Expr& manager) {
  const auto* call = std::get_if<Call>(&manager.node);
  return call == nullptr ? "" : dotted_name(*call->callee).value_or("");
}

bool has_level(const Expr& manager, std::string_view level) {
  const auto* call = std::get_if<Call>(&manager.node);
  const ExprPtr* given = call == nullptr ? nullptr : keyword_value(*call, "level");
  return given != nullptr && dotted_name(**given) == level;
}

/// The scope that the statement is in a function of this kind, if it is one.
std::optional<LaunchScope> launch_scope(Stmt& stmt, FunctionKind kind) {
  if (auto* loop = std::get_if<For>(&stmt.node);
      loop != nullptr && loop->kind == LoopKind::spmd && kind == FunctionKind::chip) {
    return LaunchScope{&loop->body, loop->iterator.get(), &loop->index};
  }
  auto* with = std::get_if<With>(&stmt.node);
  if (with == nullptr) return std::nullopt;
  const std::string name = manager_name(*with->manager);
  const bool kernel =
      kind == FunctionKind::chip &&
      (name == "pl.spmd" || (name == "pl.at" && has_level(*with->manager, "pl.Level.CORE_GROUP")));
  const bool chip =
      kind == FunctionKind::host && name == "pl.at" && has_level(*with->manager, "pl.Level.CHIP");
  if (!kernel && !chip) return std::nullopt;
  return LaunchScope{&with->body, with->manager.get(), nullptr};
}

class Outliner {
 public:
  Outliner(Module& module, Function& function, std::set<std::string>& names,
           const std::set<std::string>& kernels, Diagnostics& diagnostics)
      : module_(module),
        function_(function),
        names_(names),
        kernels_(kernels),
        diagnostics_(diagnostics) {}

  std::vector<std::unique_ptr<Function>> run() {
    block(function_.body, std::nullopt);
    return std::move(made_);
  }

 private:
  /// `loop`: where the outermost loop around the block begins.
  void block(Block& statements, const std::optional<SourceLocation>& loop) {
    for (Stmt& stmt : statements) {
      if (const auto scope = launch_scope(stmt, function_.kind)) {
        if (!holds_call(*scope->body)) outline(*scope, loop.value_or(stmt.location));
        continue;
      }
      const bool is_loop =
          std::holds_alternative<For>(stmt.node) || std::holds_alternative<While>(stmt.node);
      for (Block* inner : inner_blocks(stmt))
        block(*inner, is_loop ? loop.value_or(stmt.location) : loop);
    }
  }

  /// True for a body that calls a function as this function may: it is no inline code. A host
  /// function cannot call kernels, so a scope with calls of these is a per-device function.
  [[nodiscard]] bool holds_call(const Block& body) const {
    const bool host = function_.kind == FunctionKind::host;
    bool found = false;
    walk(body, [&](const Expr& expr) {
      const auto* call = std::get_if<Call>(&expr.node);
      const auto name = call == nullptr ? std::nullopt : dotted_name(*call->callee);
      if (!name) return;
      const bool method = name->starts_with("self.");
      const bool function = module_.is_class ? method : names_.contains(*name);
      const bool kernel = kernels_.contains(method ? name->substr(5) : *name);
      found = found || (function && !(host && kernel));
    });
    return found;
  }

  void outline(const LaunchScope& scope, const SourceLocation& from) {
    Block body = std::move(*scope.body);
    scope.body->clear();
    const NameUse inside = name_use(body);
    for (const SourceLocation& location : inside.returns) {
      diagnostics_.error(location,
                         "'return' cannot stand in inline code of " + manager_name(*scope.manager));
    }
    if (!inside.returns.empty()) return;

    const NameUse outside = name_use(function_.body);
    const auto is_outer = [&](const std::string& id) {
      return outside.assigned.contains(id) || (scope.index != nullptr && scope.index->id == id) ||
             std::any_of(function_.parameters.begin(), function_.parameters.end(),
                         [&](const Parameter& parameter) { return parameter.name == id; });
    };
    std::vector<NameRead> captured;
    for (const NameRead& read : inside.captured) {
      if (is_outer(read.id)) captured.push_back(read);
    }
    std::vector<NameRead> results;
    for (const NameRead& read : reads_behind(function_.body, from)) {
      const bool known = std::any_of(results.begin(), results.end(),
                                     [&](const NameRead& r) { return r.id == read.id; });
      if (!inside.assigned.contains(read.id) || known) continue;
      results.push_back(read);
      // Assigned on some paths only: the value from before the scope is the other one.
      const bool sure = inside.surely_assigned.contains(read.id);
      const bool has = std::any_of(captured.begin(), captured.end(),
                                   [&](const NameRead& r) { return r.id == read.id; });
      if (!sure && !has && is_outer(read.id)) captured.push_back(read);
    }
    make_function(scope, std::move(body), captured, results);
  }

  /// What the statements read behind a place. Of inline code only what it captures counts.
  std::vector<NameRead> reads_behind(Block& statements, const SourceLocation& from) {
    std::vector<NameRead> reads;
    const auto add = [&](const std::vector<NameRead>& some) {
      for (const NameRead& read : some) {
        if (read.location.is_behind(from)) reads.push_back(read);
      }
    };
    for (Stmt& stmt : statements) {
      if (const auto scope = launch_scope(stmt, function_.kind)) {
        add(name_reads(*scope->manager));
        add(without(name_use(*scope->body).captured, scope->index));
        continue;
      }
      walk_heads(stmt, add);
      const auto* loop = std::get_if<For>(&stmt.node);
      for (Block* inner : inner_blocks(stmt))
        add(without(reads_behind(*inner, from), loop == nullptr ? nullptr : &loop->index));
    }
    return reads;
  }

  /// Reads in a loop's body of other names than its index.
  static std::vector<NameRead> without(std::vector<NameRead> reads, const Name* index) {
    if (index != nullptr) {
      std::erase_if(reads, [&](const NameRead& read) { return read.id == index->id; });
    }
    return reads;
  }

  /// The expressions of a statement itself.
  template <typename Add>
  static void walk_heads(const Stmt& stmt, const Add& add) {
    const auto read = [&](const ExprPtr& expr) {
      if (expr != nullptr) add(name_reads(*expr));
    };
    if (const auto* assign = std::get_if<Assign>(&stmt.node)) {
      read(assign->value);
      read(assign->subscript);
    } else if (const auto* loop = std::get_if<For>(&stmt.node)) {
      read(loop->iterator);
    } else if (const auto* natural = std::get_if<While>(&stmt.node)) {
      read(natural->condition);
    } else if (const auto* branch = std::get_if<If>(&stmt.node)) {
      read(branch->condition);
    } else if (const auto* with = std::get_if<With>(&stmt.node)) {
      read(with->manager);
    } else if (const auto* result = std::get_if<Return>(&stmt.node)) {
      read(result->value);
    } else if (const auto* alone = std::get_if<ExprStmt>(&stmt.node)) {
      read(alone->value);
    }
  }

  std::string function_name(const LaunchScope& scope) {
    const auto& call = std::get<Call>(scope.manager->node);
    const ExprPtr* hint = keyword_value(call, "name_hint");
    const auto* text = hint == nullptr ? nullptr : std::get_if<StringLiteral>(&(*hint)->node);
    const bool usable =
        text != nullptr && !text->value.empty() && !is_keyword(text->value) &&
        std::all_of(text->value.begin(), text->value.end(),
                    [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; }) &&
        std::isdigit(static_cast<unsigned char>(text->value[0])) == 0;
    std::string stem = usable ? text->value
                              : "_" + function_.name + "_" +
                                    (manager_name(*scope.manager) == "pl.spmd" ? "spmd" : "at");
    if (usable && names_.insert(stem).second) return stem;
    for (int n = 0;; ++n) {
      std::string name = stem + std::to_string(n);
      if (names_.insert(name).second) return name;
    }
  }

  void make_function(const LaunchScope& scope, Block body, const std::vector<NameRead>& captured,
                     const std::vector<NameRead>& results) {
    const SourceLocation location = scope.manager->location;
    const auto variable = [](const NameRead& read) {
      return make_expr(Name{read.id, kNoSlot}, read.location);
    };
    auto function = std::make_unique<Function>();
    function->name = function_name(scope);
    function->location = location;
    function->captures = function_.captures;
    const bool chip = function_.kind == FunctionKind::host;
    function->kind = chip ? FunctionKind::chip : FunctionKind::kernel;
    function->outlined = chip                                      ? Outlined::chip
                         : manager_name(*scope.manager) == "pl.at" ? Outlined::task
                                                                   : Outlined::blocks;
    Call call;
    call.callee =
        module_.is_class
            ? make_expr(Attribute{make_expr(Name{"self", kNoSlot}, location), function->name},
                        location)
            : make_expr(Name{function->name, kNoSlot}, location);
    for (const NameRead& read : captured) {
      function->parameters.push_back({read.id, read.location, std::nullopt, {}});
      call.args.push_back(variable(read));
    }
    function->body = std::move(body);
    add_results(*function, results, location);
    Stmt stmt{ExprStmt{make_expr(std::move(call), location)}, location};
    if (!results.empty()) {
      Assign assign;
      for (const NameRead& result : results) {
        assign.names.push_back({result.id, kNoSlot});
        assign.name_locations.push_back(location);
      }
      assign.value = std::move(std::get<ExprStmt>(stmt.node).value);
      stmt.node = std::move(assign);
    }
    scope.body->push_back(std::move(stmt));
    made_.push_back(std::move(function));
  }

  static void add_results(Function& function, const std::vector<NameRead>& results,
                          const SourceLocation& location) {
    if (results.empty()) return;
    std::vector<ExprPtr> values;
    for (const NameRead& result : results)
      values.push_back(make_expr(Name{result.id, kNoSlot}, result.location));
    ExprPtr value = values.size() == 1
                        ? std::move(values[0])
                        : make_expr(Sequence{Sequence::Kind::tuple, std::move(values)}, location);
    function.body.push_back({Return{std::move(value)}, location});
  }

  Module& module_;
  Function& function_;
  std::set<std::string>& names_;
  const std::set<std::string>& kernels_;
  Diagnostics& diagnostics_;
  std::vector<std::unique_ptr<Function>> made_;
};

}  // namespace

void outline_launch_scopes(Module& module, std::vector<std::unique_ptr<Function>>& functions,
                           Diagnostics& diagnostics) {
  std::set<std::string> names;
  std::set<std::string> kernels;
  for (const auto* all : {&module.functions, &module.unreached}) {
    for (const auto& function : *all) {
      names.insert(function->name);
      if (function->kind == FunctionKind::kernel) kernels.insert(function->name);
      for (const auto& [name, capture] : *function->captures)
        names.insert(name);
    }
  }
  // Code at the chip level of a host function may hold kernels in turn.
  for (const FunctionKind kind : {FunctionKind::host, FunctionKind::chip}) {
    std::vector<std::unique_ptr<Function>> out;
    for (auto& function : functions) {
      if (function->kind == kind) {
        for (auto& made : Outliner(module, *function, names, kernels, diagnostics).run())
          out.push_back(std::move(made));
      }
      out.push_back(std::move(function));
    }
    functions = std::move(out);
  }
}

}  // namespace a2a3::ir
