// SPDX-License-Identifier: Apache-2.0
// Random kernels against a direct evaluation of the same program: scalars and INT32 tiles through
// loops, branches, break and continue. The unified buffer is as small as the live tiles allow, so a
// tile that is freed too late overflows and one that is freed too early has wrong content.
#include <array>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernel_text.hpp"
#include "kernels.hpp"

namespace a2a3::interp::random_program_test {
namespace {

constexpr int kScalars = 4;
constexpr int kTiles = 3;
constexpr int kCols = 64;
constexpr std::uint64_t kTileBytes = kCols * 4;

using Row = std::array<std::int32_t, kCols>;

/// The state of the reference evaluation.
struct State {
  std::array<std::uint64_t, kScalars> scalars{};
  std::array<Row, kTiles> tiles{};
  std::array<std::uint64_t, 4> loops{};  ///< loop variables by depth
};

enum class Flow : std::uint8_t { next, leave, skip };

/// Writes a random program and evaluates it at the same time, statement by statement: a loop's body
/// is written once and evaluated as often as it runs.
class Program {
 public:
  explicit Program(unsigned seed) : random_(seed) {}

  struct Node {
    std::string text;                        ///< one line, or the head of a block
    std::function<Flow(State&)> run;         ///< of a simple statement
    std::function<bool(const State&)> test;  ///< of an if
    std::uint64_t count = 0;                 ///< of a for
    int depth = 0;                           ///< of a for: its loop variable
    enum class Kind : std::uint8_t { simple, branch, loop } kind = Kind::simple;
    std::vector<Node> body;
    std::vector<Node> otherwise;
  };

  std::vector<Node> block(int size, int loop_depth, int nesting) {
    std::vector<Node> nodes;
    for (int i = 0; i < size; ++i)
      nodes.push_back(statement(loop_depth, nesting));
    return nodes;
  }

  static std::string text(const std::vector<Node>& nodes, int indent) {
    const std::string blanks(static_cast<std::size_t>(indent), ' ');
    std::string out;
    for (const Node& node : nodes) {
      out += blanks + node.text + "\n";
      if (node.kind != Node::Kind::simple) out += text(node.body, indent + 4);
      if (!node.otherwise.empty()) out += blanks + "else:\n" + text(node.otherwise, indent + 4);
    }
    return out;
  }

  static Flow run(const std::vector<Node>& nodes, State& state) {
    for (const Node& node : nodes) {
      Flow flow = Flow::next;
      if (node.kind == Node::Kind::simple) {
        flow = node.run(state);
      } else if (node.kind == Node::Kind::branch) {
        flow = run(node.test(state) ? node.body : node.otherwise, state);
      } else {
        for (std::uint64_t i = 0; i < node.count; ++i) {
          state.loops[static_cast<std::size_t>(node.depth)] = i;
          if (run(node.body, state) == Flow::leave) break;
        }
      }
      if (flow != Flow::next) return flow;
    }
    return Flow::next;
  }

