// SPDX-License-Identifier: Apache-2.0
// GlobalMemory, DeviceBus, Fabric and GmPort, bound by hand as the builder does it.
#include <array>
#include <cstring>
#include <numeric>
#include <systemc>
#include <tlm>

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "sim/core/gm_port.hpp"
#include "sim/kernel/systemc_context.hpp"
#include "sim/memory/device_bus.hpp"
#include "sim/memory/global_memory.hpp"
#include "sim/network/fabric.hpp"
#include "unit/sim/fixture.hpp"

namespace a2a3::sim::memory_path_test {
namespace {

constexpr GlobalMemoryParams kParams{.size_bytes = 4096,
                                     .read_bytes_per_second = 1e12,  // 1 byte in a picosecond
                                     .write_bytes_per_second = 0.5e12};

struct Initiator : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Initiator> gm;
  explicit Initiator(const sc_core::sc_module_name& name) : sc_module(name), gm("gm") {}
};

/// A memory of somebody else's: plain loosely timed TLM-2.0, 10 ns an access, no extensions.
struct ForeignMemory : sc_core::sc_module {
  tlm_utils::simple_target_socket<ForeignMemory> port;
  std::array<unsigned char, 256> bytes{};

  explicit ForeignMemory(const sc_core::sc_module_name& name) : sc_module(name), port("port") {
    port.register_b_transport(this, &ForeignMemory::transport);
  }
  void transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
    unsigned char* at = bytes.data() + transaction.get_address();
    if (transaction.is_read())
      std::memcpy(transaction.get_data_ptr(), at, transaction.get_data_length());
    else
      std::memcpy(at, transaction.get_data_ptr(), transaction.get_data_length());
    delay += sc_core::sc_time(10, sc_core::SC_NS);
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

struct CountingWaiter final : SignalWaiter {
  int woken = 0;
  void cell_written() override { ++woken; }
};

/// Two devices, one core's socket on the first. The second memory is foreign.
struct TwoDevices {
  SystemcContext context;
  SystemcContext::Entered entered{context};
  Probe probe;
  test::Recorder recorder;
  Initiator core{"core"};
  DeviceBus bus0{"bus0", 0};
  DeviceBus bus1{"bus1", 1};
  GlobalMemory memory{"memory", kParams};
  ForeignMemory foreign{"foreign"};
  Fabric fabric{"fabric", test::round_machine(), {0, 1}, probe};
  GmPort port{core.gm, probe};

  TwoDevices() {
    probe.attach(recorder);
    core.gm.bind(bus0.cores);
    // Without a core of its own the second bus gets the first one's, which is never used there.
    unused.gm.bind(bus1.cores);
    bus0.memory.bind(memory.port);
    bus1.memory.bind(foreign.port);
    bus0.to_fabric.bind(fabric.from_devices);
    bus1.to_fabric.bind(fabric.from_devices);
    fabric.to_devices.bind(bus0.from_fabric);
    fabric.to_devices.bind(bus1.from_fabric);
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_PS));
    port.begin({});
  }
  Initiator unused{"unused"};
};

template <class T>
std::span<const std::byte> bytes_of(const T& values) {
  return std::as_bytes(std::span(values));
}

TEST(MemoryPath, ReadsBackWhatWasWrittenAndTakesTheBandwidth) {
  TwoDevices two;
  std::array<std::int32_t, 16> out{};
  std::iota(out.begin(), out.end(), 1);
  std::array<std::int32_t, 16> in{};
  two.port.write({0, 128}, bytes_of(out));
  EXPECT_EQ(two.port.delay(), 128u) << "64 bytes at 2 ps each";
  two.port.read({0, 128}, std::as_writable_bytes(std::span(in)));
  EXPECT_EQ(two.port.delay(), 128u + 64u);
  EXPECT_EQ(in, out);
}

TEST(MemoryPath, AWriteThatStreamedInLongEnoughCostsNothingAtItsEnd) {
  for (const Picoseconds streamed : {127, 128, 129}) {
    TwoDevices two;
    std::array<std::int32_t, 16> out{};
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_NS));
    two.port.begin({.origin = {}, .now = 1000, .streamed = streamed});
    two.port.write({0, 0}, bytes_of(out));
    EXPECT_EQ(two.port.delay(), streamed < 128 ? 1u : 0u) << streamed;
  }
}

