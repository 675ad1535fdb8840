// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "a2a3/hints.hpp"
#include "a2a3/line_table.hpp"
#include "sim/observer.hpp"

namespace a2a3 {

/// Measures on the timed machine what the reference run gave hints of.
class HintTimes final : public sim::Observer {
 public:
  /// `locate` is that of the timed run. Fills in Hint::time of `hints`, which outlives this.
  HintTimes(Hints& hints, std::function<ir::SourceLocation(isa::SourceId)> locate);

  void on_pipe_activity(const sim::PipeActivity& activity) override;
  void on_wait_ended(const sim::WaitEnded& wait) override;

 private:
  /// Of a line by a task: its loads, or its stores.
  struct Pieces {
    std::uint64_t seen = 0;
    std::map<std::uint64_t, std::pair<std::uint64_t, std::size_t>> wanted;  ///< begin: end, hint
  };
  using Key = std::tuple<std::uint32_t, std::uint32_t, bool>;  ///< task, line, store

  void want(const Key& key, std::uint64_t first, std::uint64_t count, std::size_t hint);

  Hints& hints_;
  LineTable lines_;
  std::map<Key, Pieces> pieces_;
  std::map<std::uint32_t, std::size_t> waits_;  ///< hint by line
};

}  // namespace a2a3
