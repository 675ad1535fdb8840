// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "isa/hints/delivery_lists.hpp"
#include "isa/hints/piece_counter.hpp"
#include "isa/hints/range_map.hpp"
#include "isa/hints/tile_contents.hpp"
#include "isa/order/run_observer.hpp"

namespace a2a3::isa {

/// Bytes that one operation brought from one device to another for nothing.
struct WastedDelivery {
  enum class Kind : std::uint8_t {
    twice,        ///< they were there already, from the same transfer, and nobody had read them
    overwritten,  ///< before anybody read them
    unread,       ///< until the end
    unused_tile   ///< nothing used the tile that they were loaded into
  };
  Kind kind = Kind::unread;
  RunEvent at;
  std::uint32_t receiver = 0;     ///< device
  std::optional<SourceId> other;  ///< twice: what brought them first; overwritten: what did it
  GlobalAddress address;          ///< of the first of the bytes; of a tile where they came from
  std::uint64_t bytes = 0;
  std::uint64_t stretch_bytes = 0;  ///< from `address` on, without a gap
  bool is_all = false;              ///< that the operation brought
  PieceRange pieces;
};

/// Finds transfers between devices whose bytes are of no use in this run.
///
/// A delivery is a load, store, put or get whose source and destination are on different devices.
/// Its bytes in global memory are read by any operation that reads them, by a wait on them and by
/// the host that copies them out; those of a tile by any operation that takes the tile. Atomic adds
/// are read together with all others that came before the read. Two transfers are the same when
/// they copy the same box, not written in between, to the same box; of a store the tile must be one
/// that was loaded from the same box, or the same unchanged tile.
class DeliveryCheck final : public RunObserver {
 public:
  /// `max_records` bounds the memory: about a hundred bytes for each. `line_of` says which sources
  /// are one line.
  DeliveryCheck(std::uint64_t max_records, std::function<std::uint32_t(SourceId)> line_of)
      : max_records_(max_records), line_of_(std::move(line_of)) {}

  void on_operation(const RunEvent& event, const Operation& operation) override;
  void on_access(const RunEvent& event, AccessKind kind, GlobalAddress address,
                 std::uint64_t bytes) override;
  void on_wait(const RunEvent& event, const TWait& wait, std::int32_t value) override;
  void on_meet(const RunEvent& event, const TDeferWait& condition, std::int32_t value) override;
  /// Somebody reads them after the run.
  void read(GlobalAddress address, std::uint64_t bytes);

  /// False when the bound was reached: nothing was looked at from then on.
  [[nodiscard]] bool is_complete() const { return complete_; }
  /// Of a run that is over: those of one operation, kind and other line together. When not complete
  /// what was found up to the bound, but nothing as unread or as an unused tile.
  [[nodiscard]] std::vector<WastedDelivery> wasted() const;

 private:
  struct Delivery {
    RunEvent at;
    std::uint32_t receiver = 0;
    GlobalAddress address;
    std::uint64_t bytes = 0;
    PieceRange pieces;
    bool is_tile = false;
    bool used = false;  ///< a tile
  };
  struct Bytes {
    ValueIdentity identity = 0;
    std::uint64_t serial = 0;  ///< of the last write
    /// Deliveries whose bytes lie here and nobody has read.
    DeliveryLists::List unread = DeliveryLists::kEmpty;
    friend bool operator==(const Bytes&, const Bytes&) = default;
  };
  using Key = std::vector<std::int64_t>;
  struct Waste {
    DeliveryId delivery = 0;
    WastedDelivery::Kind kind = WastedDelivery::Kind::unread;
    std::optional<SourceId> other;
    GlobalAddress address;
    std::uint64_t bytes = 0;
    std::uint64_t stretch_bytes = 0;
  };

  std::optional<DeliveryId> enter(const RunEvent& event, const Operation& operation);
  ValueIdentity intern(Key key);
  ValueIdentity identity_of(const RunEvent& event, const Operation& operation);
  void describe(Key& key, const GmBox& box);
  void describe(Key& key, const RunEvent& event, const Tile& tile);
  [[nodiscard]] std::uint64_t last_write(const GmBox& box) const;
  void write(GlobalAddress address, std::uint64_t bytes, ValueIdentity identity,
             const RunEvent& event, std::optional<DeliveryId> delivery);
  void add(GlobalAddress address, std::uint64_t bytes, std::optional<DeliveryId> delivery);
  static void waste(std::vector<Waste>& wastes, const Waste& more);
  void check_size();
  RangeMap<Bytes>& memory(std::uint32_t device);

  std::uint64_t max_records_;
  std::function<std::uint32_t(SourceId)> line_of_;
  bool complete_ = true;
  std::uint64_t serial_ = 0;
  ValueIdentity last_identity_ = 0;
  std::map<Key, ValueIdentity> identities_;
  std::vector<RangeMap<Bytes>> memories_;  ///< by device
  DeliveryLists lists_;
  TileContents tiles_;
  PieceCounter pieces_;
  /// Of the operation whose accesses come now.
  struct Current {
    std::optional<DeliveryId> delivery;
    ValueIdentity identity = 0;  ///< of what it writes
  } current_;
  std::vector<Delivery> deliveries_;
  std::vector<Waste> wastes_;
};

}  // namespace a2a3::isa
