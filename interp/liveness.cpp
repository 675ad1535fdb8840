// SPDX-License-Identifier: Apache-2.0
#include "interp/liveness.hpp"

#include <algorithm>
#include <bit>
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
  /// The tiles that are not in `other`, ascending.
  [[nodiscard]] std::vector<Register> without(const TileSet& other) const {
    std::vector<Register> tiles;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t rest = words_[i] & ~other.words_[i]; rest != 0; rest &= rest - 1)
        tiles.push_back(static_cast<Register>(i * 64) + std::countr_zero(rest));
    }
    return tiles;
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

/// Ops [begin, end) that run one after the other: jumps lead to the first and leave from the last.
struct BasicBlock {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::vector<std::size_t> successors;
  TileSet live;  ///< before the first op
  TileSet held;  ///< what may still hold a tile on arrival there
};

std::vector<BasicBlock> blocks_of(const Program& program) {
  const std::vector<Op>& ops = program.ops;
  std::vector<bool> begins(ops.size() + 1, false);
  begins.front() = true;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (jumps(ops[i].code)) begins[ops[i].target] = true;
    if (jumps(ops[i].code) || !falls_through(ops[i].code)) begins[i + 1] = true;
  }
  std::vector<BasicBlock> blocks;
  std::vector<std::size_t> block_of(ops.size());
  const TileSet none(program.tile_names.size());
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (begins[i]) blocks.push_back({i, i, {}, none, none});
    blocks.back().end = i + 1;
    block_of[i] = blocks.size() - 1;
  }
  for (BasicBlock& block : blocks) {
    const Op& last = ops[block.end - 1];
    if (falls_through(last.code) && block.end < ops.size())
      block.successors.push_back(block_of[block.end]);
    if (jumps(last.code)) block.successors.push_back(block_of[last.target]);
  }
  return blocks;
}

TileSet live_behind(const std::vector<BasicBlock>& blocks, const BasicBlock& block,
                    std::size_t tiles) {
  TileSet live(tiles);
  for (const std::size_t next : block.successors)
    live.unite(blocks[next].live);
  return live;
}

/// From what is live behind an op to what is live before it.
void step_back(TileSet& live, const TileUse& use) {
  if (use.write != kNoRegister) live.erase(use.write);
  for (const Register tile : use.reads)
    live.insert(tile);
}

void find_live(std::vector<BasicBlock>& blocks, const std::vector<TileUse>& uses,
               std::size_t tiles) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = blocks.size(); b-- > 0;) {
      TileSet live = live_behind(blocks, blocks[b], tiles);
      for (std::size_t i = blocks[b].end; i-- > blocks[b].begin;)
        step_back(live, uses[i]);
      if (live == blocks[b].live) continue;
      blocks[b].live = std::move(live);
      changed = true;
    }
  }
}

void mark_dying_operands(Program& program, std::size_t i, const TileSet& live_after) {
  const Op& op = program.ops[i];
  const auto dies = [&](Register tile) { return tile == op.dst || !live_after.contains(tile); };
  if (op.code == OpCode::tile_binary || op.code == OpCode::tile_binary_scalar) {
    BinarySite& site = program.binaries[op.site];
    site.lhs_dies = dies(site.lhs);
    site.rhs_dies = op.code == OpCode::tile_binary && dies(site.rhs);
  } else if (op.code == OpCode::tile_cast || op.code == OpCode::tile_copy) {
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
    case OpCode::tile_insert:
    case OpCode::row_sum:
    case OpCode::matmul:
      reads(op.b);
      [[fallthrough]];
    case OpCode::move_tile:
    case OpCode::set_valid_shape:
    case OpCode::fill_padding:
    case OpCode::tile_reshape:
    case OpCode::tile_slice:
    case OpCode::tile_move:
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
    case OpCode::tile_copy:
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
  std::vector<BasicBlock> blocks = blocks_of(program);
  find_live(blocks, uses, tiles);

  // What holds a tile for the last time before each op.
  std::vector<std::vector<Register>> dead(count);
  for (BasicBlock& block : blocks) {
    TileSet live = live_behind(blocks, block, tiles);
    TileSet held = live;
    for (std::size_t i = block.end; i-- > block.begin; step_back(live, uses[i])) {
      mark_dying_operands(program, i, live);
      std::vector<Register> touched = uses[i].reads;
      if (uses[i].write != kNoRegister) touched.push_back(uses[i].write);
      if (i + 1 == block.end) {
        for (const Register tile : touched)
          held.insert(tile);
        continue;
      }
      std::ranges::sort(touched);
      touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
      std::erase_if(touched, [&](Register tile) { return live.contains(tile); });
      dead[i + 1] = std::move(touched);
    }
    for (const std::size_t next : block.successors)
      blocks[next].held.unite(held);
  }
  for (const BasicBlock& block : blocks)
    dead[block.begin] = block.held.without(block.live);

  std::vector<Op> ops;
  std::vector<std::uint32_t> place(count);  // of each old op, its release included
  for (std::size_t i = 0; i < count; ++i) {
    place[i] = static_cast<std::uint32_t>(ops.size());
    if (!dead[i].empty() && program.ops[i].code != OpCode::finish) {
      Op release;
      release.code = OpCode::release;
      release.site = static_cast<std::uint32_t>(program.releases.size());
      release.source = program.ops[i].source;
      program.releases.push_back(std::move(dead[i]));
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