 private:
  using Scalar = std::function<std::uint64_t(const State&)>;

  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  std::pair<std::string, Scalar> scalar(int depth, int loop_depth) {
    const int kind = depth == 0 ? pick(3) : pick(8);
    if (kind == 0) {
      const int value = pick(100);
      return {std::to_string(value),
              [value](const State&) { return static_cast<std::uint64_t>(value); }};
    }
    if (kind == 1 && loop_depth > 0) {
      const auto which = static_cast<std::size_t>(pick(loop_depth));
      return {fmt::format("i{}", which), [which](const State& s) { return s.loops[which]; }};
    }
    if (kind <= 2) {
      const auto which = static_cast<std::size_t>(pick(kScalars));
      return {fmt::format("v{}", which), [which](const State& s) { return s.scalars[which]; }};
    }
    const auto [left_text, left] = scalar(depth - 1, loop_depth);
    const auto [right_text, right] = scalar(depth - 1, loop_depth);
    switch (kind) {
      case 3:
        return {fmt::format("({} + {})", left_text, right_text),
                [l = left, r = right](const State& s) { return l(s) + r(s); }};
      case 4:
        return {fmt::format("({} - {})", left_text, right_text),
                [l = left, r = right](const State& s) { return l(s) - r(s); }};
      case 5:
        return {fmt::format("({} * {})", left_text, right_text),
                [l = left, r = right](const State& s) { return l(s) * r(s); }};
      case 6:  // a divisor in 1..19
        return {fmt::format("({} // ({} % 10 + 10))", left_text, right_text),
                [l = left, r = right](const State& s) {
                  const auto divisor = static_cast<std::int64_t>(r(s)) % 10 + 10;
                  return static_cast<std::uint64_t>(static_cast<std::int64_t>(l(s)) / divisor);
                }};
      default:
        return {fmt::format("pl.max({}, {})", left_text, right_text),
                [l = left, r = right](const State& s) {
                  return static_cast<std::uint64_t>(
                      std::max(static_cast<std::int64_t>(l(s)), static_cast<std::int64_t>(r(s))));
                }};
    }
  }

  Node statement(int loop_depth, int nesting) {
    const int kind = pick(nesting > 0 ? 10 : 6);
    Node node;
    if (kind < 2) {
      const auto into = static_cast<std::size_t>(pick(kScalars));
      const auto [text, value] = scalar(2, loop_depth);
      node.text = fmt::format("v{} = {} % 1000", into, text);
      node.run = [into, value = value](State& s) {
        s.scalars[into] = static_cast<std::uint64_t>(static_cast<std::int64_t>(value(s)) % 1000);
        return Flow::next;
      };
    } else if (kind < 6) {
      tile_statement(node);
    } else if (kind < 8 && loop_depth < 3) {
      node.kind = Node::Kind::loop;
      node.count = static_cast<std::uint64_t>(pick(4));
      node.depth = loop_depth;
      node.text = fmt::format("for i{} in pl.range({}):", loop_depth, node.count);
      node.body = block(1 + pick(4), loop_depth + 1, nesting - 1);
      if (pick(3) == 0) node.body.push_back(exit_if(loop_depth + 1));
      node.body.push_back(statement(loop_depth + 1, 0));
    } else {
      const auto [left_text, left] = scalar(1, loop_depth);
      const auto [right_text, right] = scalar(1, loop_depth);
      node.kind = Node::Kind::branch;
      node.text = fmt::format("if {} < {} + v0 * 0:", left_text, right_text);
      node.test = [l = left, r = right](const State& s) {
        return static_cast<std::int64_t>(l(s)) < static_cast<std::int64_t>(r(s));
      };
      node.body = block(1 + pick(3), loop_depth, nesting - 1);
      if (pick(2) == 0) node.otherwise = block(1 + pick(3), loop_depth, nesting - 1);
    }
    return node;
  }

  Node exit_if(int loop_depth) {
    const auto which = static_cast<std::size_t>(loop_depth - 1);
    const bool leaves = pick(2) == 0;
    Node node;
    node.kind = Node::Kind::branch;
    node.text = fmt::format("if i{} == 1:", which);
    node.test = [which](const State& s) { return s.loops[which] == 1; };
    Node jump;
    jump.text = leaves ? "break" : "continue";
    jump.run = [leaves](State&) { return leaves ? Flow::leave : Flow::skip; };
    node.body.push_back(std::move(jump));
    return node;
  }

