// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>

#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

namespace a2a3::sim {

/// The bus of one device. Cores address all global memory (see bus_address): their own device's
/// goes to the memory, with the device bits taken off, everything else to the fabric. What comes
/// from the fabric is for the own memory. Takes no time: the memory and the links do.
class DeviceBus : public sc_core::sc_module {
 public:
  /// The DMA engine's, too.
  tlm_utils::multi_passthrough_target_socket<DeviceBus, 32, tlm::tlm_base_protocol_types, 0,
                                             sc_core::SC_ZERO_OR_MORE_BOUND>
      cores;
  tlm_utils::passthrough_target_socket<DeviceBus> from_fabric;
  tlm_utils::simple_initiator_socket<DeviceBus> to_fabric;
  tlm_utils::simple_initiator_socket<DeviceBus> memory;

  DeviceBus(const sc_core::sc_module_name& name, std::uint32_t device);

 private:
  void transport_from_core(int core, tlm::tlm_generic_payload& transaction,
                           sc_core::sc_time& delay);
  void transport_from_fabric(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  unsigned int debug_from_core(int core, tlm::tlm_generic_payload& transaction);
  unsigned int debug_from_fabric(tlm::tlm_generic_payload& transaction);

  std::uint32_t device_;
};

}  // namespace a2a3::sim
