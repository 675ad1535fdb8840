// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

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
  void on_create(const RunEvent& event, const Tile& tile) override;
  void on_operation(const RunEvent& event, const Operation& operation) override;
  void on_complete(std::uint32_t task) override { tasks_.erase(task); }
  [[nodiscard]] bool sees_accesses() const override { return false; }

  /// One for each line, ascending.
  [[nodiscard]] std::vector<UndefinedUse> uses() const;

 private:
  /// The bytes with a value of a task's local memory, one bit for each.
  class Defined {
   public:
    [[nodiscard]] bool all(std::uint64_t begin, std::uint64_t end) const;
    void assign(std::uint64_t begin, std::uint64_t end, bool value);

   private:
    std::vector<std::uint64_t> words_;
  };
  friend class TileDefinitions;

  /// `used`: all of `tile` that is valid, which is stored, or a 1 x 1 view of an element, which is
  /// read.
  void use(const RunEvent& event, const Tile& used, const Tile& tile, bool is_read);

  std::map<std::uint32_t, Defined> tasks_;  ///< those that run
  std::map<SourceId, UndefinedUse> uses_;
};

}  // namespace a2a3::isa
