// SPDX-License-Identifier: Apache-2.0
// Race-free random programs give the same bytes on the timed machine as without time.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "isa/memory.hpp"
#include "unit/sim/fixture.hpp"

namespace a2a3::sim::equivalence_test {
namespace {

using namespace test;

constexpr std::uint64_t kGmBytes = 1u << 17;
constexpr std::uint64_t kCells = 0;           // one per rank
constexpr std::uint64_t kShared = 4096;       // integers that all ranks add to
constexpr std::uint64_t kOwn = 8192;          // 4 KiB of the rank's own
constexpr std::uint64_t kMailbox = 1u << 16;  // 4 KiB a rank, written by that rank only
constexpr std::uint64_t kSlotBytes = 4096;

/// The memory of all devices, accessed at once.
class PlainMemory final : public isa::GlobalPort {
 public:
  explicit PlainMemory(std::uint32_t devices) : gm(devices, std::vector<std::byte>(kGmBytes)) {}
  std::vector<std::vector<std::byte>> gm;

  void read(isa::GlobalAddress address, std::span<std::byte> destination) override {
    std::copy_n(gm.at(address.device).begin() + static_cast<std::ptrdiff_t>(address.offset_bytes),
                destination.size(), destination.begin());
  }
  void write(isa::GlobalAddress address, std::span<const std::byte> source) override {
    std::copy(source.begin(), source.end(), at(address));
  }
  void atomic_add(isa::GlobalAddress address, isa::DType dtype,
                  std::span<const std::byte> source) override {
    isa::accumulate(dtype, {at(address), source.size()}, source);
  }

 private:
  std::byte* at(isa::GlobalAddress address) {
    return gm.at(address.device).data() + address.offset_bytes;
  }
};

/// Runs the programs one instruction of one rank at a time.
void run_untimed(const std::vector<Program>& programs, PlainMemory& memory) {
  std::vector<std::vector<std::byte>> ub(programs.size(), std::vector<std::byte>(192u << 10));
  std::vector<std::size_t> next(programs.size());
  for (bool progress = true; progress;) {
    progress = false;
    for (std::size_t r = 0; r < programs.size(); ++r) {
      if (next[r] == programs[r].instructions.size()) continue;
      const isa::Operation& operation = programs[r].instructions[next[r]].operation;
      if (const auto* wait = std::get_if<isa::TWait>(&operation)) {
        std::int32_t value = 0;
        memory.read(wait->cell, std::as_writable_bytes(std::span(&value, 1)));
        if (value < wait->expected) continue;
      }
      isa::execute(operation, ub[r], memory);
      ++next[r];
      progress = true;
    }
  }
}

class Generator {
 public:
  Generator(std::uint32_t seed, std::uint32_t devices) : random_(seed), devices_(devices) {}

  std::vector<Program> programs() {
    std::vector<Program> all(devices_);
    for (int round = 1; round <= 3; ++round) {
      for (std::uint32_t r = 0; r < devices_; ++r) {
        local_work(all[r], r);
        send(all[r], r);
        barrier(all[r], r, 2 * round - 1);
        receive(all[r], r);
        barrier(all[r], r, 2 * round);
      }
    }
    for (Program& program : all)
      for (isa::Instruction& instruction : program.instructions)
        instruction.scalar_ops = static_cast<std::uint32_t>(below(50));
    return all;
  }

 private:
  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  /// A whole number of 32-byte blocks inside 4 KiB, as offset and element count.
  std::pair<std::uint64_t, int> block() {
    const std::uint64_t first = below(128);
    return {first * 32, static_cast<int>(1 + below(128 - first)) * 8};
  }
  std::uint32_t tile_at() { return static_cast<std::uint32_t>(below(4)) * 2048; }

  void local_work(Program& program, std::uint32_t rank) {
    for (int i = 0; i < 12; ++i) {
      const auto [offset, count] = block();
      const std::uint32_t at = tile_at();
      switch (below(5)) {
        case 0:
          program.add(load(rank, kOwn + offset, at, count));
          break;
        case 1:
          program.add(store(at, rank, kOwn + offset, count));
          break;
        case 2:
          program.add(adds(at, static_cast<std::int64_t>(below(1000)), count));
          break;
        case 3:
          program.add(isa::TBinary{isa::BinaryOp::add, tile(at, 1, count),
                                   tile(tile_at(), 1, count), tile(tile_at(), 1, count)});
          break;
        default:
          program.add(fill(at, static_cast<std::int64_t>(below(1000)), count));
      }
    }
  }

