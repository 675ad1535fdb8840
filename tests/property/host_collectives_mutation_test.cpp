// SPDX-License-Identifier: Apache-2.0
// A HOST collective whose lowered text misses one wait, one notify or one clear must be seen to be
// wrong: by its result, by a deadlock, or by credits that are left in its signal.
#include <stdexcept>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "collectives/host_schedules.hpp"
#include "ir/printer.hpp"

namespace a2a3::collectives {
namespace {

constexpr Size kAt{3, 300};
constexpr std::uint64_t kSeeds = 40;

double input(const std::string& name, std::int64_t rank, std::int64_t i) {
  return name == "counts" ? static_cast<double>(sent_rows(rank, i)) : element(rank, i);
}

const HostSchedule& schedule_named(const std::string& name) {
  for (const HostSchedule& schedule : host_schedules()) {
    if (schedule.name == name) return schedule;
  }
  throw std::invalid_argument(name);
}

/// The schedule's program with one more output: the signal's cells for the peers, in its first row
/// when it has several.
std::string program_with_cells(const HostSchedule& schedule) {
  auto parameters = schedule.parameters(kAt);
  std::string cell = "q";
  for (const Parameter& parameter : parameters) {
    if (parameter.name != "sig" || parameter.shape.size() == 1) continue;
    cell = parameter.shape[1] == 1 ? "q, 0" : "0, q";
  }
  parameters.push_back({Parameter::Kind::out, "cells", {kAt.ranks}, isa::DType::int32});
  return host_program(
      parameters, schedule.publish(kAt), schedule.call(kAt),
      schedule.consume(kAt) + fmt::format("for q in pl.range({}):\n"
                                          "    pl.write(cells, [q], pl.read(sig, [{}]))\n",
                                          kAt.ranks, cell));
}

bool is_right(const HostSchedule& schedule, const ProgramRun& run) {
  if (!run.finished()) return false;
  const auto x = [](std::int64_t rank, std::int64_t row, std::int64_t col) {
    return element(rank, row * kAt.size + col);
  };
  const std::int64_t part = run.result.outputs.at("y").elements() / kAt.ranks;
  for (std::int64_t rank = 0; rank < kAt.ranks; ++rank) {
    for (std::int64_t i = 0; i < part; ++i) {
      if (run.at("y", rank, i) != schedule.expected(kAt, x, rank, i / kAt.size, i % kAt.size)) {
        return false;
      }
    }
    for (std::int64_t q = 0; q < kAt.ranks; ++q) {
      if (run.at("cells", rank, q) != 0) return false;
    }
  }
  return true;
}

/// Seeds of the core order for which a program is wrong.
std::uint64_t wrong_seeds(const HostSchedule& schedule, const std::string& text) {
  std::uint64_t wrong = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const ProgramRun one = run(text, kAt.ranks, input, Engine::untimed, seed);
    EXPECT_FALSE(one.diagnostics.has_errors()) << one.text() << text;
    if (!is_right(schedule, one)) ++wrong;
  }
  return wrong;
}

/// `text` with `pass` in place of the n-th line that holds `part`.
std::string without(const std::string& text, const std::string& part, int n) {
  std::size_t at = text.find(part);
  for (; n > 0 && at != std::string::npos; --n)
    at = text.find(part, at + 1);
  EXPECT_NE(at, std::string::npos) << part;
  const std::size_t begin = text.find_first_not_of(' ', text.rfind('\n', at) + 1);
  std::string result = text;
  return result.replace(begin, text.find('\n', at) - begin, "pass");
}

const std::string kWait = "pld.system.wait(";
const std::string kCredit = "value=1, op=pld.NotifyOp.AtomicAdd";
const std::string kClear = "value=-";

struct Mutant {
  std::string schedule;
  std::string dropped;
  int which = 0;
};

const std::vector<Mutant> kMutants{
    {"barrier", kCredit},
    {"barrier", kClear},
    {"broadcastFromTheFirst", kWait},
    {"broadcastFromTheFirst", kClear},
    {"mesh", kWait, 0},  // ready
    {"mesh", kWait, 1},  // nobody reads the tile any more
    {"mesh", kCredit, 1},
    {"mesh", kClear},
    {"ring", kWait, 0},    // a round of the first phase
    {"ring", kWait, 1},    // a round of the second
    {"ring", kCredit, 2},  // the return barrier
    {"ring", kClear},
    {"allgather", kWait},
    {"allgather", kClear},
    {"reduceScatter", kWait, 0},
    {"reduceScatter", kClear},
    {"allToAll", kWait},
    {"allToAllV", kClear},
};

class HostMutation : public testing::TestWithParam<Mutant> {};

TEST_P(HostMutation, IsFoundByTheRun) {
  const Mutant& mutant = GetParam();
  const HostSchedule& schedule = schedule_named(mutant.schedule);
  const ProgramRun original = run(program_with_cells(schedule), kAt.ranks, input, Engine::untimed);
  ASSERT_TRUE(original.finished()) << original.text();
  const std::string lowered = ir::print(*original.module);
  EXPECT_EQ(wrong_seeds(schedule, lowered), 0u) << "the original";
  EXPECT_GT(wrong_seeds(schedule, without(lowered, mutant.dropped, mutant.which)), 0u);
}

INSTANTIATE_TEST_SUITE_P(Dropped, HostMutation, testing::ValuesIn(kMutants),
                         [](const auto& tested) {
                           const Mutant& mutant = tested.param;
                           return mutant.schedule +
                                  (mutant.dropped == kWait     ? "Wait"
                                   : mutant.dropped == kCredit ? "Credit"
                                                               : "Clear") +
                                  std::to_string(mutant.which);
                         });

}  // namespace
}  // namespace a2a3::collectives
