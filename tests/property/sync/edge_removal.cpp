// SPDX-License-Identifier: Apache-2.0
#include "edge_removal.hpp"

#include <functional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ir/op.hpp"
#include "ir/passes/rewrite.hpp"
#include "ir/walk.hpp"

namespace a2a3::sync {
namespace {

struct Site {
  ir::Block* block = nullptr;
  std::size_t index = 0;
};

const ir::Call* call_of(const ir::Stmt& stmt, ir::OpId id) {
  const ir::Expr* expr = ir::statement_call(stmt);
  if (expr == nullptr) return nullptr;
  const auto& call = std::get<ir::Call>(expr->node);
  return call.op != nullptr && call.op->id == id ? &call : nullptr;
}

bool is_signal(const ir::Stmt& stmt) {
  return call_of(stmt, ir::OpId::notify) != nullptr || call_of(stmt, ir::OpId::wait) != nullptr;
}

/// The name of a notify's or a wait's window.
std::string window_of(const ir::Call& call) {
  const auto* name = std::get_if<ir::Name>(&call.operand(0)->node);
  return name == nullptr ? "" : name->id;
}

/// The windows that the block's waits name.
void collect_waited(ir::Block& block, std::set<std::string>& windows) {
  for (ir::Stmt& stmt : block) {
    if (const ir::Call* wait = call_of(stmt, ir::OpId::wait)) windows.insert(window_of(*wait));
    for (ir::Block* inner : ir::inner_blocks(stmt))
      collect_waited(*inner, windows);
  }
}

/// What can be taken out, in the order of the text.
struct Sites {
  /// Notifies of other windows bring data, such as the counts of an all_to_all_v.
  std::set<std::string> waited;
  std::vector<Site> notifies;
  std::vector<Site> waits;
  std::vector<Site> barriers;
  std::vector<Site> guards;
  std::vector<Site> self_guards;             ///< `peer != me`
  std::vector<std::pair<Site, Site>> pairs;  ///< a notify and the next wait on its window

  void collect(ir::Block& block) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      const Site site{&block, i};
      const ir::Call* notify = call_of(block[i], ir::OpId::notify);
      if (notify != nullptr && waited.contains(window_of(*notify))) notifies.push_back(site);
      if (call_of(block[i], ir::OpId::barrier) != nullptr) barriers.push_back(site);
      if (const ir::Call* wait = call_of(block[i], ir::OpId::wait)) {
        waits.push_back(site);
        for (std::size_t n = notifies.size(); n-- > 0;) {
          const Site& before = notifies[n];
          const ir::Call* call = call_of((*before.block)[before.index], ir::OpId::notify);
          if (window_of(*call) != window_of(*wait)) continue;
          pairs.emplace_back(before, site);
          break;
        }
      }
      if (const auto* branch = std::get_if<ir::If>(&block[i].node)) {
        if (branch->then_body.size() == 1 && branch->else_body.empty() &&
            is_signal(branch->then_body[0])) {
          guards.push_back(site);
          const auto* compare = std::get_if<ir::Compare>(&branch->condition->node);
          if (compare != nullptr && compare->op == ir::CompareOp::ne) self_guards.push_back(site);
        }
      }
      for (ir::Block* inner : ir::inner_blocks(block[i]))
        collect(*inner);
    }
  }
};

ir::SourceLocation location(const Site& site) {
  return (*site.block)[site.index].location;
}

/// Other sites keep their places.
void take_out(const Site& site) {
  (*site.block)[site.index].node = ir::Pass{};
}

void unwrap(const Site& site) {
  ir::Stmt& stmt = (*site.block)[site.index];
  ir::Stmt inner = std::move(std::get<ir::If>(stmt.node).then_body[0]);
  stmt = std::move(inner);
}

/// Only for peers on one side of the own rank.
void narrow(const Site& site, ir::CompareOp op) {
  auto& branch = std::get<ir::If>((*site.block)[site.index].node);
  std::get<ir::Compare>(branch.condition->node).op = op;
}

}  // namespace

std::string remove_edge(ir::Module& module, std::mt19937_64& random) {
  Sites sites;
  for (const auto& function : module.functions) {
    if (function->kind != ir::FunctionKind::kernel) continue;
    collect_waited(function->body, sites.waited);
    sites.collect(function->body);
  }
  const auto one_of = [&](const auto& list) -> const auto& {
    return list[random() % list.size()];
  };
  std::vector<std::function<std::string()>> choices;
  const auto offer = [&](const char* name, const std::vector<Site>& list, auto change) {
    if (list.empty()) return;
    choices.emplace_back([&list, name, one_of, change] {
      const Site& site = one_of(list);
      const std::uint32_t line = location(site).line;
      change(site);
      return fmt::format("{} of line {}", name, line);
    });
  };
  offer("notify", sites.notifies, take_out);
  offer("wait", sites.waits, take_out);
  offer("barrier", sites.barriers, take_out);
  offer("guard", sites.guards, unwrap);
  offer("lower ranks", sites.self_guards,
        [](const Site& site) { narrow(site, ir::CompareOp::gt); });
  offer("higher ranks", sites.self_guards,
        [](const Site& site) { narrow(site, ir::CompareOp::lt); });
  if (!sites.pairs.empty()) {
    choices.emplace_back([&] {
      const auto& [notify, wait] = one_of(sites.pairs);
      take_out(notify);
      take_out(wait);
      return fmt::format("notify of line {} and wait of line {}", location(notify).line,
                         location(wait).line);
    });
  }
  return choices.empty() ? "" : one_of(choices)();
}

}  // namespace a2a3::sync
