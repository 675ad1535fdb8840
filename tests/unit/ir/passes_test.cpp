// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ir/check.hpp"
#include "ir/elaborate.hpp"
#include "ir/op.hpp"
#include "ir/parser.hpp"
#include "ir/passes/expansion.hpp"
#include "ir/passes/live_tiles.hpp"
#include "ir/passes/pipeline.hpp"
#include "ir/passes/rewrite.hpp"
#include "ir/passes/staging.hpp"
#include "ir/printer.hpp"
#include "ir/walk.hpp"

namespace a2a3::ir::passes_test {
namespace {

std::unique_ptr<Module> module_of(const std::string& text) {
  auto parsed = parse_file(std::make_shared<SourceFile>("kernel.py", text));
  EXPECT_EQ(format(parsed.diagnostics), "");
  ElaborateOptions options;
  options.world_size = 2;
  auto elaborated = elaborate(std::move(parsed.file), options);
  EXPECT_EQ(format(elaborated.diagnostics), "");
  EXPECT_EQ(format(check(*elaborated.module)), "");
  return std::move(elaborated.module);
}

/// A program around a kernel body, indented by four blanks.
std::string around(const std::string& body) {
  const std::string parameters =
      "x: pl.Tensor[[4, 64], pl.FP32], y: pl.Out[pl.Tensor[[4, 64], pl.FP32]], win: "
      "pld.DistributedTensor[[4, 64], pl.FP32], sig: pld.DistributedTensor[[2, 1], pl.INT32]";
  return "@pl.jit.incore\ndef kern(" + parameters + "):\n" + body + "\n@pl.jit\ndef chip(" +
         parameters + "):\n    kern(x, y, win, sig)\n\n@pl.jit.host\n" +
         "def host(x: pl.Tensor[[4, 64], pl.FP32], y: pl.Out[pl.Tensor[[4, 64], pl.FP32]]):\n"
         "    wb = pld.alloc_window_buffer([4, 64], dtype=pl.FP32)\n"
         "    sb = pld.alloc_window_buffer([2, 1], dtype=pl.INT32)\n"
         "    win = pld.window(wb, [4, 64], dtype=pl.FP32)\n"
         "    sig = pld.window(sb, [2, 1], dtype=pl.INT32)\n"
         "    chip(x, y, win, sig, device=0)\n";
}

std::string text_of(const Block& block) {
  Module module;
  module.name = "M";
  auto function = std::make_unique<Function>();
  function->name = "f";
  for (const Stmt& stmt : block) {
    if (const auto* assign = std::get_if<Assign>(&stmt.node)) {
      Assign copy;
      copy.names = assign->names;
      copy.name_locations = assign->name_locations;
      copy.value = clone(assign->value);
      function->body.push_back({std::move(copy), stmt.location});
    }
  }
  module.functions.push_back(std::move(function));
  const std::string printed = print(module);
  return printed.substr(printed.find("(self):") + 8);
}

ExprPtr name(const std::string& id) {
  auto expr = std::make_unique<Expr>();
  expr->node = Name{id, kNoSlot};
  return expr;
}

TEST(Expansion, PrefixesWhatTheTextAssignsAndPutsTheUsersExpressionsIn) {
  Expansion out("_op0_", {});
  out.bind("A", name("peer"));  // the user's own peer
  out.bind("N", 8);
  out.add("peer = A + N\n");
  out.add("rest = peer * A\n");
  EXPECT_EQ(text_of(out.take()),
            "        _op0_peer = peer + 8\n        _op0_rest = _op0_peer * peer\n");
}

TEST(Expansion, EvaluatesAnExpressionOnce) {
  Expansion out("_op0_", {});
  out.let("n", out.call("pl.min(a, b)"));
  out.add("twice = n + n\n");
  EXPECT_EQ(text_of(out.take()),
            "        _op0_n = pl.min(a, b)\n        _op0_twice = _op0_n + _op0_n\n");
}

TEST(Expansion, LocatesEveryNodeAtTheUsersStatement) {
  const SourceFile file("kernel.py", "first\nsecond\n");
  const SourceLocation at{&file, 2, 1, 6};
  Expansion out("_op0_", at);
  out.add("for i in pl.range(3):\n    if i == 1:\n        a = pl.load(x, [i, 0], [1, 8])\n");
  const Block block = out.take();
  walk(block, [](const Expr& expr) { EXPECT_EQ(expr.location.line, 2u); });
  EXPECT_EQ(block.at(0).location.line, 2u);
}

TEST(Expansion, ATextThatDoesNotParseIsOurFault) {
  Expansion out("_op0_", {});
  EXPECT_THROW(out.add("for in\n"), std::logic_error);
}

TEST(Staging, PadsToBlocksAndKeepsTheValidBox) {
  EXPECT_EQ(staging_tile("s", 2, 64, isa::DType::fp32), "s = pl.tile.create([2, 64], pl.FP32)\n");
  EXPECT_EQ(staging_tile("s", 2, 17, isa::DType::fp32),
            "s = pl.tile.set_validshape(pl.tile.create([2, 24], pl.FP32), 2, 17)\n");
  EXPECT_EQ(staging_tile("s", 1, 1, isa::DType::fp16),
            "s = pl.tile.set_validshape(pl.tile.create([1, 16], pl.FP16), 1, 1)\n");
  EXPECT_EQ(staging_tile("s", 9, 1, isa::DType::int32),
            "s = pl.tile.set_validshape(pl.tile.create([16, 1], pl.INT32), 9, 1)\n");
}

/// Bytes live across the only barrier of a kernel.
std::int64_t live_bytes(const std::string& body) {
  const auto module = module_of(around(body));
  const Function& kernel = *module->find("kern");
  const LiveTiles live(kernel);
  std::int64_t bytes = -1;
  walk(kernel.body, [&](const Expr& expr) {
    const auto* call = std::get_if<Call>(&expr.node);
    if (call != nullptr && call->op != nullptr && is_collective(call->op->id)) {
      bytes = live.bytes_across(expr);
    }
  });
  return bytes;
}

TEST(LiveTiles, CountsWhatIsAssignedBeforeAndReadBehind) {
  const std::string load = "    t = pl.load(x, [0, 0], [4, 64])\n";
  const std::string store = "    pl.store(t, [0, 0], y)\n";
  const std::string barrier = "    pld.tensor.barrier(sig)\n";
  EXPECT_EQ(live_bytes(load + barrier + store), 1024);
  EXPECT_EQ(live_bytes(load + store + barrier), 0);
  EXPECT_EQ(live_bytes(barrier + load + store), 0);
}

TEST(LiveTiles, ALoopReadsAgainWhatCameIn) {
  EXPECT_EQ(live_bytes("    t = pl.load(x, [0, 0], [4, 64])\n"
                       "    for i in pl.range(3):\n"
                       "        pl.store(t, [0, 0], y)\n"
                       "        pld.tensor.barrier(sig)\n"),
            1024);
  EXPECT_EQ(live_bytes("    for i in pl.range(3):\n"
                       "        t = pl.load(x, [0, 0], [4, 64])\n"
                       "        pl.store(t, [0, 0], y)\n"
                       "        pld.tensor.barrier(sig)\n"),
            0);
}

TEST(LiveTiles, CountsWhatALoopCarries) {
  const std::string load = "    t = pl.load(x, [0, 0], [4, 64])\n";
  const std::string loop = "    for i, (acc,) in pl.range(3, init_values=(t,)):\n";
  const std::string next = "        nxt = pl.add(acc, acc)\n";
  const std::string yield = "        out = pl.yield_(nxt)\n";
  const std::string store = "    pl.store(out, [0, 0], y)\n";
  const std::string barrier = "    pld.tensor.barrier(sig)\n";
  EXPECT_EQ(live_bytes(load + loop + "    " + barrier + next + yield + store), 1024);
  EXPECT_EQ(live_bytes(load + loop + next + "    " + barrier + yield + store), 1024);
  EXPECT_EQ(live_bytes(load + loop + next + yield + barrier + store), 1024);
  EXPECT_EQ(live_bytes(load + loop + next + yield + store + barrier), 0);
}

TEST(LiveTiles, CountsWhatAnIfYields) {
  const std::string branches =
      "    t = pl.load(x, [0, 0], [4, 64])\n"
      "    if pld.rank(pld.get_comm_ctx(win)) > 0:\n"
      "        twice = pl.add(t, t)\n"
      "        out = pl.yield_(twice)\n"
      "    else:\n"
      "        out = pl.yield_(t)\n";
  const std::string store = "    pl.store(out, [0, 0], y)\n";
  const std::string barrier = "    pld.tensor.barrier(sig)\n";
  EXPECT_EQ(live_bytes(branches + barrier + store), 1024);
  EXPECT_EQ(live_bytes(branches + store + barrier), 0);
}

TEST(Passes, StopBehindTheNamedOne) {
  const std::string body = "    pld.tensor.barrier(sig)\n    pld.tensor.put(win, 0, x)\n";
  const auto first = module_of(around(body));
  EXPECT_EQ(format(run_passes(*first, {}, "lower_collectives")), "");
  EXPECT_EQ(print(*first).find("pld.tensor.barrier"), std::string::npos);
  EXPECT_NE(print(*first).find("pld.tensor.put"), std::string::npos);
  const auto all = module_of(around(body));
  EXPECT_EQ(format(run_passes(*all)), "");
  EXPECT_EQ(print(*all).find("pld.tensor.put"), std::string::npos);
  EXPECT_NE(print(*all).find("pld.tile.put"), std::string::npos);
}

TEST(Passes, AreDescribedInASentence) {
  for (const LoweringPass& pass : passes())
    EXPECT_TRUE(pass.summary.ends_with('.')) << pass.name;
}

TEST(Passes, TemporariesAvoidTheUsersNames) {
  const auto module =
      module_of(around("    _barrier0_rank = 3\n    pld.tensor.barrier(sig)\n"
                       "    pl.write(y, [_barrier0_rank, 0], 1.0)\n"));
  EXPECT_EQ(format(run_passes(*module)), "");
  EXPECT_NE(print(*module).find("_barrier1_rank = pld.rank"), std::string::npos);
}

TEST(Passes, ALoweredProgramFaultsAtTheUsersLine) {
  const auto module = module_of(around("    pld.tensor.barrier(sig)\n"));
  ASSERT_EQ(format(run_passes(*module)), "");
  walk(module->find("kern")->body,
       [](const Expr& expr) { EXPECT_EQ(expr.location.line, 3u) << print(expr); });
}

TEST(Passes, UnannotatedParametersKeepTheirTypes) {
  const auto module = module_of(R"(
@pl.jit.incore
def kern(win, sig):
    win = pld.tensor.allreduce(win, sig)
    return win

@pl.jit
def chip(win, sig):
    kern(win, sig)

@pl.jit.host
def host(x: pl.Tensor[[1, 64], pl.FP32]):
    nr = pld.world_size()
    wb = pld.alloc_window_buffer(nr * 256)
    sb = pld.alloc_window_buffer(nr * 4)
    for r in pl.range(pld.world_size()):
        win = pld.window(wb, [nr, 64], dtype=pl.FP32)
        sig = pld.window(sb, [nr, 1], dtype=pl.INT32)
        chip(win, sig, device=r)
)");
  const std::string before = module->describe(module->find("kern")->parameters[0].type);
  const std::size_t dims = module->dynamic_dims.size();
  EXPECT_EQ(format(run_passes(*module)), "");
  EXPECT_EQ(module->describe(module->find("kern")->parameters[0].type), before);
  EXPECT_EQ(module->dynamic_dims.size(), dims);
}

TEST(Passes, AStageIsAsLargeAsTheShapeThatTheRuleSaw) {
  const auto stages = [](const std::string& extent) {
    const auto module = module_of(
        around("    k = 64\n    pld.tensor.put(win, 1, x, [0, 0], [0, 0], [1, " + extent + "])\n"));
    EXPECT_EQ(format(run_passes(*module)), "");
    const std::string text = print(*module);
    return text.find("pl.tile.create([1, 64], pl.FP32)") != std::string::npos;
  };
  EXPECT_TRUE(stages("64"));
  EXPECT_TRUE(stages("k"));
}

}  // namespace
}  // namespace a2a3::ir::passes_test
