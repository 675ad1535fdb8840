// SPDX-License-Identifier: Apache-2.0
#include "checks.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "ir/printer.hpp"

namespace a2a3::collectives {
namespace {

void expect_result(const Contract& contract, const Size& at, const ProgramRun& run) {
  const auto x = [&](std::int64_t rank, std::int64_t row, std::int64_t col) {
    return element(rank, row * at.size + col);
  };
  const std::int64_t part = run.result.outputs.at("y").elements() / at.ranks;
  for (std::int64_t rank = 0; rank < at.ranks; ++rank) {
    for (std::int64_t i = 0; i < part; ++i) {
      ASSERT_EQ(run.at("y", rank, i), contract.expected(at, x, rank, i / at.size, i % at.size))
          << "rank " << rank << " element " << i;
    }
    if (contract.name != "allToAllV") continue;
    for (std::int64_t q = 0; q < at.ranks; ++q) {
      ASSERT_EQ(run.at("received", rank, q),
                static_cast<double>(std::clamp<std::int64_t>(sent_rows(q, rank), 0, kCapacity)));
    }
  }
}

}  // namespace

double input(const std::string& name, std::int64_t rank, std::int64_t i) {
  return name == "counts" ? static_cast<double>(sent_rows(rank, i)) : element(rank, i);
}

void check_result_and_traffic(const Contract& contract, const Size& at, const std::string& text) {
  const ProgramRun timed = run(text, at.ranks, input, Engine::timed);
  ASSERT_TRUE(timed.finished()) << timed.text() << text;
  expect_result(contract, at, timed);
  for (std::int64_t rank = 0; rank < at.ranks; ++rank) {
    EXPECT_EQ(to_string(traffic(timed, rank)), to_string(contract.traffic(at, rank)))
        << "rank " << rank;
    const sim::Traffic& counted = timed.result.cost.ranks[static_cast<std::size_t>(rank)].traffic;
    EXPECT_EQ(counted.signals_received, counted.signals_sent);
  }
}

void check_orders(const Contract& contract, const Size& at, const std::string& text) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const ProgramRun untimed = run(text, at.ranks, input, Engine::untimed, seed);
    ASSERT_TRUE(untimed.finished()) << untimed.text() << text;
    expect_result(contract, at, untimed);
  }
}

void check_reread(const Contract& contract, const Size& at, const std::string& text) {
  const ProgramRun first = run(text, at.ranks, input, Engine::timed);
  ASSERT_TRUE(first.finished()) << first.text();
  const std::string printed = ir::print(*first.module);
  const ProgramRun second = run(printed, at.ranks, input, Engine::timed);
  ASSERT_TRUE(second.finished()) << second.text() << printed;
  EXPECT_EQ(ir::print(*second.module), printed);
  expect_result(contract, at, second);
  EXPECT_EQ(second.result.end, first.result.end);
  for (std::int64_t rank = 0; rank < at.ranks; ++rank)
    EXPECT_EQ(traffic(second, rank), traffic(first, rank));
}

}  // namespace a2a3::collectives
