// SPDX-License-Identifier: Apache-2.0
#include "ir/elaborate/name_use.hpp"

#include <algorithm>

#include "ir/walk.hpp"

namespace a2a3::ir {
namespace {

using Names = std::set<std::string>;

class UseCollector {
 public:
  explicit UseCollector(Names given) : sure_(std::move(given)) {}

  NameUse run(const Block& block) {
    statements(block);
    use_.surely_assigned = std::move(sure_);
    return std::move(use_);
  }

  void operator()(const Assign& node) {
    read(node.value);
    read(node.subscript);
    for (const Name& name : node.names)
      assign(name.id);
  }
  void operator()(const For& node) {
    read(node.iterator);
    const Names before = sure_;
    assign(node.index.id);
    for (const Name& name : node.carried)
      assign(name.id);
    statements(node.body);
    sure_ = before;
    // The names of the closing yield hold the initial values when the loop does not run.
    const auto* last = node.body.empty() ? nullptr : std::get_if<Assign>(&node.body.back().node);
    if (node.carried.empty() || last == nullptr) return;
    for (const Name& name : last->names)
      assign(name.id);
  }
  void operator()(const While& node) {
    read(node.condition);
    const Names before = sure_;
    statements(node.body);
    sure_ = before;
  }
  void operator()(const If& node) {
    read(node.condition);
    const Names before = sure_;
    statements(node.then_body);
    const Names after_then = std::move(sure_);
    sure_ = before;
    statements(node.else_body);
    Names both;
    std::set_intersection(after_then.begin(), after_then.end(), sure_.begin(), sure_.end(),
                          std::inserter(both, both.end()));
    sure_ = std::move(both);
  }
  void operator()(const With& node) {
    read(node.manager);
    statements(node.body);
    if (node.as) assign(node.as->id);
  }
  void operator()(const Return& node) {
    read(node.value);
    use_.returns.push_back(location_);
  }
  void operator()(const ExprStmt& node) { read(node.value); }
  void operator()(const Pass&) {}
  void operator()(const Break&) {}
  void operator()(const Continue&) {}

 private:
  void statements(const Block& block) {
    for (const Stmt& stmt : block) {
      location_ = stmt.location;
      std::visit(*this, stmt.node);
    }
  }

  void read(const ExprPtr& expr) {
    if (expr == nullptr) return;
    for (NameRead& name : name_reads(*expr)) {
      if (!sure_.contains(name.id) && captured_.insert(name.id).second) {
        use_.captured.push_back(std::move(name));
      }
    }
  }

  void assign(const std::string& id) {
    if (id.empty()) return;
    use_.assigned.insert(id);
    sure_.insert(id);
  }

  NameUse use_;
  Names sure_;
  Names captured_;
  SourceLocation location_;
};

}  // namespace

NameUse name_use(const Block& block, const std::set<std::string>& given) {
  return UseCollector(given).run(block);
}

std::vector<NameRead> name_reads(const Expr& expr) {
  std::vector<NameRead> reads;
  walk(expr, [&](const Expr& inner) {
    if (const auto* name = std::get_if<Name>(&inner.node))
      reads.push_back({name->id, inner.location});
  });
  return reads;
}

}  // namespace a2a3::ir
