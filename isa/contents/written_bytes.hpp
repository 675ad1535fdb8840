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

#include "isa/contents/byte_set.hpp"
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
  /// the others begin with zeros, which may be added to. `max_records` bounds the memory:
  /// kBytesPerRecord for each.
  WrittenBytes(std::size_t devices, std::uint64_t max_records,
               std::function<std::int32_t(GlobalAddress)> region)
      : max_records_(max_records), written_(devices), region_(std::move(region)) {}

  /// A notify writes its cell. What overwrites bytes unasked does not count.
  void on_access(const RunEvent& event, AccessKind kind, GlobalAddress address,
                 std::uint64_t bytes) override;
  void on_notify(const RunEvent& event, const TNotify& notify, CellChange cell) override;

  void write(GlobalAddress address, std::uint64_t bytes);
  void read(std::uint32_t reader, SourceId source, GlobalAddress address, std::uint64_t bytes,
            bool adds = false);

  /// False when the bound was reached: nothing was looked at from then on.
  [[nodiscard]] bool is_complete() const { return complete_; }
  /// Calls `visit` for each stretch of the range that was never written; never when not complete.
  void for_each_gap(GlobalAddress address, std::uint64_t bytes,
                    const std::function<void(GlobalAddress, std::uint64_t)>& visit) const;

  /// One for each line and part of memory, reads and adds apart.
  [[nodiscard]] std::vector<UnwrittenRead> reads() const;

 private:
  std::uint64_t max_records_;
  bool complete_ = true;
  std::size_t size_bytes_ = 0;    ///< of all sets
  std::vector<ByteSet> written_;  ///< by device
  std::function<std::int32_t(GlobalAddress)> region_;
  std::map<std::tuple<SourceId, std::int32_t, bool>, UnwrittenRead> reads_;
};

}  // namespace a2a3::isa
