// SPDX-License-Identifier: Apache-2.0
// all_to_all_v with counts at and outside of the limits (edge_cases.md, part 2, case 11).
#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "collectives/program.hpp"

namespace a2a3::collectives::collectives_counts_test {
namespace {

using Kind = Parameter::Kind;

constexpr std::int64_t kRanks = 4;
constexpr std::int64_t kRows = 3;  ///< MAX_RECV
constexpr std::int64_t kCols = 17;
constexpr double kSentinel = -7;
constexpr std::int64_t kCounts[] = {-1, 0, kRows, kRows + 3};

std::int64_t count(std::int64_t from, std::int64_t to) {
  return kCounts[(from + to) % std::ssize(kCounts)];
}

double element(std::int64_t rank, std::int64_t i) {
  return static_cast<double>(rank * 1000 + i);
}

double input(const std::string& name, std::int64_t rank, std::int64_t i) {
  if (name == "counts") return static_cast<double>(count(rank, i));
  return name == "blank" ? kSentinel : element(rank, i);
}

/// Copies the rows that came in over a y full of sentinels.
std::string counts_program() {
  const std::string body = fmt::format(
      R"(win = pld.tensor.all_to_all_v(x, win, sig, counts, recv)
for q in pl.range({0}):
    got = pl.read(recv, [q, 0])
    pl.write(received, [q, 0], got)
    for k in pl.range({1}):
        y = pl.store({2}, [q * {1} + k, 0], y)
    for k in pl.range(got):
        y = pl.store({3}, [q * {1} + k, 0], y)
)",
      kRanks, kRows, load_row("blank", "0", kCols),
      load_row("win", fmt::format("q * {} + k", kRows), kCols));
  constexpr std::int64_t kAll = kRanks * kRows;
  return program({{Kind::in, "x", {kAll, kCols}},
                  {Kind::in, "blank", {1, kCols}},
                  {Kind::out, "y", {kAll, kCols}},
                  {Kind::window, "win", {kAll, kCols}},
                  {Kind::window, "sig", {kRanks, 1}, isa::DType::int32},
                  {Kind::in, "counts", {kRanks, 1}, isa::DType::int32},
                  {Kind::out, "received", {kRanks, 1}, isa::DType::int32},
                  {Kind::window, "recv", {kRanks, 1}, isa::DType::int32}},
                 body);
}

TEST(EdgeCase11, CountsAreClampedAndRowsBeyondThemKeepTheirSentinel) {
  const ProgramRun timed = run(counts_program(), kRanks, input, Engine::timed);
  ASSERT_TRUE(timed.finished()) << timed.text();
  for (std::int64_t rank = 0; rank < kRanks; ++rank) {
    for (std::int64_t q = 0; q < kRanks; ++q) {
      const std::int64_t got = std::clamp<std::int64_t>(count(q, rank), 0, kRows);
      EXPECT_EQ(timed.at("received", rank, q), static_cast<double>(got));
      for (std::int64_t i = 0; i < kRows * kCols; ++i) {
        const double sent = element(q, rank * kRows * kCols + i);
        ASSERT_EQ(timed.at("y", rank, q * kRows * kCols + i), i / kCols < got ? sent : kSentinel)
            << "rank " << rank << " block " << q << " element " << i;
      }
    }
    // The whole capacity is moved, whatever the counts.
    constexpr std::uint64_t kBlock = kRows * kCols * 4;
    EXPECT_EQ(traffic(timed, rank).received, (kRanks - 1) * kBlock);
    EXPECT_EQ(traffic(timed, rank).sent, (kRanks - 1) * kBlock);
    EXPECT_EQ(traffic(timed, rank).local, kBlock);
  }
}

}  // namespace
}  // namespace a2a3::collectives::collectives_counts_test
