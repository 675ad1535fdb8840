// SPDX-License-Identifier: Apache-2.0
#include "isa/write_lane.hpp"

#include <utility>

namespace a2a3::isa {

WriteInFlight WriteLane::take() {
  WriteInFlight oldest = std::move(writes_.front());
  writes_.pop_front();
  return oldest;
}

std::size_t WriteLane::behind(GlobalAddress address, std::size_t bytes) const {
  std::size_t count = writes_.size();
  for (; count > 0; --count) {
    const WriteInFlight& write = writes_[count - 1];
    const std::uint64_t begin = write.address.offset_bytes;
    if (begin < address.offset_bytes + bytes && address.offset_bytes < begin + write.bytes.size())
      return count;
  }
  return 0;
}

}  // namespace a2a3::isa
