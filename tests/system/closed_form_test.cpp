// SPDX-License-Identifier: Apache-2.0
// Closed forms on the cost card and in JSON; claims that are wrong.
#include <gtest/gtest.h>

#include "program.hpp"

namespace a2a3::test::closed_form_test {
namespace {

using Json = nlohmann::json;

struct Carded {
  Finished run;
  Json json;
};

Carded run_with(const std::string& kernel, std::vector<std::string> more) {
  const ScratchDir scratch;
  std::vector<std::string> arguments{"run", kernel, "--json", scratch.file("card.json")};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Finished run = a2a3sim(arguments);
  return {run, read_json(scratch.file("card.json"))};
}

TEST(ClosedForm, StepSixteenShowsItsPartsAndTheirSum) {
  for (const std::string mode : {"default", "one_signal"}) {
    SCOPED_TRACE(mode);
    const auto [run, json] =
        run_with("examples/16_putting_it_together.py", {"-d", "0-3", "--mode", mode});
    EXPECT_EQ(run.status, 0) << run.err;
    const Json& parts = json["closed_forms"]["parts"];
    ASSERT_EQ(parts.size(), 4u);
    EXPECT_EQ(parts[0]["schedule"], "broadcast");
    EXPECT_EQ(parts[1]["schedule"], "allreduce.mesh");
    EXPECT_EQ(parts[2]["schedule"], "allgather");
    EXPECT_EQ(parts[3]["schedule"], "none");
    // P = 4, V = 256 bytes.
    constexpr int kPeers = 3;
    constexpr int kSlice = 256;
    for (const Json& rank : json["closed_forms"]["sum"]) {
      const Json& expected = rank["expected"];
      EXPECT_EQ(expected["signals_count"], 4 * kPeers);
      EXPECT_EQ(expected["self_signals_count"], 3 * kPeers);
      EXPECT_EQ(expected["payload_received_bytes"],
                2 * kPeers * kSlice + (rank["rank"] == 0 ? 0 : kSlice));
      EXPECT_EQ(rank["right"], true);
      EXPECT_EQ(rank["measured"]["payload_received_bytes"], expected["payload_received_bytes"]);
    }
    EXPECT_TRUE(contains(run.out, "sum of 3 parts"));
    EXPECT_TRUE(contains(run.out, "(P-1)/P·N received and sent"));
  }
}

TEST(ClosedForm, AWrongClaimFailsTheRun) {
  const auto [run, json] =
      run_with("examples/10_allreduce_ring.py", {"-d", "0-3", "--traffic", "allreduce.mesh"});
  EXPECT_EQ(run.status, 2);
  EXPECT_TRUE(contains(run.err,
                       "wrong traffic: allreduce.mesh, claimed does not move what its "
                       "closed form says on ranks 0-3"));
  EXPECT_TRUE(contains(run.err, "rank 0 received 384 bytes, expected 768"));
  EXPECT_TRUE(contains(run.out, "768 != 384"));
  EXPECT_NE(run.last_line(), "OK");
  EXPECT_EQ(json["verdict"], "wrong traffic");
  EXPECT_EQ(json["exit_status"], 2);
  EXPECT_EQ(json["closed_forms"]["parts"][0]["right"], false);
}

TEST(ClosedForm, OwnFormulasOnTheCommandLine) {
  const std::string kernel = "examples/08_allreduce_mesh.py";
  const auto right = run_with(kernel, {"-d", "0-2", "--set", "SIZE=17", "--traffic",
                                       "received: (P-1) * SIZE * 4", "--traffic", "clears: 0"});
  EXPECT_EQ(right.run.status, 0) << right.run.err;
  EXPECT_TRUE(
      right.json["closed_forms"]["parts"][0]["ranks"][0]["expected"]["signals_count"].is_null());
  const auto wrong = run_with(kernel, {"-d", "0-2", "--traffic", "signals: P"});
  EXPECT_EQ(wrong.run.status, 2);
  EXPECT_TRUE(contains(wrong.run.err, "sent 2 signals, expected 3; got 2 signals, expected 3"));
}

TEST(ClosedForm, TheSameBytesInAnotherPlaceAreNotTheClaim) {
  // A builtin call's traffic is its own: what the kernel claims for itself does not count it.
  const auto [run, json] = run_with("examples/13_allgather.py",
                                    {"-d", "0-3", "--mode", "builtin", "--traffic", "allgather"});
  EXPECT_EQ(run.status, 2);
  const Json& parts = json["closed_forms"]["parts"];
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0]["right"], true);
  EXPECT_EQ(parts[1]["right"], false);
}