  void tile_statement(Node& node) {
    const auto into = static_cast<std::size_t>(pick(kTiles));
    const auto a = static_cast<std::size_t>(pick(kTiles));
    const auto b = static_cast<std::size_t>(pick(kTiles));
    const auto c = static_cast<std::size_t>(pick(kTiles));
    const int kind = pick(5);
    const auto each = [into](auto value) {
      return [into, value](State& s) {
        Row result{};
        for (std::size_t i = 0; i < kCols; ++i)
          result[i] = value(s, i);
        s.tiles[into] = result;
        return Flow::next;
      };
    };
    const auto wide = [](std::int32_t x) { return static_cast<std::uint32_t>(x); };
    switch (kind) {
      case 0:
        node.text = fmt::format("t{} = t{}", into, a);
        node.run = each([a](const State& s, std::size_t i) { return s.tiles[a][i]; });
        break;
      case 1:
        node.text = fmt::format("t{} = pl.load(x, [0, 0], [1, {}])", into, kCols);
        node.run = each([](const State&, std::size_t i) { return static_cast<std::int32_t>(i); });
        break;
      case 2:
        node.text = fmt::format("t{} = t{} + t{} - t{}", into, a, b, c);
        node.run = each([=](const State& s, std::size_t i) {
          return static_cast<std::int32_t>(wide(s.tiles[a][i]) + wide(s.tiles[b][i]) -
                                           wide(s.tiles[c][i]));
        });
        break;
      case 3:
        node.text = fmt::format("t{} = pl.maximum(t{}, t{} * pl.cast(v1, pl.INT32))", into, a, b);
        node.run = each([=](const State& s, std::size_t i) {
          const auto product = static_cast<std::int32_t>(wide(s.tiles[b][i]) *
                                                         static_cast<std::uint32_t>(s.scalars[1]));
          return std::max(s.tiles[a][i], product);
        });
        break;
      default:
        node.text = fmt::format("t{} = pl.minimum(1000 - t{}, t{})", into, a, b);
        node.run = each([=](const State& s, std::size_t i) {
          return std::min(static_cast<std::int32_t>(1000u - wide(s.tiles[a][i])), s.tiles[b][i]);
        });
    }
  }

  std::mt19937 random_;
};

TEST(RandomPrograms, EqualADirectEvaluation) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Program program(seed);
    const auto nodes = program.block(12, 0, 3);
    State state;
    std::string body;
    for (std::size_t i = 0; i < kScalars; ++i) {
      body += fmt::format("    v{} = r + {}\n", i, 7 * i + 1);
      state.scalars[i] = 7 * i + 1;
    }
    for (std::size_t i = 0; i < kTiles; ++i) {
      body += fmt::format("    t{} = pl.load(x, [{}, 0], [1, {}])\n", i, i, kCols);
      for (std::size_t col = 0; col < kCols; ++col) {
        state.tiles[i][col] = static_cast<std::int32_t>(i * kCols + col);
      }
    }
    body += Program::text(nodes, 4);
    for (int i = 0; i < kTiles; ++i)
      body += fmt::format("    pl.store(t{0}, [{0}, 0], y)\n", i);
    for (int i = 0; i < kScalars; ++i)
      body += fmt::format("    pl.write(y, [3, {0}], v{0})\n", i);
    Program::run(nodes, state);

    TextOptions options;
    options.ranks = 1;
    options.limits.ub_bytes = (kTiles + 2) * kTileBytes;  // two intermediate results
    options.input = [](const std::string& name, std::int64_t i) {
      return name == "x" ? static_cast<double>(i) : 0.0;
    };
    const TextRun run = run_text(around(body, "4", "64", "INT32"), options);
    ASSERT_TRUE(run.finished()) << "seed " << seed << "\n" << run.text() << body;
    const isa::Array& y = run.arrays.at("y");
    for (std::int64_t tile = 0; tile < kTiles; ++tile) {
      for (std::int64_t col = 0; col < kCols; ++col) {
        ASSERT_EQ(y.at(tile * kCols + col),
                  state.tiles[static_cast<std::size_t>(tile)][static_cast<std::size_t>(col)])
            << "seed " << seed << ", t" << tile << "[" << col << "]\n"
            << body;
      }
    }
    for (std::size_t i = 0; i < kScalars; ++i) {
      ASSERT_EQ(y.at(std::int64_t{3} * kCols + static_cast<std::int64_t>(i)),
                static_cast<std::int32_t>(state.scalars[i]))
          << "seed " << seed << ", v" << i << "\n"
          << body;
    }
  }
}

}  // namespace
}  // namespace a2a3::interp::random_program_test
