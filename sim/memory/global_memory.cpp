// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/global_memory.hpp"

#include <cstring>

#include "isa/memory.hpp"

namespace a2a3::sim {
GlobalMemory::GlobalMemory(const sc_core::sc_module_name& name, const GlobalMemoryParams& params)
    : sc_module(name),
      port("port"),
      signals("signals"),
      params_(params),
      bytes_(params.size_bytes),
      lines_(params.atomic_line_bytes, params.atomic_distance) {
  port.register_b_transport(this, &GlobalMemory::transport);
  port.register_transport_dbg(this, &GlobalMemory::debug);
  signals.bind(*this);
}

void GlobalMemory::watch(std::uint64_t offset_bytes, SignalWaiter& waiter) {
  watches_.push_back({offset_bytes, &waiter});
}

void GlobalMemory::unwatch(SignalWaiter& waiter) {
  std::erase_if(watches_, [&](const Watch& watch) { return watch.waiter == &waiter; });
}

bool GlobalMemory::inside(const tlm::tlm_generic_payload& transaction) const {
  return transaction.get_address() <= bytes_.size() &&
         transaction.get_data_length() <= bytes_.size() - transaction.get_address();
}

void GlobalMemory::transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
  const std::uint64_t begin = transaction.get_address();
  const std::uint64_t length = transaction.get_data_length();
  if (!inside(transaction)) {
    transaction.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  auto* extension = transaction.get_extension<AccessExtension>();
  const Picoseconds now = sc_core::sc_time_stamp().value() + delay.value();
  const Picoseconds streamed = extension != nullptr ? extension->streamed : 0;
  const Picoseconds first_byte = now > streamed ? now - streamed : 0;
  const Picoseconds busy_before = bandwidth_.busy();
  Picoseconds through = now;
  if (transaction.is_read()) {
    if (extension == nullptr || !extension->without_data)
      std::memcpy(transaction.get_data_ptr(), bytes_.bytes().data() + begin, length);
    if (extension != nullptr && !unknown_.empty()) extension->unknown |= !knows(begin, length);
    through = bandwidth_.reserve(first_byte, length, params_.read_bytes_per_second);
  } else if (transaction.is_write()) {
    store(begin, std::as_bytes(std::span(transaction.get_data_ptr(), length)), extension);
    through = bandwidth_.reserve(first_byte, length, params_.write_bytes_per_second);
    if (!watches_.empty()) wake(begin, begin + length);
  } else if (extension != nullptr && extension->atomic_turn) {
    through = lines_.take_turn(begin, length, now);
  }
  if (extension != nullptr) extension->served += bandwidth_.busy() - busy_before;
  if (through > now) delay += sc_core::sc_time::from_value(through - now);
  transaction.set_response_status(tlm::TLM_OK_RESPONSE);
}

void GlobalMemory::store(std::uint64_t begin, std::span<const std::byte> source,
                         const AccessExtension* extension) {
  if (extension != nullptr && extension->without_data) return forget(begin, source.size());
  const auto memory = bytes_.bytes().subspan(begin, source.size());
  if (extension != nullptr && extension->atomic_add)
    return isa::accumulate(*extension->atomic_add, memory, source);
  std::memcpy(memory.data(), source.data(), source.size());
  unknown_.remove(begin, begin + source.size());
}

unsigned int GlobalMemory::debug(tlm::tlm_generic_payload& transaction) {
  if (!inside(transaction)) return 0;
  const unsigned int length = transaction.get_data_length();
  std::byte* memory = bytes_.bytes().data() + transaction.get_address();
  if (transaction.is_read()) {
    std::memcpy(transaction.get_data_ptr(), memory, length);
    if (unknown_.empty()) return length;
    if (auto* extension = transaction.get_extension<AccessExtension>())
      extension->unknown = !knows(transaction.get_address(), length);
  }
  if (transaction.is_write()) std::memcpy(memory, transaction.get_data_ptr(), length);
  return length;
}

void GlobalMemory::wake(std::uint64_t begin, std::uint64_t end) {
  constexpr std::uint64_t kCellBytes = sizeof(std::int32_t);
  for (const Watch& watch : watches_)
    if (watch.offset_bytes < end && begin < watch.offset_bytes + kCellBytes)
      watch.waiter->cell_written();
}

}  // namespace a2a3::sim