TEST(MemoryPath, AtomicAddAddsPerElement) {
  TwoDevices two;
  const std::array<std::int16_t, 3> first{1, -2, 30000};
  const std::array<std::int16_t, 3> second{10, 20, 30000};
  std::array<std::int16_t, 3> sum{};
  two.port.atomic_add({0, 10}, isa::DType::int16, bytes_of(first));
  two.port.atomic_add({0, 10}, isa::DType::int16, bytes_of(second));
  two.port.write({0, 100}, bytes_of(first));
  two.port.read({0, 10}, std::as_writable_bytes(std::span(sum)));
  EXPECT_EQ(sum, (std::array<std::int16_t, 3>{11, 18, -5536}));
  EXPECT_EQ(two.recorder.accesses.at(0).kind, MemoryAccess::Kind::atomic_add);
  EXPECT_EQ(two.recorder.accesses.at(2).kind, MemoryAccess::Kind::write);
}

TEST(MemoryPath, TheFabricReachesTheOtherDevicesForeignMemory) {
  TwoDevices two;
  const std::array<std::uint8_t, 4> out{1, 2, 3, 4};
  std::array<std::uint8_t, 4> in{};
  two.port.write({1, 8}, bytes_of(out));
  two.port.read({1, 8}, std::as_writable_bytes(std::span(in)));
  EXPECT_EQ(in, out);
  EXPECT_EQ(two.foreign.bytes[8], 1);
  EXPECT_EQ(two.port.delay(), 20'000u) << "the foreign memory's own time";
}

TEST(MemoryPath, OutsideOfAnyMemoryIsAFault) {
  TwoDevices two;
  std::array<std::byte, 8> data{};
  EXPECT_NO_THROW(two.port.read({0, kParams.size_bytes - 8}, data));
  EXPECT_THROW(two.port.read({0, kParams.size_bytes - 7}, data), std::out_of_range);
  EXPECT_THROW(two.port.read({2, 0}, data), std::out_of_range);
  EXPECT_THROW(static_cast<void>(two.port.peek({0, kParams.size_bytes - 3})), std::out_of_range);
}

TEST(MemoryPath, WaitersHearOfWritesToTheirCellOnly) {
  TwoDevices two;
  CountingWaiter waiter;
  two.memory.watch(64, waiter);
  const std::array<std::int32_t, 1> one{1};
  const std::array<std::byte, 64> block{};
  two.port.write({0, 60}, bytes_of(one));
  two.port.write({0, 68}, bytes_of(one));
  two.port.write({0, 0}, block);
  EXPECT_EQ(waiter.woken, 0);
  two.port.write({0, 64}, bytes_of(one));
  two.port.write({0, 4}, block);
  two.port.atomic_add({0, 64}, isa::DType::int32, bytes_of(one));
  EXPECT_EQ(waiter.woken, 3);
  EXPECT_EQ(two.port.peek({0, 64}), 1) << "the block zeroed it before";
  two.memory.unwatch(waiter);
  two.port.write({0, 64}, bytes_of(one));
  EXPECT_EQ(waiter.woken, 3);
}

TEST(MemoryPath, LinksAreMadeWhenUsedAndKeepTheirOrder) {
  TwoDevices two;
  EXPECT_TRUE(two.fabric.used_links().empty());
  const Message message{
      .kind = LinkTransfer::Kind::write, .from = 0, .to = 1, .payload_bytes = 1000, .ready = 500};
  const Transit first = two.fabric.send(message, {});
  const Transit second = two.fabric.send(message, {});
  constexpr Picoseconds kArrival = 500 + 200'000 + 100'000;  // 1000 bytes at 5 GB/s, then the hop
  EXPECT_EQ(first.look, kArrival);
  EXPECT_EQ(second.look, kArrival + 200'000);
  EXPECT_FALSE(two.fabric.follow(first.id, kArrival - 1).arrived);
  EXPECT_TRUE(two.fabric.follow(first.id, kArrival).arrived);
  const auto used = two.fabric.used_links();
  ASSERT_EQ(used.size(), 1u);
  EXPECT_EQ(used[0].statistics.payload_sent_bytes, 2000u);
  EXPECT_EQ(used[0].statistics.payload_received_bytes, 1000u);
  EXPECT_EQ(used[0].statistics.header_bytes, 2u * 2 * 38);
}

TEST(MemoryPath, NothingWarns) {
  const TwoDevices two;
  EXPECT_TRUE(two.context.warnings().empty());
}

}  // namespace
}  // namespace a2a3::sim::memory_path_test
