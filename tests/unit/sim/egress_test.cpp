// SPDX-License-Identifier: Apache-2.0
// How fast remote stores leave their core and their device, on the a2 machine.
#include <algorithm>

#include <gtest/gtest.h>

#include "models/load_machine.hpp"
#include "sim/time.hpp"
#include "unit/sim/fixture.hpp"

namespace a2a3::sim::egress_test {
namespace {

using namespace test;

const models::MachineDescription& a2() {
  static const models::MachineDescription machine =
      *models::load_machine("a2", A2A3_SOURCE_DIR).machine;
  return machine;
}

Picoseconds cycles(double count) {
  return to_picoseconds(count / a2().core.clock_hz);
}
Picoseconds wire(double bytes, double bytes_per_second) {
  return to_picoseconds(bytes / bytes_per_second);
}
Picoseconds hop() {
  return to_picoseconds(a2().link.hop_seconds);
}

/// `cores` cores of device 0 store `bytes` each, core c to device 1 + c % peers, all at once.
/// Returns when each of them was done.
std::vector<Picoseconds> stores(const models::MachineDescription& machine, std::uint32_t cores,
                                int bytes, std::uint32_t peers) {
  std::vector<std::unique_ptr<Script>> scripts;
  std::vector<CoreProgram> programs;
  for (std::uint32_t c = 0; c < cores; ++c) {
    scripts.push_back(std::make_unique<Script>(
        Program{store(0, 1 + c % peers, std::uint64_t{c} << 18, bytes / 4)}));
    programs.push_back({.device = 0, .core = c, .source = scripts.back().get()});
  }
  Machine all(machine, std::vector<std::uint64_t>(peers + 1, 1u << 24), programs);
  return all.run().core_end;
}

TEST(Egress, ARemoteStoreTakesStartupTwoHopsAndItsBytesAtTheCoresRate) {
  // hardware.md, section 3: 83 + 2 * 160 + n / bandwidth ns, 7 GB/s for one core.
  for (const int bytes : {32, 256, 4096, 65536}) {
    const auto run = run_programs({{store(0, 1, 0, bytes / 4)}, {}}, a2());
    const Picoseconds end = run->recorder.of(Pipe::mte3).at(0).end;
    EXPECT_EQ(end, cycles(a2().core.store_startup_cycles) + 2 * hop() + wire(bytes, 7e9));
    EXPECT_NEAR(static_cast<double>(end) / 1000, 83 + 2 * 160 + bytes / 7.0, 0.5);
  }
}

TEST(Egress, LoadsAreNotHeldBack) {
  const auto run = run_programs({{load(1, 0, 0, 1024)}, {}}, a2());
  EXPECT_EQ(run->recorder.of(Pipe::mte2).at(0).end,
            cycles(a2().core.load_startup_cycles) + 2 * hop() + wire(4096, 28e9 * 0.93));
}

TEST(Egress, StoresOfOneCoreFollowEachOtherEvenToSeveralPeers) {
  const auto run = run_programs({{store(0, 1, 0, 8192), store(0, 2, 0, 8192)}, {}, {}}, a2());
  const auto stored = run->recorder.of(Pipe::mte3);
  EXPECT_EQ(stored.at(1).end - stored.at(0).end, wire(32768, 7e9));
}

/// From the start of all to the end of the last, without startup and the way there and back.
double streaming_seconds(const std::vector<Picoseconds>& ends) {
  const Picoseconds latency = cycles(a2().core.store_startup_cycles) + 2 * hop();
  return static_cast<double>(*std::ranges::max_element(ends) - latency) * 1e-12;
}

TEST(Egress, TwoCoresFillOneLink) {
  // 14 GB/s for the stores of vector cores: two of them, three no faster.
  constexpr int kBytes = 65536;
  for (const std::uint32_t cores : {1, 2, 3, 4, 5, 7, 8}) {
    const auto ends = stores(a2(), cores, kBytes, 1);
    const double link = kBytes * cores / (28e9 * 0.5);
    EXPECT_NEAR(streaming_seconds(ends), std::max(kBytes / 7e9, link), cores * 1e-12) << cores;
  }
}

TEST(Egress, AllCoresOfADeviceTogether) {
  // To 7 peers: 98 GB/s of links, 48 * 7 GB/s of cores, but 70 GB/s of egress.
  constexpr int kBytes = 65536;
  for (const std::uint32_t cores : {7, 10, 14, 48}) {
    const auto ends = stores(a2(), cores, kBytes, 7);
    const double egress = kBytes * cores / 70e9;
    EXPECT_NEAR(streaming_seconds(ends), std::max(kBytes / 7e9, egress), cores * 1e-12) << cores;
  }
  models::MachineDescription machine = a2();
  machine.link.device_egress_bytes_per_second = 0;
  const auto ends = stores(machine, 14, kBytes, 7);
  EXPECT_NEAR(streaming_seconds(ends), kBytes / 7e9, 1e-12) << "no limit";
}

TEST(Egress, BothDirectionsOfALinkAreApart) {
  // hardware.md, section 3: 50.8 of 2 * 26.2 GB/s with both directions busy.
  constexpr int kLoads = 32;
  constexpr int kBytes = 65536;
  Program pull[2];
  for (std::uint32_t d = 0; d < 2; ++d)
    for (int i = 0; i < kLoads; ++i)
      pull[d].add(load(1 - d, 0, 65536 * static_cast<std::uint32_t>(i % 2), kBytes / 4));
  const auto one = run_programs({pull[0], {}}, a2());
  const auto both = run_programs({pull[0], pull[1]}, a2());
  const auto seconds = [](const test::Run& run) {
    return static_cast<double>(run.report.end) * 1e-12;
  };
  const double alone = kLoads * kBytes / seconds(*one);
  const double together = 2.0 * kLoads * kBytes / seconds(*both);
  EXPECT_NEAR(together, 50.8e9, 0.03 * 50.8e9);
  EXPECT_NEAR(together, 2 * alone, 0.01 * together) << "requests take next to nothing";
}

TEST(Egress, ReadsAndWritesShareADirection) {
  // Device 0 stores to device 1, which loads from device 0: store and replies use one link.
  constexpr int kBytes = 131072;
  const auto run =
      run_programs({{store(0, 1, 0, kBytes / 4)}, {load(0, 1 << 18, 0, kBytes / 4)}}, a2());
  Picoseconds sum = wire(kBytes, 28e9 * 0.5) + wire(kBytes, 28e9 * 0.93);
  const auto links = run->machine->links();
  ASSERT_EQ(links.size(), 2u);
  EXPECT_EQ(links.at(0).busy, sum);
  const Picoseconds alone =
      cycles(a2().core.load_startup_cycles) + 2 * hop() + wire(kBytes, 28e9 * 0.93);
  const Picoseconds loaded = run->recorder.of(Pipe::mte2, 1).at(0).end;
  EXPECT_GT(loaded, alone + wire(kBytes, 28e9 * 0.93) / 2) << "they take turns";
  EXPECT_LT(loaded, alone + sum) << "and do not wait for each other's end";
}

}  // namespace
}  // namespace a2a3::sim::egress_test
