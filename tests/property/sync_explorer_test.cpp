// SPDX-License-Identifier: Apache-2.0
// The explorer of interleavings finds the one order in which a kernel is wrong, and no wrong one of
// a right kernel.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "collectives/program.hpp"
#include "sync/edge_removal.hpp"
#include "sync/explorer.hpp"
#include "sync/sync_program.hpp"

namespace a2a3::sync::sync_explorer_test {
namespace {

using Kind = collectives::Parameter::Kind;
using Verdict = Exploration::Verdict;

constexpr std::int64_t kCols = 8;

/// x [3, 8] and y [3, 8] of each rank, the window w [3, 8], and the cells s [3, 1].
std::string kernel(const std::vector<std::string>& lines) {
  std::string body =
      "ctx = pld.get_comm_ctx(w)\nme = pld.rank(ctx)\nn = pld.nranks(ctx)\n"
      "left = (me + n - 1) % n\nright = (me + 1) % n\n";
  for (const std::string& line : lines)
    body += line + '\n';
  return collectives::program({{Kind::in, "x", {3, kCols}},
                               {Kind::out, "y", {3, kCols}},
                               {Kind::window, "w", {3, kCols}},
                               {Kind::window, "s", {3, 1}, isa::DType::int32}},
                              body);
}

std::string notify(const std::string& peer, int value, const std::string& op = "AtomicAdd") {
  return fmt::format("pld.system.notify(s, peer={}, offsets=[0, 0], value={}, op=pld.NotifyOp.{})",
                     peer, value, op);
}
std::string wait(int expected, const std::string& cmp = "Ge") {
  return fmt::format("pld.system.wait(s, offsets=[0, 0], expected={}, cmp=pld.WaitCmp.{})",
                     expected, cmp);
}
std::string put(const std::string& peer, int to, int from) {
  return fmt::format("pld.tensor.put(w, {}, x, [{}, 0], [{}, 0], [1, {}])", peer, to, from, kCols);
}
std::string copy(int from, int to) {
  return fmt::format("y = pl.store(pl.load(w, [{}, 0], [1, {}]), [{}, 0], y)", from, kCols, to);
}

/// Against the outputs of a run in the engine's usual order.
Exploration explore_all(const std::string& text, std::int64_t ranks) {
  collectives::ProgramRun run = collectives::lower(text, ranks);
  EXPECT_FALSE(run.diagnostics.has_errors()) << run.text();
  const Inputs inputs = collectives::inputs_of(
      *run.module, ranks, [](const std::string&, std::int64_t rank, std::int64_t i) {
        return static_cast<double>(rank * 100 + i + 1);
      });
  execute(run, ranks, inputs, Engine::untimed);
  EXPECT_TRUE(run.finished()) << run.text();
  return explore(*run.module, ranks, inputs, run.result.outputs);
}

TEST(Explorer, RunsOnceWhereTheOrderCannotMatter) {
  const Exploration all =
      explore_all(kernel({put("right", 0, 0), notify("right", 1), wait(1), copy(0, 0)}), 3);
  EXPECT_EQ(all.verdict, Verdict::same);
  EXPECT_EQ(all.runs, 1);
  EXPECT_EQ(all.states, 0);
}

TEST(Explorer, FindsAReadThatMayComeTooEarly) {
  const Exploration all = explore_all(
      kernel({put("right", 0, 0), notify("right", 1), wait(1), copy(0, 0), put("right", 0, 1)}), 3);
  EXPECT_EQ(all.verdict, Verdict::differs);
  EXPECT_EQ(all.difference.substr(0, 9), "y of rank");
}

TEST(Explorer, FindsACreditThatStandsInForAnother) {
  // Both neighbours count in one cell, and nothing holds the one back for the other.
  const Exploration all = explore_all(
      kernel({put("right", 0, 0), notify("right", 1), put("left", 1, 0), notify("left", 1), wait(2),
              copy(0, 0), copy(1, 1), put("right", 2, 1), notify("right", 1), wait(3)}),
      3);
  EXPECT_EQ(all.verdict, Verdict::differs);
}

TEST(Explorer, FindsASetThatWipesACreditOut) {
  // edge_cases.md, part 2, case 2: the second credit may come before the reset.
  const Exploration all = explore_all(
      kernel({notify("right", 1), wait(1), notify("me", 0, "Set"), notify("right", 1), wait(1)}),
      2);
  EXPECT_EQ(all.verdict, Verdict::deadlock);
}

TEST(Explorer, FindsAValueThatIsMissed) {
  // Case 3: both credits may come before the waiter looks.
  const Exploration all =
      explore_all(kernel({"if me == 0:", "    " + notify("1", 1), "    " + notify("1", 1),
                          "else:", "    " + wait(1, "Eq")}),
                  2);
  EXPECT_EQ(all.verdict, Verdict::deadlock);
}

TEST(Explorer, LooksAtOrdersThatGiveTheSame) {
  // Both may come first, and the value is the same.
  const std::string add =
      "pld.tile.remote_store(pl.load(x, [0, 0], [1, 8]), target=w, peer=0, offsets=[0, 0], "
      "atomic=pld.AtomicType.Add)";
  const Exploration all = explore_all(
      kernel({add, notify("0", 1), "if me == 0:", "    " + wait(2), "    " + copy(0, 0)}), 2);
  EXPECT_EQ(all.verdict, Verdict::same);
  EXPECT_EQ(all.states, 1);
  EXPECT_EQ(all.runs, 2);
}

TEST(Explorer, DoesNotLookAtAStateTwice) {
  // 3 ranks write a row 3 times each: 9! / (3! 3! 3!) = 1680 interleavings.
  const Exploration all = explore_all(kernel({put("0", 0, 0), put("0", 0, 0), put("0", 0, 0)}), 3);
  EXPECT_EQ(all.verdict, Verdict::same);
  EXPECT_GT(all.states, 27);
  EXPECT_LT(all.runs, 400);
}

TEST(Explorer, IsUndecidedWhenThereAreTooMany) {
  collectives::ProgramRun run =
      collectives::lower(kernel({put("0", 0, 0), put("0", 0, 0), put("0", 0, 0)}), 3);
  const Inputs inputs = collectives::inputs_of(
      *run.module, 3, [](const std::string&, std::int64_t, std::int64_t) { return 1.0; });
  EXPECT_EQ(explore(*run.module, 3, inputs, {}, 5).verdict, Verdict::undecided);
}

/// Whatever a random order of the cores brings out, the explorer finds.
TEST(Explorer, FindsWhatRandomOrdersFind) {
  int wrong = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const SyncProgram program = sync_program(seed, 3);
    std::mt19937_64 random(seed);
    collectives::Edits edits;
    edits.checked = [&](ir::Module& module) { remove_edge(module, random); };
    collectives::ProgramRun original = collectives::lower(program.text, program.ranks);
    collectives::ProgramRun mutant = collectives::lower(program.text, program.ranks, edits);
    const Inputs inputs =
        collectives::inputs_of(*original.module, program.ranks,
                               [&](const std::string&, std::int64_t rank, std::int64_t i) {
                                 return program.x(rank, i / program.cols, i % program.cols);
                               });
    execute(original, program.ranks, inputs, Engine::untimed);
    const auto is_wrong = [&] {
      return !mutant.finished() ||
             mutant.result.outputs.at("y").bytes != original.result.outputs.at("y").bytes;
    };
    bool found = false;
    for (std::uint64_t order = 0; order < 5 && !found; ++order) {
      execute(mutant, program.ranks, inputs, Engine::untimed, order);
      found = is_wrong();
    }
    if (!found) continue;
    ++wrong;
    EXPECT_NE(explore(*mutant.module, program.ranks, inputs, original.result.outputs, 500).verdict,
              Verdict::same)
        << "seed " << seed << '\n'
        << program.text;
  }
  EXPECT_GT(wrong, 50);
}

}  // namespace
}  // namespace a2a3::sync::sync_explorer_test
