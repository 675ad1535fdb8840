// SPDX-License-Identifier: Apache-2.0
// Machine::leave_out_data(): times of a run with data, real signals, and an end where the program
// asks for what only payload could tell.
#include <gtest/gtest.h>

#include "fixture.hpp"

namespace a2a3::sim::test::without_data_test {
namespace {

std::unique_ptr<Run> run_without_data(const std::vector<Program>& programs,
                                      std::uint64_t forgotten_bytes = 0) {
  auto run = make_run(programs);
  run->machine->leave_out_data();
  for (std::uint32_t d = 0; d < programs.size(); ++d)
    run->machine->forget_gm({d, 0}, forgotten_bytes);
  run->report = run->machine->run();
  return run;
}

isa::ScalarRead read_cell(std::uint64_t offset, isa::Scalar& into) {
  isa::ScalarRead read;
  read.gm = isa::GlobalAddress{0, offset};
  read.dtype = isa::DType::int32;
  read.result = &into;
  return read;
}

std::vector<Program> exchange() {
  return {{load(0, 0, 0, 64), adds(0, 3, 64), store(0, 1, 4096, 64), notify(1, 8192)},
          {wait(1, 8192), load(1, 4096, 0, 64), store(0, 1, 0, 64)}};
}

TEST(WithoutData, TakesTheTimeOfARunWithData) {
  const auto with = run_programs(exchange());
  const auto without = run_without_data(exchange());
  ASSERT_EQ(with->report.outcome, Outcome::finished);
  ASSERT_EQ(without->report.outcome, Outcome::finished);
  EXPECT_EQ(without->report.core_end, with->report.core_end);
  EXPECT_EQ(without->recorder.accesses.size(), with->recorder.accesses.size());
}

TEST(WithoutData, MovesNoPayloadButSignals) {
  auto run = make_run(exchange());
  run->machine->leave_out_data();
  write_ints(*run->machine, 0, 0, std::vector<std::int32_t>(64, 5));
  ASSERT_EQ(run->machine->run().outcome, Outcome::finished);
  EXPECT_EQ(read_ints(*run->machine, 1, 4096, 1)[0], 0);
  EXPECT_EQ(read_ints(*run->machine, 1, 8192, 1)[0], 1);
}

TEST(WithoutData, ReadsCellsThatOnlySignalsHaveTouched) {
  isa::Scalar value;
  const auto run = run_without_data({{notify(0, 8192, 7), read_cell(8192, value)}}, 4096);
  EXPECT_EQ(run->report.outcome, Outcome::finished);
  EXPECT_EQ(value.i, 7);
}

TEST(WithoutData, EndsWhereTheProgramReadsWhatTheHostPutThere) {
  isa::Scalar value;
  const auto run = run_without_data({{notify(0, 8192), read_cell(64, value)}}, 4096);
  EXPECT_EQ(run->report.outcome, Outcome::data_needed);
  EXPECT_EQ(run->report.data_needed, 1u);
}

TEST(WithoutData, EndsWhereTheProgramReadsWhatAStoreHasWritten) {
  isa::Scalar value;
  const auto run = run_without_data(
      {{fill(0, 1, 64), store(0, 0, 8192, 64), isa::PipeBarrier{}, read_cell(8192, value)}});
  EXPECT_EQ(run->report.outcome, Outcome::data_needed);
  EXPECT_EQ(run->report.data_needed, 3u);
}

TEST(WithoutData, EndsWhereTheProgramReadsATile) {
  isa::Scalar value;
  isa::ScalarRead read;
  read.tile = tile(0, 1, 1);
  read.dtype = isa::DType::int32;
  read.result = &value;
  const auto run = run_without_data({{fill(0, 1, 64), read}});
  EXPECT_EQ(run->report.outcome, Outcome::data_needed);
  EXPECT_EQ(run->report.data_needed, 1u);
}

TEST(WithoutData, EndsWhereACoreWaitsForAStore) {
  const auto run = run_without_data({{fill(0, 1, 64), store(0, 1, 8192, 64)}, {wait(1, 8192)}});
  EXPECT_EQ(run->report.outcome, Outcome::data_needed);
}

TEST(WithoutData, AScalarWriteIsKnown) {
  isa::Scalar value;
  isa::ScalarWrite write;
  write.gm = isa::GlobalAddress{0, 64};
  write.value = {isa::DType::int32, 9, 0.0};
  const auto run = run_without_data({{write, read_cell(64, value)}}, 4096);
  EXPECT_EQ(run->report.outcome, Outcome::finished);
  EXPECT_EQ(value.i, 9);
}

}  // namespace
}  // namespace a2a3::sim::test::without_data_test
