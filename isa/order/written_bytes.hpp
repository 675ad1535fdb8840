// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "isa/order/run_observer.hpp"

namespace a2a3::isa {

/// Reads of one line, or atomic adds of one line, of bytes that nothing had written before.
struct UnwrittenRead {
  SourceId source = 0;
  std::int32_t region = 0;
  GlobalAddress address;  ///< the first such bytes
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
  bool adds = false;                ///< atomic adds: they read what they add to
  bool remote = false;              ///< somebody read bytes of another device
  std::set<std::uint32_t> readers;  ///< all of them
};

/// Which bytes of the devices' memories were written, and who read others.
class WrittenBytes final : public RunObserver {
 public:
  /// `region` says which part of a memory an address lies in: reads of one line in different parts
  /// are told apart. A negative one begins with anything, so that an atomic add there reads it;
  /// the others begin with zeros, which may be added to.
  WrittenBytes(std::size_t devices, std::function<std::int32_t(GlobalAddress)> region)
      : written_(devices), region_(std::move(region)) {}

  /// A notify writes its cell. What overwrites bytes unasked does not count.
  void on_access(const RunEvent& event, AccessKind kind, GlobalAddress address,
                 std::uint64_t bytes) override;
  void on_notify(const RunEvent& event, const TNotify& notify, CellChange cell) override;

  void write(GlobalAddress address, std::uint64_t bytes);
  void read(std::uint32_t reader, SourceId source, GlobalAddress address, std::uint64_t bytes,
            bool adds = false);

  /// Calls `visit` for each stretch of the range that was never written.
  void for_each_gap(GlobalAddress address, std::uint64_t bytes,
                    const std::function<void(GlobalAddress, std::uint64_t)>& visit) const;

  /// One for each line and part of memory, reads and adds apart.
  [[nodiscard]] std::vector<UnwrittenRead> reads() const;

 private:
  std::vector<std::map<std::uint64_t, std::uint64_t>> written_;  ///< by device: begin to end
  std::function<std::int32_t(GlobalAddress)> region_;
  std::map<std::tuple<SourceId, std::int32_t, bool>, UnwrittenRead> reads_;
};

}  // namespace a2a3::isa
