// SPDX-License-Identifier: Apache-2.0
#include "isa/hints/float_adds.hpp"

#include <variant>

#include "isa/dtype.hpp"

namespace a2a3::isa {

void FloatAdds::on_operation(const RunEvent& /*event*/, const Operation& operation) {
  adds_floats_ = false;
  if (const auto* store = std::get_if<TStore>(&operation))
    adds_floats_ = store->atomic_add && is_float(store->dst.dtype);
  if (const auto* put = std::get_if<TPut>(&operation))
    adds_floats_ = put->atomic_add && is_float(put->dst.dtype);
}

void FloatAdds::on_access(const RunEvent& event, AccessKind kind, GlobalAddress address,
                          std::uint64_t bytes) {
  const std::uint64_t end = address.offset_bytes + bytes;
  if (kind == AccessKind::write && address.device < adders_.size() &&
      adders_[address.device].stretches() > 0) {
    adders_[address.device].change(address.offset_bytes, end,
                                   [](std::uint64_t, std::uint64_t, std::uint32_t& by) { by = 0; });
  }
  if (kind != AccessKind::atomic_add || !adds_floats_) return;
  if (address.device >= adders_.size()) adders_.resize(address.device + 1);
  RangeMap<std::uint32_t>& adders = adders_[address.device];
  if (adders.stretches() > max_stretches_) return;
  const std::uint32_t adder = event.device + 1;
  adders.change(address.offset_bytes, end,
                [&](std::uint64_t from, std::uint64_t until, std::uint32_t& by) {
                  if (by != 0 && by != adder) {
                    if (!found_) found_ = {event.source, {address.device, from}, until - from, {}};
                    found_->devices.insert({by - 1, event.device});
                  }
                  by = adder;
                });
}

}  // namespace a2a3::isa
