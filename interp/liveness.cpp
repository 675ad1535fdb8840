// SPDX-License-Identifier: Apache-2.0
#include "interp/liveness.hpp"

#include <algorithm>
#include <cstdint>

namespace a2a3::interp {
namespace {

/// A set of tile registers.
class TileSet {
 public:
  explicit TileSet(std::size_t registers) : words_((registers + 63) / 64) {}
  void insert(Register tile) { word(tile) |= bit(tile); }
  void erase(Register tile) { word(tile) &= ~bit(tile); }
  [[nodiscard]] bool contains(Register tile) const {
    return (words_[static_cast<std::size_t>(tile) / 64] & bit(tile)) != 0;
  }
  void unite(const TileSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i)
      words_[i] |= other.words_[i];
  }
  friend bool operator==(const TileSet&, const TileSet&) = default;

 private:
  static std::uint64_t bit(Register tile) { return std::uint64_t{1} << (tile % 64); }
  std::uint64_t& word(Register tile) { return words_[static_cast<std::size_t>(tile) / 64]; }
  std::vector<std::uint64_t> words_;
};

bool jumps(OpCode code) {
  return code == OpCode::jump || code == OpCode::branch_false || code == OpCode::loop_begin ||
         code == OpCode::loop_next;
}

bool falls_through(OpCode code) {
  return code != OpCode::jump && code != OpCode::finish;
}

/// Calls `visit` with the index of each op that can follow op `i`.
template <class Visit>
void for_each_successor(const Program& program, std::size_t i, Visit visit) {
  const Op& op = program.ops[i];
  if (falls_through(op.code) && i + 1 < program.ops.size()) visit(i + 1);
  if (jumps(op.code)) visit(std::size_t{op.target});
}

std::vector<TileSet> live_before(const Program& program, const std::vector<TileUse>& uses) {
  const std::size_t count = program.ops.size();
  std::vector<TileSet> live(count, TileSet(program.tile_names.size()));
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = count; i-- > 0;) {
      TileSet now(program.tile_names.size());
      for_each_successor(program, i, [&](std::size_t next) { now.unite(live[next]); });
      if (uses[i].write != kNoRegister) now.erase(uses[i].write);
      for (const Register tile : uses[i].reads)
        now.insert(tile);
      if (now == live[i]) continue;
      live[i] = std::move(now);
      changed = true;
    }
  }
  return live;
}

void mark_dying_operands(Program& program, std::size_t i, const TileSet& live_after) {
  const Op& op = program.ops[i];
  const auto dies = [&](Register tile) { return tile == op.dst || !live_after.contains(tile); };
  if (op.code == OpCode::tile_binary || op.code == OpCode::tile_binary_scalar) {
    BinarySite& site = program.binaries[op.site];
    site.lhs_dies = dies(site.lhs);
    site.rhs_dies = op.code == OpCode::tile_binary && dies(site.rhs);
  } else if (op.code == OpCode::tile_cast) {
    program.casts[op.site].src_dies = dies(program.casts[op.site].src);
  }
}

}  // namespace

TileUse tile_use(const Program& program, const Op& op) {
  TileUse use;
  const auto reads = [&](Register tile) {
    if (tile != kNoRegister) use.reads.push_back(tile);
  };
  switch (op.code) {
    case OpCode::move_tile:
    case OpCode::set_valid_shape:
    case OpCode::fill_padding:
      reads(op.a);
      use.write = op.dst;
      break;
    case OpCode::load:
      use.write = program.loads[op.site].tile;
      break;
    case OpCode::store:
      reads(program.stores[op.site].tile);
      break;
    case OpCode::transfer:
      reads(program.transfers[op.site].stage);
      reads(program.transfers[op.site].stage2);
      break;
    case OpCode::tile_binary:
      reads(program.binaries[op.site].rhs);
      [[fallthrough]];
    case OpCode::tile_binary_scalar:
      reads(program.binaries[op.site].lhs);
      use.write = op.dst;
      break;
    case OpCode::tile_cast:
      reads(program.casts[op.site].src);
      use.write = op.dst;
      break;
    case OpCode::tile_create:
    case OpCode::tile_fill:
      use.write = op.dst;
      break;
    case OpCode::read:
    case OpCode::write:
      if (program.elements[op.site].object.file == RegisterFile::tile) {
        reads(program.elements[op.site].object.index);
      }
      break;
    default:
      break;
  }
  return use;
}

void insert_releases(Program& program) {
  const std::size_t tiles = program.tile_names.size();
  if (tiles == 0) return;
  const std::size_t count = program.ops.size();
  std::vector<TileUse> uses;
  uses.reserve(count);
  for (const Op& op : program.ops)
    uses.push_back(tile_use(program, op));
  const std::vector<TileSet> live = live_before(program, uses);

  // What may still hold a tile on arrival at an op: everything live before one of its
  // predecessors, and what that predecessor wrote.
  std::vector<TileSet> held(count, TileSet(tiles));
  for (std::size_t i = 0; i < count; ++i) {
    TileSet after = live[i];
    if (uses[i].write != kNoRegister) after.insert(uses[i].write);
    TileSet live_after(tiles);
    for_each_successor(program, i, [&](std::size_t next) {
      held[next].unite(after);
      live_after.unite(live[next]);
    });
    mark_dying_operands(program, i, live_after);
  }

  std::vector<Op> ops;
  std::vector<std::uint32_t> place(count);  // of each old op, its release included
  for (std::size_t i = 0; i < count; ++i) {
    place[i] = static_cast<std::uint32_t>(ops.size());
    std::vector<Register> dead;
    for (Register tile = 0; tile < static_cast<Register>(tiles); ++tile) {
      if (held[i].contains(tile) && !live[i].contains(tile)) dead.push_back(tile);
    }
    if (!dead.empty() && program.ops[i].code != OpCode::finish) {
      Op release;
      release.code = OpCode::release;
      release.site = static_cast<std::uint32_t>(program.releases.size());
      release.source = program.ops[i].source;
      program.releases.push_back(std::move(dead));
      ops.push_back(release);
    }
    ops.push_back(program.ops[i]);
  }
  for (Op& op : ops) {
    if (jumps(op.code)) op.target = place[op.target];
  }
  program.ops = std::move(ops);
}

}  // namespace a2a3::interp
