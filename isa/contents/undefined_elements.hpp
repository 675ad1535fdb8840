// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "isa/contents/byte_set.hpp"
#include "isa/order/run_observer.hpp"

namespace a2a3::isa {

/// Uses of one line of tile elements that nothing had given a value.
struct UndefinedUse {
  SourceId source = 0;
  bool is_read = false;  ///< of an element into a scalar; else by a store
  Tile tile;             ///< of the first one
  std::int32_t row = 0;  ///< of the first such element, in the tile
  std::int32_t col = 0;
  std::uint64_t elements = 0;  ///< of the first one: how many of those it uses
  std::uint64_t count = 0;
  std::set<std::uint32_t> devices;  ///< all users
};

/// Which bytes of a core's tiles have a value. A new tile has none; what writes a tile gives its
/// valid box values and takes them from the rest. An operation's result is undefined where an
/// operand is. Nobody minds before such an element leaves the tile: by a store, or into a scalar.
class UndefinedElements final : public RunObserver {
 public:
  /// `max_records` bounds the memory: kBytesPerRecord for each.
  explicit UndefinedElements(std::uint64_t max_records) : max_records_(max_records) {}

  void on_create(const RunEvent& event, const Tile& tile) override;
  void on_operation(const RunEvent& event, const Operation& operation) override;
  [[nodiscard]] bool sees_accesses() const override { return false; }

  /// False when the bound was reached: nothing was looked at from then on.
  [[nodiscard]] bool is_complete() const { return complete_; }
  /// One for each line, ascending.
  [[nodiscard]] std::vector<UndefinedUse> uses() const;

 private:
  template <class Change>
  void change(std::uint32_t task, Change&& change);
  /// `used`: all of `tile` that is valid, which is stored, or a 1 x 1 view of an element, which is
  /// read.
  void use(const RunEvent& event, const Tile& used, const Tile& tile, bool is_read);

  std::uint64_t max_records_;
  bool complete_ = true;
  std::size_t size_bytes_ = 0;              ///< of all sets
  std::map<std::uint32_t, ByteSet> tasks_;  ///< those that run: bytes of the core with a value
  std::map<SourceId, UndefinedUse> uses_;
};

}  // namespace a2a3::isa
