// SPDX-License-Identifier: Apache-2.0
// Several vector cores per device.
#include <gtest/gtest.h>

#include "program.hpp"

namespace a2a3::test::spmd_test {
namespace {

const std::string kKernel = "tests/system/data/many_cores.py";

TEST(Spmd, CoresOfADeviceExchangeWithThoseOfItsNeighbour) {
  for (const int ranks : {1, 2, 3, 4, 5, 7, 8}) {
    for (const char* cores : {"1", "5", "48"}) {
      for (const char* engine : {"timed", "untimed"}) {
        const Finished run =
            a2a3sim({"run", kKernel, "-d", devices(ranks), "--set", std::string("CORES=") + cores,
                     "--engine", engine, "--golden", "y: 2 * x[(r + P - 1) % P]", "--quiet"});
        EXPECT_EQ(run.out, "OK\n") << run.err;
      }
    }
  }
}

TEST(Spmd, TheCardHasRankTotalsAndTheCores) {
  const ScratchDir scratch;
  const std::string json = scratch.file("card.json");
  const Finished run = a2a3sim({"run", kKernel, "-d", "0,1,2", "--json", json});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "cores that worked"));
  const nlohmann::json card = read_json(json);
  for (const auto& rank : card["ranks"]) {
    EXPECT_EQ(rank["payload_received_bytes"], 8 * 64 * 4);
    EXPECT_EQ(rank["signals_received_count"], 8);
    ASSERT_EQ(rank["cores"].size(), 8u);
    std::uint64_t waiting = 0;
    for (const auto& core : rank["cores"]) {
      waiting += core["waiting_ps"].get<std::uint64_t>();
      EXPECT_LE(core["end_ps"], rank["total_ps"]);
    }
    EXPECT_EQ(waiting, rank["waiting_ps"]);
  }
}

TEST(Spmd, MoreBlocksThanCoresThatWaitForEachOtherAreADeadlock) {
  // One lane to the same lane of the neighbour: blocks that come later find their partner gone on.
  const ScratchDir scratch;
  const std::string machine =
      scratch.write("small.yaml", "extends: a2a3sim\nvector_cores_per_device: 4\n");
  EXPECT_EQ(a2a3sim({"run", kKernel, "-p", machine, "-d", "0,1,2", "--quiet", "--golden",
                     "y: 2 * x[(r + P - 1) % P]"})
                .out,
            "OK\n");
  // Lanes that wait for the lane behind them: the last one never gets a core.
  const std::string kernel = scratch.write(
      "kernel.py",
      replaced(replaced(read_file(std::filesystem::path(A2A3_SOURCE_DIR) / kKernel),
                        "pld.system.notify(arrived, peer=right, offsets=[lane, 0]",
                        "pld.system.notify(arrived, peer=right, offsets=[(lane + 1) % CORES, 0]"),
               "inbox = pld.tile.remote_store",
               "pld.system.wait(arrived, offsets=[(lane + 4) % CORES, "
               "0], expected=1, cmp=pld.WaitCmp.Ge)\n    inbox = pld.tile.remote_store"));
  for (const char* engine : {"timed", "untimed"}) {
    const Finished stuck =
        a2a3sim({"run", kernel, "-p", machine, "-d", "0,1,2", "--engine", engine});
    EXPECT_EQ(stuck.status, 3);
    EXPECT_TRUE(contains(stuck.err, "4 of 8 blocks of \"shift\" cannot start on ranks 0-2"));
    EXPECT_TRUE(contains(stuck.err, "all 4 vector cores of the device hold blocks that wait"));
  }
}

TEST(Spmd, MoreCoresTakeLessTime) {
  const ScratchDir scratch;
  std::vector<std::uint64_t> ends;
  for (const char* cores : {"1", "2", "8"}) {
    const std::string machine = scratch.write(
        "m.yaml", std::string("extends: a2a3sim\nvector_cores_per_device: ") + cores + "\n");
    const std::string json = scratch.file("card.json");
    ASSERT_EQ(a2a3sim({"run", kKernel, "-p", machine, "-d", "0,1", "--json", json}).status, 0);
    ends.push_back(read_json(json)["total"]["total_ps"]);
  }
  EXPECT_LT(ends[1], ends[0]);
  EXPECT_LT(ends[2], ends[1]);
}

}  // namespace
}  // namespace a2a3::test::spmd_test
