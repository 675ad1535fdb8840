// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "random_program.hpp"

namespace a2a3::collectives {
namespace {

using Values = std::vector<double>;
using PerRank = std::vector<Values>;

/// To nearest, ties to even, in a binary format of `digits` bits whose smallest step is 2^lowest.
double rounded(double value, int digits, int lowest) {
  int exponent = 0;
  (void)std::frexp(value, &exponent);
  const int step = std::max(exponent - digits, lowest);
  return std::ldexp(std::nearbyint(std::ldexp(value, -step)), step);
}

double rounded(double value, isa::DType dtype) {
  switch (dtype) {
    case isa::DType::fp32:
      return rounded(value, 24, -149);
    case isa::DType::fp16:
      return rounded(value, 11, -24);
    case isa::DType::bf16:
      return rounded(value, 8, -133);
    default:
      return value;
  }
}

double combine(Reduce op, double a, double b, isa::DType dtype) {
  switch (op) {
    case Reduce::sum:
      return rounded(a + b, dtype);
    case Reduce::max:
      return std::max(a, b);
    case Reduce::min:
      return std::min(a, b);
    case Reduce::prod:
      break;
  }
  return rounded(a * b, dtype);
}

std::uint64_t mixed(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// A value of the dtype, never zero, of magnitude at most 2 (float) or 10.
double element_of(isa::DType dtype, std::uint64_t bits) {
  const double sign = (bits & 1U) != 0 ? -1 : 1;
  const auto up_to = [&](std::uint64_t n) { return static_cast<double>((bits >> 1U) % n + 1); };
  switch (dtype) {
    case isa::DType::fp32:
      return sign * up_to(1U << 24U) / (1U << 23U);
    case isa::DType::fp16:
      return sign * up_to(1U << 11U) / (1U << 10U);
    case isa::DType::bf16:
      return sign * up_to(1U << 8U) / (1U << 7U);
    default:
      return sign * up_to(10);
  }
}

class Interpreter {
 public:
  explicit Interpreter(const RandomProgram& program) : program_(program) {
    const auto ranks = static_cast<std::size_t>(program.ranks);
    for (std::size_t w = 0; w < program.windows.size(); ++w) {
      const DataWindow& data = program.windows[w];
      const auto size = static_cast<std::size_t>(data.rows * data.cols);
      windows_.emplace_back(ranks, Values(size, 0));
      published_.emplace_back(ranks, Values(size, 0));
      counts_.emplace_back(ranks, Values(ranks, 0));
      output(fmt::format("y{}", w), data.recorded * data.cols,
             std::numeric_limits<double>::quiet_NaN());
      output(fmt::format("got{}", w), data.counts_recorded,
             std::numeric_limits<double>::quiet_NaN());
    }
    for (std::size_t i = 0; i < program.mesh_signals; ++i)
      output(fmt::format("s{}_left", i), program.ranks, 0);
    for (std::size_t i = 0; i < program.ring_signals; ++i)
      output(fmt::format("ring{}_left", i), program.ring_rows() * program.ranks, 0);
    if (!program.on_host) return;
    output("flat_left", program.ranks, 0);
    output("other_left", program.ranks, 0);
    output("lanes_left", program.ranks * kLanes, 0);
    output("ring_left", (2 * (program.ranks - 1) + 1) * program.ranks, 0);
  }

  Expected run() {
    block(program_.statements);
    return std::move(outputs_);
  }

 private:
  void output(const std::string& name, std::int64_t size, double value) {
    outputs_[name].assign(static_cast<std::size_t>(program_.ranks),
                          Values(static_cast<std::size_t>(size), value));
  }
  [[nodiscard]] std::size_t ranks() const { return static_cast<std::size_t>(program_.ranks); }

  void block(const std::vector<Statement>& statements) {
    for (const Statement& statement : statements)
      execute(statement);
  }

  [[nodiscard]] std::size_t first_row(const Statement& statement, std::int64_t rows) const {
    std::int64_t round = 0;
    for (const auto& [index, trips] : loops_)
      round = round * trips + index;
    return static_cast<std::size_t>(statement.first_row + round * rows);
  }

  void execute(const Statement& statement) {
    const std::size_t w = statement.window;
    const DataWindow& data = program_.windows[w];
    const auto cols = static_cast<std::size_t>(data.cols);
    PerRank& window = windows_[w];
    const auto given = [&](const char* name, std::size_t rank, std::size_t i) {
      return input(program_, fmt::format("{}{}", name, w), static_cast<std::int64_t>(rank),
                   static_cast<std::int64_t>(i));
    };
    const auto for_each = [&](auto action) {
      for (std::size_t rank = 0; rank < ranks(); ++rank) {
        for (std::size_t i = 0; i < window[rank].size(); ++i)
          action(rank, i);
      }
    };
    switch (statement.act) {
      case Act::stage:
        return for_each([&](auto rank, auto i) { window[rank][i] = given("a", rank, i); });
      case Act::add:
        return for_each([&](auto rank, auto i) {
          window[rank][i] = rounded(window[rank][i] + given("a", rank, i), data.dtype);
        });
      case Act::record: {
        PerRank& y = outputs_[fmt::format("y{}", w)];
        const std::size_t at = first_row(statement, data.rows) * cols;
        return for_each([&](auto rank, auto i) { y[rank][at + i] = window[rank][i]; });
      }
      case Act::record_counts: {
        PerRank& got = outputs_[fmt::format("got{}", w)];
        const std::size_t at = first_row(statement, program_.ranks);
        for (std::size_t rank = 0; rank < ranks(); ++rank)
          std::ranges::copy(counts_[w][rank], got[rank].begin() + static_cast<std::ptrdiff_t>(at));
        return;
      }
      case Act::barrier:
        return;
      case Act::broadcast:
        window.assign(ranks(), Values(window[static_cast<std::size_t>(statement.root)]));
        return;
      case Act::mesh:
        return mesh(window, statement.op, data.dtype);
      case Act::ring:
        return ring(window, statement.op, data.dtype);
      case Act::publish:
        published_[w] = window;
        return;
      case Act::dispatch:
        return block(statement.body);
      case Act::allgather:
        return for_each([&](auto rank, auto i) {
          window[rank][i] = statement.on_host ? published_[w][i / cols][i % cols]
                                              : given("x", i / cols, i % cols);
        });
      case Act::reduce_scatter:
        return reduce_scatter(window, cols, data.dtype);
      case Act::all_to_all:
      case Act::all_to_all_v: {
        // Block q of rank r is block r of rank q's input.
        const std::size_t block = window[0].size() / ranks();
        for_each([&](auto rank, auto i) {
          const std::size_t from = rank * block + i % block;
          window[rank][i] =
              statement.on_host ? published_[w][i / block][from] : given("a", i / block, from);
        });
        if (statement.act == Act::all_to_all) return;
        for (std::size_t rank = 0; rank < ranks(); ++rank) {
          for (std::size_t peer = 0; peer < ranks(); ++peer) {
            counts_[w][rank][peer] = std::min(given("counts", peer, rank),
                                              static_cast<double>(data.rows / program_.ranks));
          }
        }
        return;
      }
      case Act::for_loop:
      case Act::while_loop: {
        const std::int64_t rounds = statement.flag < 0
                                        ? statement.trips
                                        : program_.flags[static_cast<std::size_t>(statement.flag)];
        loops_.emplace_back(0, statement.trips);
        for (std::int64_t i = 0; i < rounds; ++i) {
          loops_.back().first = i;
          block(statement.body);
        }
        loops_.pop_back();
        return;
      }
      case Act::branch: {
        const Condition& condition = statement.condition;
        const std::int64_t value = condition.reads_flag
                                       ? program_.flags[static_cast<std::size_t>(condition.index)]
                                       : loops_.back().first;
        return block(value > condition.bound ? statement.body : statement.otherwise);
      }
    }
  }

  /// Own value first, then the peers by rank.
  void mesh(PerRank& window, Reduce op, isa::DType dtype) const {
    const PerRank before = window;
    for (std::size_t rank = 0; rank < ranks(); ++rank) {
      for (std::size_t peer = 0; peer < ranks(); ++peer) {
        if (peer == rank) continue;
        for (std::size_t i = 0; i < before[peer].size(); ++i)
          window[rank][i] = combine(op, window[rank][i], before[peer][i], dtype);
      }
    }
  }

  void reduce_scatter(PerRank& window, std::size_t cols, isa::DType dtype) const {
    const PerRank before = window;
    for (std::size_t rank = 0; rank < ranks(); ++rank) {
      for (std::size_t peer = 0; peer < ranks(); ++peer) {
        if (peer == rank) continue;
        for (std::size_t i = rank * cols; i < (rank + 1) * cols; ++i)
          window[rank][i] = combine(Reduce::sum, window[rank][i], before[peer][i], dtype);
      }
    }
  }

  /// Round by round: every rank takes a segment of its left neighbour, into its own value in the
  /// first phase, as it is in the second.
  void ring(PerRank& window, Reduce op, isa::DType dtype) const {
    const std::size_t p = ranks();
    const std::size_t n = window[0].size();
    const auto boundary = [&](std::size_t i) {
      if (dtype == isa::DType::fp32) return i * n / p;
      return std::min(n, (i * n + 16 * p - 1) / (16 * p) * 16);
    };
    for (std::size_t round = 0; round < 2 * (p - 1); ++round) {
      const bool reduces = round < p - 1;
      const std::size_t step = reduces ? round : round - (p - 1);
      const PerRank before = window;
      for (std::size_t rank = 0; rank < p; ++rank) {
        const std::size_t segment = (rank + 2 * p - step - (reduces ? 2 : 1)) % p;
        const Values& left = before[(rank + p - 1) % p];
        for (std::size_t i = boundary(segment); i < boundary(segment + 1); ++i)
          window[rank][i] = reduces ? combine(op, window[rank][i], left[i], dtype) : left[i];
      }
    }
  }

  const RandomProgram& program_;
  std::vector<PerRank> windows_;
  std::vector<PerRank> published_;
  std::vector<PerRank> counts_;  ///< recv_counts
  Expected outputs_;
  std::vector<std::pair<std::int64_t, std::int64_t>> loops_;  ///< index and most rounds
};

}  // namespace

double input(const RandomProgram& program, const std::string& name, std::int64_t rank,
             std::int64_t i) {
  if (name == "flags") return static_cast<double>(program.flags[static_cast<std::size_t>(i)]);
  const auto w = static_cast<std::size_t>(name.back() - '0');
  std::uint64_t bits = mixed(program.seed);
  for (const std::int64_t part :
       {std::int64_t{name.front()}, static_cast<std::int64_t>(w), rank, i})
    bits = mixed(bits ^ static_cast<std::uint64_t>(part));
  const DataWindow& data = program.windows[w];
  if (name.starts_with("counts")) {
    // Also more than there is room for.
    return static_cast<double>(bits % static_cast<std::uint64_t>(data.rows / program.ranks + 3));
  }
  return element_of(data.dtype, bits);
}

Expected interpret(const RandomProgram& program) {
  return Interpreter(program).run();
}

}  // namespace a2a3::collectives
