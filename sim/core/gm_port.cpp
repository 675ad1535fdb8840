// SPDX-License-Identifier: Apache-2.0
#include "sim/core/gm_port.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "sim/core/late_writes.hpp"

namespace a2a3::sim {
namespace {

void set_up(tlm::tlm_generic_payload& transaction, tlm::tlm_command command,
            isa::GlobalAddress address, std::span<const std::byte> data) {
  transaction.set_command(command);
  transaction.set_address(bus_address(address));
  // TLM has one pointer for both directions; a write's data is not changed.
  auto* bytes = const_cast<std::byte*>(data.data());
  transaction.set_data_ptr(reinterpret_cast<unsigned char*>(bytes));
  transaction.set_data_length(static_cast<unsigned int>(data.size()));
  transaction.set_streaming_width(static_cast<unsigned int>(data.size()));
  transaction.set_byte_enable_ptr(nullptr);
  transaction.set_dmi_allowed(false);
  transaction.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

}  // namespace

GmPort::GmPort(tlm::tlm_initiator_socket<>& socket, const Probe& probe)
    : socket_(socket), probe_(probe) {
  transaction_.set_extension(&extension_);
  peek_.set_extension(&peek_extension_);
}

// The payloads would free extensions they still hold.
GmPort::~GmPort() {
  transaction_.clear_extension(&extension_);
  peek_.clear_extension(&peek_extension_);
}

void GmPort::begin(const Access& access) {
  access_ = access;
  extension_.streamed = access.streamed;
  extension_.without_data = access.without_data;
  extension_.unknown = false;
  extension_.served = 0;
  delay_ = sc_core::SC_ZERO_TIME;
}

void GmPort::transport(MemoryAccess::Kind kind, isa::GlobalAddress address,
                       std::span<const std::byte> data) {
  socket_->b_transport(transaction_, delay_);
  if (!transaction_.is_response_ok())
    throw std::out_of_range("no global memory at device " + std::to_string(address.device) +
                            ", byte offset " + std::to_string(address.offset_bytes) + ", " +
                            std::to_string(data.size()) + " bytes (" +
                            transaction_.get_response_string() + ")");
  if (probe_.active())
    probe_.report(MemoryAccess{.origin = access_.origin,
                               .address = address,
                               .bytes = data.size(),
                               .kind = kind,
                               .time = access_.now,
                               .signal = access_.signal});
}

void GmPort::read(isa::GlobalAddress address, std::span<std::byte> destination) {
  if (late_ != nullptr) late_->settle(address, destination.size());
  set_up(transaction_, tlm::TLM_READ_COMMAND, address, destination);
  transport(MemoryAccess::Kind::read, address, destination);
}

void GmPort::write(isa::GlobalAddress address, std::span<const std::byte> source) {
  if (late_ != nullptr) late_->settle(address, source.size());
  set_up(transaction_, tlm::TLM_WRITE_COMMAND, address, source);
  transport(MemoryAccess::Kind::write, address, source);
}

void GmPort::atomic_add(isa::GlobalAddress address, isa::DType dtype,
                        std::span<const std::byte> source) {
  if (late_ != nullptr) late_->settle(address, source.size());
  set_up(transaction_, tlm::TLM_WRITE_COMMAND, address, source);
  extension_.atomic_add = dtype;
  transport(MemoryAccess::Kind::atomic_add, address, source);
  extension_.atomic_add.reset();
}

void GmPort::land(isa::WriteLane& lane, std::size_t count, const Access& access) {
  LateWrites* const late = std::exchange(late_, nullptr);
  const Access access_before = access_;
  const sc_core::sc_time delay_before = delay_;
  const bool unknown_before = extension_.unknown;
  begin(access);
  for (; count > 0; --count) {
    const isa::WriteInFlight one = lane.take();
    if (one.added) {
      atomic_add(one.address, *one.added, one.bytes);
    } else {
      write(one.address, one.bytes);
    }
  }
  begin(access_before);
  delay_ = delay_before;
  extension_.unknown = unknown_before;
  late_ = late;
}

Picoseconds GmPort::take_atomic_turn(isa::GlobalAddress address, std::uint64_t bytes) {
  sc_core::sc_time wait;
  std::byte unused{};
  set_up(transaction_, tlm::TLM_IGNORE_COMMAND, address, std::span(&unused, 1));
  transaction_.set_data_length(static_cast<unsigned int>(bytes));
  extension_.atomic_turn = true;
  socket_->b_transport(transaction_, wait);
  extension_.atomic_turn = false;
  return wait.value();
}

std::int32_t GmPort::peek(isa::GlobalAddress cell) {
  std::int32_t value = 0;
  peek_extension_.unknown = false;
  set_up(peek_, tlm::TLM_READ_COMMAND, cell, std::as_bytes(std::span(&value, 1)));
  if (socket_->transport_dbg(peek_) != sizeof value)
    throw std::out_of_range("no signal cell at device " + std::to_string(cell.device) +
                            ", byte offset " + std::to_string(cell.offset_bytes));
  return value;
}

std::vector<std::byte> GmPort::peek_line(isa::GlobalAddress begin, std::uint64_t bytes) {
  std::vector<std::byte> line;
  while (line.size() < bytes) {
    std::int32_t word = 0;
    set_up(peek_, tlm::TLM_READ_COMMAND, begin, std::as_bytes(std::span(&word, 1)));
    if (socket_->transport_dbg(peek_) != sizeof word) break;
    const auto read = std::as_bytes(std::span(&word, 1));
    line.insert(line.end(), read.begin(), read.end());
    begin.offset_bytes += sizeof word;
  }
  return line;
}

void GmPort::clear(isa::GlobalAddress begin, std::uint64_t bytes) {
  constexpr std::uint64_t kPieceBytes = 64 << 10;
  const std::vector<std::byte> zeros(std::min(bytes, kPieceBytes));
  while (bytes > 0) {
    const auto piece = std::span(zeros).first(std::min<std::size_t>(bytes, zeros.size()));
    set_up(peek_, tlm::TLM_WRITE_COMMAND, begin, piece);
    if (socket_->transport_dbg(peek_) != piece.size())
      throw std::out_of_range("no global memory to zero at device " + std::to_string(begin.device) +
                              ", byte offset " + std::to_string(begin.offset_bytes));
    begin.offset_bytes += piece.size();
    bytes -= piece.size();
  }
}

}  // namespace a2a3::sim
