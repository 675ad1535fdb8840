// SPDX-License-Identifier: Apache-2.0
// Cores of one device whose tasks are dealt by a queue.
#include <gtest/gtest.h>

#include "unit/sim/fixture.hpp"

namespace a2a3::sim::task_board_test {
namespace {

using namespace test;

/// Remembers what ended and what is complete.
class Tasks final : public isa::TaskQueue {
 public:
  std::vector<std::uint32_t> log_ended;
  std::vector<std::uint32_t> log_complete;
  void ended(std::uint32_t task) override { log_ended.push_back(task); }
  void complete(std::uint32_t task) override { log_complete.push_back(task); }
};

/// Idle until `needed` tasks are complete, then a script.
class After final : public isa::InstructionSource {
 public:
  After(const Tasks& tasks, std::size_t needed, Program program)
      : tasks_(tasks), needed_(needed), script_(std::move(program)) {}
  isa::Fetch next() override {
    if (tasks_.log_complete.size() < needed_) return {isa::FetchStatus::idle, nullptr};
    return script_.next();
  }

 private:
  const Tasks& tasks_;
  std::size_t needed_;
  Script script_;
};

Program task(std::uint32_t number, std::initializer_list<isa::Operation> operations) {
  Program program;
  program.add(isa::TaskBegin{number});
  for (const isa::Operation& operation : operations)
    program.add(operation);
  program.add(isa::TaskEnd{number});
  return program;
}

TEST(TaskBoard, AnIdleCoreStartsWhenTheTaskBeforeHasItsLastByteInMemory) {
  Tasks tasks;
  After first(tasks, 0, task(0, {fill(0, 7, 64), store(0, 0, 0, 64)}));
  After second(tasks, 1, task(1, {load(0, 0, 0, 64), store(0, 0, 1024, 64)}));
  Machine machine(round_machine(), {4096}, {{0, 0, &first, 0}, {0, 1, &second, 0}}, &tasks);
  Recorder recorder;
  machine.attach(recorder);
  const RunReport report = machine.run();
  EXPECT_EQ(report.outcome, Outcome::finished);
  EXPECT_EQ(read_ints(machine, 0, 1024, 64), std::vector<std::int32_t>(64, 7));
  const auto loads = recorder.of(Pipe::mte2);
  ASSERT_EQ(loads.size(), 1u);
  EXPECT_EQ(loads[0].begin, report.core_end[0]);
  EXPECT_EQ(loads[0].begin, recorder.of(Pipe::mte3)[0].end);
  EXPECT_EQ(tasks.log_ended, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(tasks.log_complete, (std::vector<std::uint32_t>{0, 1}));
}

TEST(TaskBoard, CoresWorkSideBySideEachWithPipesAndBufferOfItsOwn) {
  // Two cores fill the same place of their unified buffer; alone each takes as long as both.
  const auto work = [](std::uint32_t number) {
    return task(number, {fill(0, static_cast<std::int64_t>(number) + 1, 512),
                         store(0, 0, number * 2048, 512)});
  };
  const auto run = [&](std::size_t cores) {
    Tasks tasks;
    std::vector<std::unique_ptr<After>> sources;
    std::vector<CoreProgram> programs;
    for (std::uint32_t core = 0; core < cores; ++core) {
      sources.push_back(std::make_unique<After>(tasks, 0, work(core)));
      programs.push_back({0, core, sources.back().get(), 0});
    }
    Machine machine(round_machine(), {8192}, programs, &tasks);
    const RunReport report = machine.run();
    for (std::uint32_t core = 0; core < cores; ++core) {
      EXPECT_EQ(read_ints(machine, 0, core * 2048, 512),
                std::vector<std::int32_t>(512, static_cast<std::int32_t>(core) + 1));
    }
    return report.end;
  };
  // The memory is a thousand times faster than one store.
  EXPECT_LT(run(4), run(1) + 100 * kNs);
}

TEST(TaskBoard, ACoreThatStaysIdleIsNotStuck) {
  Tasks tasks;
  After first(tasks, 0, task(0, {fill(0, 1, 8)}));
  After second(tasks, 5, task(1, {fill(0, 1, 8)}));
  Machine machine(round_machine(), {4096}, {{0, 0, &first, 0}, {0, 1, &second, 0}}, &tasks);
  EXPECT_EQ(machine.run().outcome, Outcome::finished);
}

TEST(TaskBoard, ACoreThatWaitsForASignalLeavesTheOthersIdle) {
  Tasks tasks;
  After first(tasks, 0, task(0, {wait(0, 0, 1)}));
  After second(tasks, 1, task(1, {fill(0, 1, 8)}));
  Machine machine(round_machine(), {4096}, {{0, 0, &first, 0}, {0, 1, &second, 0}}, &tasks);
  const RunReport report = machine.run();
  EXPECT_EQ(report.outcome, Outcome::deadlock);
  ASSERT_EQ(report.blocked.size(), 1u);
  EXPECT_EQ(report.blocked[0].core, 0u);
}

}  // namespace
}  // namespace a2a3::sim::task_board_test
