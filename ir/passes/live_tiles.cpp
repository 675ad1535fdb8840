// SPDX-License-Identifier: Apache-2.0
#include "ir/passes/live_tiles.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "ir/passes/rewrite.hpp"
#include "ir/walk.hpp"

namespace a2a3::ir {
namespace {

std::int64_t tile_bytes(const Type& type) {
  return type.elements_count().constant().value_or(0) * isa::size_of(type.dtype);
}

/// Statements numbered in the order of the text.
class Positions {
 public:
  struct Tile {
    std::size_t first_write = std::numeric_limits<std::size_t>::max();
    std::size_t last_read = 0;
    std::int64_t bytes = 0;
  };

  void block(const Block& block) {
    for (const Stmt& stmt : block) {
      ++now_;
      if (const Expr* call = statement_call(stmt)) calls[call] = now_;
      std::visit(*this, stmt.node);
    }
  }

  void operator()(const Assign& node) {
    reads(node.value);
    writes(node.names);
  }
  void operator()(const For& node) {
    reads(node.iterator);
    loop(node.body, node.carried);
  }
  void operator()(const While& node) {
    reads(node.condition);
    loop(node.body);
  }
  void operator()(const If& node) {
    reads(node.condition);
    block(node.then_body);
    block(node.else_body);
  }
  void operator()(const With& node) { block(node.body); }
  void operator()(const Return& node) { reads(node.value); }
  void operator()(const ExprStmt& node) { reads(node.value); }
  void operator()(const Pass&) {}
  void operator()(const Break&) {}
  void operator()(const Continue&) {}

  [[nodiscard]] std::size_t statements() const { return now_; }

  std::map<std::string, Tile> tiles;
  std::map<const Expr*, std::size_t> calls;

 private:
  void reads(const ExprPtr& expr) {
    if (expr == nullptr) return;
    walk(*expr, [this](const Expr& part) {
      const auto* name = std::get_if<Name>(&part.node);
      if (name == nullptr || !part.type.is_vector_value()) return;
      Tile& tile = tiles[name->id];
      tile.last_read = std::max(tile.last_read, now_);
      tile.bytes = std::max(tile.bytes, tile_bytes(part.type));
    });
  }
  /// Only what is read tells what it is: pl.yield_ and init_values bind tiles too.
  void writes(const std::vector<Name>& names) {
    for (const Name& name : names) {
      Tile& tile = tiles[name.id];
      tile.first_write = std::min(tile.first_write, now_);
    }
  }
  /// What comes into a loop and is read in it is read again in its next iteration; what the loop
  /// carries is bound anew by each.
  void loop(const Block& body, const std::vector<Name>& carried = {}) {
    const std::size_t begin = now_++;
    writes(carried);
    block(body);
    for (auto& [name, tile] : tiles) {
      if (tile.first_write <= begin && tile.last_read > begin) tile.last_read = now_ + 1;
    }
  }

  std::size_t now_ = 0;
};

}  // namespace

LiveTiles::LiveTiles(const Function& function) {
  Positions positions;
  positions.block(function.body);
  // By statement: first what becomes live there less what no longer is, then what is live.
  std::vector<std::int64_t> live(positions.statements() + 2, 0);
  for (const auto& [name, tile] : positions.tiles) {
    if (tile.first_write >= tile.last_read) continue;
    live[tile.first_write + 1] += tile.bytes;
    live[tile.last_read] -= tile.bytes;
  }
  std::partial_sum(live.begin(), live.end(), live.begin());
  for (const auto& [call, at] : positions.calls)
    bytes_[call] = live[at];
}

std::int64_t LiveTiles::bytes_across(const Expr& call) const {
  const auto found = bytes_.find(&call);
  return found == bytes_.end() ? 0 : found->second;
}

}  // namespace a2a3::ir
