// SPDX-License-Identifier: Apache-2.0
#include "models/traffic/claim.hpp"

#include <gtest/gtest.h>

namespace a2a3::models::claim_test {
namespace {

/// A program of 4 ranks with the input x and the output y, 5 elements of FP32 per rank.
ClaimScope scope() {
  return {4,
          {{"x", {isa::DType::fp32, {4, 1, 5}, true}}, {"y", {isa::DType::fp32, {4, 1, 5}, false}}},
          {{"SIZE", 5}, {"ROOT", 2}}};
}

ClaimText text(const std::string& text) {
  return {text, "claim", {}};
}

std::optional<TrafficClaim> claim(const std::string& schedule, ir::Diagnostics& diagnostics,
                                  const ClaimScope& of = scope()) {
  return evaluate_claim({text(schedule), {}}, of, diagnostics);
}

std::optional<TrafficClaim> formulas(std::map<std::string, ClaimText> texts,
                                     ir::Diagnostics& diagnostics, const ClaimScope& of = scope()) {
  return evaluate_claim({{}, std::move(texts)}, of, diagnostics);
}

TEST(TrafficClaim, TakesTheSizeOfTheOnlyInput) {
  ir::Diagnostics diagnostics;
  const auto ring = claim("allreduce.ring", diagnostics);
  ASSERT_TRUE(ring) << format(diagnostics);
  EXPECT_EQ(ring->schedule, "allreduce.ring");
  EXPECT_EQ(ring->buffer_bytes, 20);
  ASSERT_EQ(ring->ranks.size(), 4u);
  EXPECT_EQ(ring->ranks[0].received_bytes, 28);
  EXPECT_EQ(ring->ranks[1].received_bytes, 32);
  EXPECT_EQ(ring->ranks[1].signals, 18);
}

TEST(TrafficClaim, ParametersSayMore) {
  ir::Diagnostics diagnostics;
  ClaimScope two = scope();
  two.tensors["w"] = {isa::DType::fp16, {4, 4, 8}, true};
  EXPECT_EQ(claim("all_to_all(data=w)", diagnostics, two)->ranks[0].local_bytes, 16);
  EXPECT_EQ(claim("allgather(data=w)", diagnostics, two)->ranks[0].local_bytes, 64);
  EXPECT_EQ(claim("allreduce.mesh(data=y)", diagnostics, two)->ranks[0].received_bytes, 60);
  EXPECT_EQ(
      claim("allreduce.mesh(elements=2 * SIZE, element_bytes=2)", diagnostics)->ranks[3].sent_bytes,
      60);
  const auto broadcast = claim("broadcast(root=ROOT)", diagnostics);
  EXPECT_EQ(broadcast->ranks[2].sent_bytes, 60);
  EXPECT_EQ(broadcast->ranks[1].received_bytes, 20);
  EXPECT_EQ(claim("barrier", diagnostics, two)->ranks[0].signals, 3);
  EXPECT_EQ(claim("none", diagnostics, two)->ranks[0].signals, 0);
  EXPECT_FALSE(diagnostics.has_errors()) << format(diagnostics);
}

TEST(TrafficClaim, Formulas) {
  ir::Diagnostics diagnostics;
  const auto own =
      formulas({{"received", text("(P - 1) * N")}, {"signals", text("r + SIZE")}}, diagnostics);
  ASSERT_TRUE(own) << format(diagnostics);
  EXPECT_EQ(own->formula, "received (P - 1) * N; signals r + SIZE");
  EXPECT_EQ(own->ranks[3].received_bytes, 60);
  EXPECT_EQ(own->ranks[3].signals, 8);
  EXPECT_FALSE(own->ranks[3].sent_bytes) << "not claimed";
  EXPECT_EQ(own->buffer_bytes, 0);
}

/// `what` is refused with a message that holds `message`.
void expect_refused(const std::string& what, const std::string& message,
                    const ClaimScope& of = scope()) {
  SCOPED_TRACE(what);
  ir::Diagnostics diagnostics;
  EXPECT_FALSE(claim(what, diagnostics, of));
  EXPECT_TRUE(diagnostics.has_errors());
  EXPECT_NE(format(diagnostics).find(message), std::string::npos) << format(diagnostics);
}

TEST(TrafficClaim, WrongSchedules) {
  expect_refused("allreduce.rign",
                 "unknown schedule 'allreduce.rign'; did you mean 'allreduce.ring'?");
  expect_refused("allreduce", "schedules: none, barrier, broadcast, allreduce.mesh");
  expect_refused("broadcast", "broadcast: missing parameter root, as in broadcast(root=0)");
  expect_refused("broadcast(root=4)", "root 4 is none of the 4 ranks");
  expect_refused("broadcast(root=0 - 1)", "root must be a whole number from 0 up, got -1");
  expect_refused("allgather(elements=5)", "missing parameter element_bytes");
  expect_refused("allgather(elements=5, element_bytes=0)", "element_bytes must be at least 1");
  expect_refused("allgather(date=x)", "has no parameter 'date'; did you mean 'data'?");
  expect_refused("allgather(data=z)", "the program has no tensor 'z'");
  expect_refused("allgather(data=3)", "data must be the name of a host tensor");
  expect_refused("allgather(x)", "allgather takes its parameters by name");
  expect_refused("allgather(data=x, data=y)", "keyword argument repeated: data");
  expect_refused("all_to_all", "x has 5 elements per rank, not a multiple of the 4 ranks");
  expect_refused("barrier(root=1)", "barrier has no parameters");
  expect_refused("3 + 4", "expected the name of a schedule");
  expect_refused("allreduce.(", "claim:1:");
  expect_refused(std::string(5000, 'a'), "longer than 4096 characters");
  ClaimScope none = scope();
  none.tensors.erase("x");
  expect_refused("allgather", "The program has not exactly one input", none);
}

TEST(TrafficClaim, WrongFormulas) {
  const auto refused = [](const std::string& formula, const std::string& message) {
    SCOPED_TRACE(formula);
    ir::Diagnostics diagnostics;
    EXPECT_FALSE(formulas({{"sent", text(formula)}}, diagnostics));
    EXPECT_NE(format(diagnostics).find(message), std::string::npos) << format(diagnostics);
  };
  refused("N / 3", "sent must be a whole number from 0 up, got 6.66667 on rank 0");
  refused("r - 1", "got -1 on rank 0");
  refused("arange(P)", "sent must be one number, got 4 of them");
  refused("M", "unknown name 'M'");
  ir::Diagnostics diagnostics;
  EXPECT_FALSE(formulas({{"data", text("z")}, {"sent", text("N")}}, diagnostics));
  EXPECT_NE(format(diagnostics).find("the program has no tensor 'z'"), std::string::npos);
}

}  // namespace
}  // namespace a2a3::models::claim_test