  void send(Program& program, std::uint32_t rank) {
    for (int i = 0; i < 4; ++i) {
      const auto peer = static_cast<std::uint32_t>(below(devices_));
      const auto [offset, count] = block();
      const std::uint64_t slot = kMailbox + rank * kSlotBytes + offset;
      switch (below(4)) {
        case 0:
          program.add(isa::TPutAsync{box(peer, slot, 1, count), box(rank, kOwn + offset, 1, count),
                                     static_cast<std::uint32_t>(i)});
          program.add(isa::TWaitEvent{static_cast<std::uint32_t>(i)});
          break;
        case 2:
          program.add(
              isa::TStore{tile(tile_at(), 1, count), box(peer, slot, 1, count), false, true});
          break;
        case 1:
          program.add(isa::TStore{tile(tile_at(), 1, 8), box(peer, kShared, 1, 8), true, true});
          break;
        default: {
          std::optional<isa::Tile> second;
          if (below(2) == 0) second = tile(10240, 1, 16);
          program.add(isa::TPut{box(peer, slot, count / 8, 8),
                                box(rank, kOwn + offset, count / 8, 8), tile(8192, 2, 8), second,
                                false});
        }
      }
    }
  }

  void receive(Program& program, std::uint32_t rank) {
    for (int i = 0; i < 4; ++i) {
      const auto peer = static_cast<std::uint32_t>(below(devices_));
      const auto writer = static_cast<std::uint32_t>(below(devices_));
      const auto [offset, count] = block();
      const std::uint64_t slot = kMailbox + writer * kSlotBytes + offset;
      if (below(2) == 0) {
        isa::TLoad remote = load(peer, slot, tile_at(), count);
        remote.peer_addressed = true;
        program.add(remote);
      } else {
        program.add(isa::TGet{box(rank, kOwn + offset, count / 8, 8),
                              box(peer, slot, count / 8, 8),
                              tile(8192, 4, 8),
                              {}});
      }
    }
    program.add(load(rank, kShared, 0, 8));
    program.add(store(0, rank, kOwn, 8));
  }

  void barrier(Program& program, std::uint32_t rank, int generation) {
    for (std::uint32_t peer = 0; peer < devices_; ++peer)
      if (peer != rank) program.add(notify(peer, kCells + 4 * rank));
    for (std::uint32_t peer = 0; peer < devices_; ++peer)
      if (peer != rank) program.add(wait(rank, kCells + 4 * peer, generation));
  }

  std::mt19937 random_;
  std::uint32_t devices_;
};

class Equivalence : public testing::TestWithParam<std::uint32_t> {};

TEST_P(Equivalence, TimedEqualsUntimed) {
  const std::uint32_t seed = GetParam();
  const std::uint32_t devices = 1 + seed % 5;
  const auto programs = Generator(seed, devices).programs();
  PlainMemory memory(devices);
  std::mt19937 random(seed);
  for (auto& bytes : memory.gm)
    for (std::size_t i = kOwn; i < kOwn + 4096; ++i)
      bytes[i] = static_cast<std::byte>(random());

  models::MachineDescription machine = round_machine();
  machine.core.pipe_queue_depth = 1 + seed % 7;
  std::vector<Picoseconds> start;
  for (std::uint32_t r = 0; r < devices; ++r)
    start.push_back(random() % (5000 * kNs));
  auto run = make_run(programs, machine, start, kGmBytes);
  for (std::uint32_t r = 0; r < devices; ++r)
    run->machine->write_gm({r, 0}, memory.gm[r]);

  ASSERT_EQ(run->machine->run().outcome, Outcome::finished);
  run_untimed(programs, memory);
  for (std::uint32_t r = 0; r < devices; ++r) {
    std::vector<std::byte> timed(kGmBytes);
    run->machine->read_gm({r, 0}, timed);
    EXPECT_TRUE(timed == memory.gm[r]) << "rank " << r;
  }
  for (const LinkReport& link : run->machine->links())
    EXPECT_EQ(link.payload_sent_bytes, link.payload_received_bytes);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Equivalence, testing::Range(0u, 60u));

}  // namespace
}  // namespace a2a3::sim::equivalence_test
