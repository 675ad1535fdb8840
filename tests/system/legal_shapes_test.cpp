// SPDX-License-Identifier: Apache-2.0
// What the language allows in shapes and scalars at every number of ranks: dimensions made inside
// annotations, ring signals without a row, integer literals beside scalars with a dtype.
#include <gtest/gtest.h>

#include "program.hpp"

namespace a2a3::test::legal_shapes_test {
namespace {

class LegalShapes : public testing::TestWithParam<int> {
 protected:
  static void expect_right(const std::string& file, const std::string& golden,
                           const std::vector<std::string>& more = {}) {
    SCOPED_TRACE(file);
    std::vector<std::string> command{"run",      file,   "-d",     devices(GetParam()),
                                     "--golden", golden, "--quiet"};
    command.insert(command.end(), more.begin(), more.end());
    const Finished run = a2a3sim(command);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out, "OK\n") << run.err;
  }
};

/// Both as it is and lowered.
TEST_P(LegalShapes, DimensionsMadeInsideAnnotations) {
  const ScratchDir scratch;
  const std::string golden = "y: join(sum(x), sum(x), axis=0)";
  for (const std::string name : {"inline_dimensions", "inline_dimensions_functions"}) {
    const std::string file = "tests/system/data/" + name + ".py";
    expect_right(file, golden);
    const Finished lowered = a2a3sim({"lower", file, "-d", devices(GetParam())});
    ASSERT_EQ(lowered.status, 0) << lowered.err;
    expect_right(scratch.write(name + "_lowered.py", lowered.out), golden);
  }
}

TEST_P(LegalShapes, LiteralsTakeTheDtypeOfTheirNeighbour) {
  expect_right("tests/system/data/literal_dtypes.py",
               "y: x + 30 + 100 * (rank + 1) + max(rank, 2) - 1 + (rank + 20) % 7");
  expect_right("tests/system/data/literal_dtypes.py",
               "y: x + 30 + 100 * (rank + 1) + max(rank, 2) - 1 + (rank + 20) % 7",
               {"--engine", "untimed"});
}

/// An allreduce over a ring, its signal allocated by `bytes` or by shape; `NR` is a dimension of
/// the annotations, or a constant of the factory.
std::string ring_kernel(bool class_style, bool dynamic, bool bytes) {
  const std::string nr = dynamic ? "NR" : "n";
  const std::string rows = "2 * (" + nr + " - 1)";
  const std::string shape = "[" + rows + ", " + nr + "]";
  const std::string self = class_style ? "self." : "";
  const std::string parameters =
      std::string(class_style ? "self, " : "") + "x: pl.Tensor[[1, 17], pl.FP32], y: " +
      "pl.Out[pl.Tensor[[1, 17], pl.FP32]], win: pl.InOut[pld.DistributedTensor[[1, 17], " +
      "pl.FP32]], sig: pl.InOut[pld.DistributedTensor[" + shape + ", pl.INT32]]";
  const std::string hosts = std::string(class_style ? "self, " : "") + "x: pl.Tensor[[" + nr +
                            ", 1, 17], pl.FP32], y: pl.Out[pl.Tensor[[" + nr +
                            ", 1, 17], pl.FP32]]";
  const std::string body =
      std::string(class_style ? "@pl.function(type=pl.FunctionType.InCore)" : "@pl.jit.incore") +
      "\ndef kernel(" + parameters + "):\n" +
      "    win = pl.store(pl.load(x, [0, 0], [1, 24], valid_shape=[1, 17]), [0, 0], win)\n"
      "    win = pld.tensor.allreduce(win, sig, mode=\"ring\")\n"
      "    y = pl.store(pl.load(win, [0, 0], [1, 24], valid_shape=[1, 17]), [0, 0], y)\n"
      "\n" +
      (class_style ? "@pl.function(type=pl.FunctionType.Orchestration)" : "@pl.jit") +
      "\ndef chip(" + parameters + "):\n    " + self + "kernel(x, y, win, sig)\n\n" +
      (class_style ? "@pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)"
                   : "@pl.jit.host") +
      "\ndef host(" + hosts + "):\n" +
      "    win_buf = pld.alloc_window_buffer([1, 17], dtype=pl.FP32)\n"
      "    sig_buf = pld.alloc_window_buffer(" +
      (bytes ? rows + " * " + nr + " * pl.INT32.get_byte()" : shape + ", dtype=pl.INT32") +
      ")\n"
      "    for r in pl.range(pld.world_size()):\n"
      "        win = pld.window(win_buf, [1, 17], dtype=pl.FP32)\n"
      "        sig: pld.DistributedTensor[" +
      shape + ", pl.INT32] = pld.window(sig_buf, " + shape + ", dtype=pl.INT32)\n        " + self +
      "chip(x[r], y[r], win, sig, device=r)\n";
  const std::string head =
      "import pypto.language as pl\nimport pypto.language.distributed as pld\n" +
      std::string(dynamic ? "NR = pl.dynamic(\"NR\")\n" : "");
  const auto indented = [](const std::string& text, const std::string& by) {
    std::string result;
    std::size_t begin = 0;
    while (begin < text.size()) {
      const std::size_t end = text.find('\n', begin);
      result += by + text.substr(begin, end - begin) + "\n";
      begin = end + 1;
    }
    return result;
  };
  if (!class_style && dynamic) return head + body;
  if (!class_style) {
    return head + "def build(n):\n" + indented(body, "    ") + "    return host\n";
  }
  if (dynamic) return head + "@pl.program\nclass Ring:\n" + indented(body, "    ");
  return head + "def build(n):\n    @pl.program\n    class Ring:\n" + indented(body, "        ") +
         "    return Ring\n";
}

TEST_P(LegalShapes, ARingSignalOfOneRankHasNoRows) {
  const ScratchDir scratch;
  for (int form = 0; form < 8; ++form) {
    const bool dynamic = (form & 2) != 0;
    const std::string name = "ring_" + std::to_string(form);
    const std::string file =
        scratch.write(name + ".py", ring_kernel((form & 1) != 0, dynamic, (form & 4) != 0));
    std::vector<std::string> more;
    if (!dynamic) more = {"--entry", "build", "--set", "n=" + std::to_string(GetParam())};
    expect_right(file, "y: sum(x)", more);
    std::vector<std::string> lower{"lower", file, "-d", devices(GetParam())};
    lower.insert(lower.end(), more.begin(), more.end());
    const Finished lowered = a2a3sim(lower);
    ASSERT_EQ(lowered.status, 0) << lowered.err;
    expect_right(scratch.write(name + "_lowered.py", lowered.out), "y: sum(x)");
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, LegalShapes, testing::Values(1, 2, 3, 4, 5, 7, 8));

TEST(LegalShapesOfOneRank, NothingElseIsEmpty) {
  const ScratchDir scratch;
  const std::string right = ring_kernel(false, true, true);
  const auto error = [&](const std::string& from, const std::string& to) {
    const std::string text = replaced(right, from, to);
    const Finished run =
        a2a3sim({"run", scratch.write("kernel.py", text), "-d", "0", "--golden", "y: x"});
    EXPECT_EQ(run.status, 1) << text;
    return run.err;
  };
  // No cell to signal, but one of a mesh is needed.
  EXPECT_TRUE(
      contains(error("mode=\"ring\"", "mode=\"mesh\""), "signal shape[0] (0) must be at least"));
  // A window of numbers has elements.
  EXPECT_TRUE(contains(error("    for r in",
                             "    other = pld.window(win_buf, [NR - 1, 17], "
                             "dtype=pl.FP32)\n    for r in"),
                       "only an INT32 ring signal window, [2*(NR-1), NR] with NR = 1"));
  EXPECT_TRUE(contains(error("    for r in",
                             "    other = pld.window(sig_buf, [NR, 1], "
                             "dtype=pl.INT32)\n    for r in"),
                       "view needs 4 bytes, buffer 'sig_buf' has 0"));
}

}  // namespace
}  // namespace a2a3::test::legal_shapes_test