TEST(ClosedForm, MistakesInClaims) {
  const auto error = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"run", "examples/08_allreduce_mesh.py"});
    const Finished run = a2a3sim(arguments);
    EXPECT_EQ(run.status, 1);
    return run.err;
  };
  EXPECT_TRUE(contains(error({"--traffic", "allreduce.rong"}), "did you mean 'allreduce.ring'?"));
  EXPECT_TRUE(contains(error({"--traffic", "recieved: 3"}), "unknown quantity 'recieved'"));
  EXPECT_TRUE(contains(error({"--traffic", "barrier", "--traffic", "none"}),
                       "the schedule barrier is claimed already"));
  EXPECT_TRUE(contains(error({"--traffic", "sent: 3", "--traffic", "sent: 4"}), "given twice"));
  EXPECT_TRUE(contains(error({"--traffic", "sent: (3"}), "--traffic sent:1:"));
  const ScratchDir scratch;
  scratch.write(
      "k.py", read_file(std::filesystem::path(A2A3_SOURCE_DIR) / "examples/08_allreduce_mesh.py"));
  scratch.write("k.yaml", "traffic: allreduce.tree\n");
  const Finished run = a2a3sim({"run", scratch.file("k.py")});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, "k.yaml: traffic:1:1: error: unknown schedule 'allreduce.tree'"));
  EXPECT_TRUE(contains(run.err, "allreduce.two_phase"));
}

TEST(ClosedForm, TheUntimedEngineCountsNothing) {
  const Finished run = a2a3sim({"run", "examples/08_allreduce_mesh.py", "--engine", "untimed",
                                "--traffic", "allreduce.ring"});
  EXPECT_EQ(run.status, 0);
  EXPECT_TRUE(contains(run.err, "--traffic is not checked"));
  const Finished file = a2a3sim({"run", "examples/10_allreduce_ring.py", "--engine", "untimed"});
  EXPECT_EQ(file.status, 0);
  EXPECT_TRUE(contains(file.err, "10_allreduce_ring.yaml:"));
  EXPECT_TRUE(contains(file.err, "warning: the claimed traffic is not checked"));
}

/// A program around one kernel that exchanges rows by count, on two ranks with blocks of 3 rows.
std::string counted_exchange() {
  return R"(import pypto.language as pl
import pypto.language.distributed as pld

@pl.program
class Exchange:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        x: pl.Tensor[[6, 8], pl.FP32],
        counts: pl.Tensor[[2], pl.INT32],
        y: pl.Out[pl.Tensor[[1, 2], pl.INT32]],
        target: pl.InOut[pld.DistributedTensor[[6, 8], pl.FP32]],
        sig: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
        got: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
    ):
        target = pld.tensor.all_to_all_v(x, target, sig, counts, got)
        for i in pl.range(2):
            pl.write(y, [0, i], pl.read(got, [i, 0]))

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, x, counts, y, target, sig, got):
        self.kernel(x, counts, y, target, sig, got)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(
        self,
        x: pl.Tensor[[2, 6, 8], pl.FP32],
        counts: pl.Tensor[[2, 2], pl.INT32],
        y: pl.Out[pl.Tensor[[2, 1, 2], pl.INT32]],
    ):
        target_buf = pld.alloc_window_buffer([6, 8], dtype=pl.FP32)
        sig_buf = pld.alloc_window_buffer([2, 1], dtype=pl.INT32)
        got_buf = pld.alloc_window_buffer([2, 1], dtype=pl.INT32)
        for r in pl.range(pld.world_size()):
            target = pld.window(target_buf, [6, 8], dtype=pl.FP32)
            sig = pld.window(sig_buf, [2, 1], dtype=pl.INT32)
            got = pld.window(got_buf, [2, 1], dtype=pl.INT32)
            self.chip(x[r], counts[r], y[r], target, sig, got, device=r)
)";
}

TEST(ClosedForm, CountedExchangeTellsUsefulBytesFromCapacity) {
  const ScratchDir scratch;
  const std::string kernel = scratch.write("k.py", counted_exchange());
  const auto [run, json] =
      run_with(kernel, {"-d", "0,1", "--input", "counts: constant(2)", "--golden", "y: 2"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  // Blocks of 3 rows of 32 bytes, 2 rows of each in use.
  for (const Json& rank : json["closed_forms"]["parts"][0]["ranks"]) {
    EXPECT_EQ(rank["measured"]["payload_received_bytes"], 96);
    EXPECT_EQ(rank["padding_bytes"], 32);
    EXPECT_EQ(rank["right"], true);
  }
}

TEST(ClosedForm, ANegativeCountIsNoRowsAndAWarning) {
  const ScratchDir scratch;
  const std::string kernel = scratch.write("k.py", counted_exchange());
  for (const std::string engine : {"timed", "untimed"}) {
    const Finished run = a2a3sim({"run", kernel, "-d", "0,1", "--input", "counts: constant(-1)",
                                  "--golden", "y: 0", "--engine", engine});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(contains(run.err, "warning: a send count is negative: -1 rows for rank"));
    EXPECT_TRUE(contains(run.err, "pld.tensor.all_to_all_v(x, target, sig, counts, got)"));
  }
  const Finished capped = a2a3sim({"run", kernel, "-d", "0,1", "--input", "counts: constant(6)",
                                   "--golden", "y: 3", "--quiet"});
  EXPECT_EQ(capped.status, 0) << capped.err;
  EXPECT_EQ(capped.err, "");
}

}  // namespace
}  // namespace a2a3::test::closed_form_test
