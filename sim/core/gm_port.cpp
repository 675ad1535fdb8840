// SPDX-License-Identifier: Apache-2.0
#include "sim/core/gm_port.hpp"

#include <stdexcept>
#include <string>

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
  set_up(transaction_, tlm::TLM_READ_COMMAND, address, destination);
  transport(MemoryAccess::Kind::read, address, destination);
}

void GmPort::write(isa::GlobalAddress address, std::span<const std::byte> source) {
  set_up(transaction_, tlm::TLM_WRITE_COMMAND, address, source);
  transport(MemoryAccess::Kind::write, address, source);
}

void GmPort::atomic_add(isa::GlobalAddress address, isa::DType dtype,
                        std::span<const std::byte> source) {
  set_up(transaction_, tlm::TLM_WRITE_COMMAND, address, source);
  extension_.atomic_add = dtype;
  transport(MemoryAccess::Kind::atomic_add, address, source);
  extension_.atomic_add.reset();
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

}  // namespace a2a3::sim
