// SPDX-License-Identifier: Apache-2.0
#include "isa/hints/tile_contents.hpp"

#include <span>

#include "isa/hazard.hpp"
#include "isa/transfer_stage.hpp"

namespace a2a3::isa {
namespace {

/// Writes that leave other bytes of their tile as they are.
bool keeps_tile(const Operation& operation) {
  if (const auto* move = std::get_if<TMove>(&operation)) return move->insert;
  if (const auto* fill = std::get_if<TFill>(&operation)) return fill->padding_only;
  return std::holds_alternative<ScalarWrite>(operation);
}

/// Calls visit(range) for what the operation reads, or writes, of the core's own memories.
template <class Visit>
void for_each_local(const Operation& operation, bool write, Visit&& visit) {
  const ByteRanges ranges = operand_ranges(operation);
  for (const ByteRange& range :
       std::span(ranges.range).first(static_cast<std::size_t>(ranges.count))) {
    if (range.space != MemorySpace::gm && range.write == write) visit(range);
  }
}

ByteRange range_of(const Tile& tile) {
  return {tile.space, true, 0, tile.offset_bytes,
          tile.offset_bytes + static_cast<std::uint64_t>(tile.bytes())};
}

}  // namespace

const TileContents::Memory* TileContents::find(std::uint32_t task, MemorySpace space) const {
  const auto spaces = tiles_.find(task);
  if (spaces == tiles_.end()) return nullptr;
  const auto memory = spaces->second.find(space);
  return memory == spaces->second.end() ? nullptr : &memory->second;
}

void TileContents::read(std::uint32_t task, const Operation& operation,
                        const std::function<void(DeliveryId)>& use) const {
  for_each_local(operation, false, [&](const ByteRange& range) {
    const Memory* memory = find(task, range.space);
    if (memory == nullptr) return;
    memory->visit(range.begin, range.end, [&](std::uint64_t, std::uint64_t, const Bytes& bytes) {
      if (bytes.arrival) use(*bytes.arrival);
    });
  });
}

void TileContents::write(std::uint32_t task, const Operation& operation, ValueIdentity identity,
                         std::optional<DeliveryId> arrival) {
  const bool keeps = keeps_tile(operation);
  const auto change = [&](const ByteRange& range) {
    tiles_[task][range.space].change(range.begin, range.end,
                                     [&](std::uint64_t, std::uint64_t, Bytes& bytes) {
                                       bytes.identity = identity;
                                       bytes.begin = range.begin;
                                       if (!keeps) bytes.arrival = arrival;
                                     });
  };
  for_each_stage(operation, [&](const Tile& stage) { change(range_of(stage)); });
  for_each_local(operation, true, change);
}

bool TileContents::describe(std::vector<std::int64_t>& key, std::uint32_t task,
                            const Tile& tile) const {
  const ByteRange range = range_of(tile);
  const Memory* memory = find(task, tile.space);
  std::uint64_t at = range.begin;
  if (memory != nullptr) {
    memory->visit(range.begin, range.end,
                  [&](std::uint64_t from, std::uint64_t until, const Bytes& bytes) {
                    key.insert(key.end(), {static_cast<std::int64_t>(from - range.begin),
                                           static_cast<std::int64_t>(bytes.identity),
                                           static_cast<std::int64_t>(from - bytes.begin)});
                    if (at == from) at = until;
                  });
  }
  return at == range.end;
}

}  // namespace a2a3::isa
