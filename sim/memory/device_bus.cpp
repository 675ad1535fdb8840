// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/device_bus.hpp"

#include "sim/memory/access_extension.hpp"

namespace a2a3::sim {
namespace {

/// A transaction whose address counts within one memory; the bus address comes back at the end.
class LocalAddress {
 public:
  explicit LocalAddress(tlm::tlm_generic_payload& transaction)
      : transaction_(transaction), bus_address_(transaction.get_address()) {
    transaction.set_address(from_bus_address(bus_address_).offset_bytes);
  }
  ~LocalAddress() { transaction_.set_address(bus_address_); }
  LocalAddress(const LocalAddress&) = delete;
  LocalAddress& operator=(const LocalAddress&) = delete;

 private:
  tlm::tlm_generic_payload& transaction_;
  std::uint64_t bus_address_;
};

}  // namespace

DeviceBus::DeviceBus(const sc_core::sc_module_name& name, std::uint32_t device)
    : sc_module(name),
      cores("cores"),
      from_fabric("from_fabric"),
      to_fabric("to_fabric"),
      memory("memory"),
      device_(device) {
  cores.register_b_transport(this, &DeviceBus::transport_from_core);
  cores.register_transport_dbg(this, &DeviceBus::debug_from_core);
  from_fabric.register_b_transport(this, &DeviceBus::transport_from_fabric);
  from_fabric.register_transport_dbg(this, &DeviceBus::debug_from_fabric);
}

void DeviceBus::transport_from_core(int /*core*/, tlm::tlm_generic_payload& transaction,
                                    sc_core::sc_time& delay) {
  if (from_bus_address(transaction.get_address()).device == device_)
    transport_from_fabric(transaction, delay);
  else
    to_fabric->b_transport(transaction, delay);
}

void DeviceBus::transport_from_fabric(tlm::tlm_generic_payload& transaction,
                                      sc_core::sc_time& delay) {
  const LocalAddress local(transaction);
  memory->b_transport(transaction, delay);
}

unsigned int DeviceBus::debug_from_core(int /*core*/, tlm::tlm_generic_payload& transaction) {
  if (from_bus_address(transaction.get_address()).device == device_)
    return debug_from_fabric(transaction);
  return to_fabric->transport_dbg(transaction);
}

unsigned int DeviceBus::debug_from_fabric(tlm::tlm_generic_payload& transaction) {
  const LocalAddress local(transaction);
  return memory->transport_dbg(transaction);
}

}  // namespace a2a3::sim
