// SPDX-License-Identifier: Apache-2.0
#include "edge_kernel.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace a2a3::test {

std::string edge_kernel(const std::vector<std::string>& body) {
  std::string lines;
  for (const std::string& line : body)
    lines += "    " + line + "\n";
  return fmt::format(R"(import pypto.language as pl
import pypto.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def kernel(x: pl.Tensor[[1, 64], pl.FP32], y: pl.Out[pl.Tensor[[1, 64], pl.FP32]],
           win: pl.InOut[pld.DistributedTensor[[NR, 64], pl.FP32]],
           cells: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]], r: pl.Scalar[pl.INT32]):
    ctx = pld.get_comm_ctx(win)
    me = pld.rank(ctx)
    n = pld.nranks(ctx)
{}    y = pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], y)


@pl.jit
def chip(x, y, win, cells, r):
    kernel(x, y, win, cells, r)


@pl.jit.host
def host(x: pl.Tensor[[NR, 1, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 64], pl.FP32]]):
    win_buf = pld.alloc_window_buffer([NR, 64], dtype=pl.FP32)
    cells_buf = pld.alloc_window_buffer([NR, 1], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        win = pld.window(win_buf, [NR, 64], dtype=pl.FP32)
        cells = pld.window(cells_buf, [NR, 1], dtype=pl.INT32)
        chip(x[r], y[r], win, cells, r, device=r)
)",
                     lines);
}

Finished run_edge(const std::string& text, int ranks, const std::vector<std::string>& more,
                  const std::string& golden) {
  const ScratchDir scratch;
  std::vector<std::string> arguments{
      "run", scratch.write("kernel.py", text), "-d", devices(ranks), "--quiet", "--golden", golden};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return a2a3sim(arguments);
}

std::string notify(const std::string& peer, const std::string& row, int value,
                   const std::string& op) {
  return fmt::format(
      "pld.system.notify(cells, peer={}, offsets=[{}, 0], value={}, op=pld.NotifyOp.{})", peer, row,
      value, op);
}

std::string wait(const std::string& row, int expected, const std::string& cmp) {
  return fmt::format("pld.system.wait(cells, offsets=[{}, 0], expected={}, cmp=pld.WaitCmp.{})",
                     row, expected, cmp);
}

Body inside(const std::string& head, const Body& lines) {
  Body block{head};
  for (const std::string& line : lines)
    block.push_back("    " + line);
  return block;
}

Body joined(std::initializer_list<Body> parts) {
  Body all;
  for (const Body& part : parts)
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

Body barrier_by_hand(int expected) {
  return joined(
      {inside("for p in pl.range(n):", inside("if p != me:", {notify("p", "me", 1, "AtomicAdd")})),
       inside("for q in pl.range(n):", inside("if q != me:", {wait("q", expected, "Ge")}))});
}

std::string place(const std::string& text, const std::string& part) {
  EXPECT_EQ(text.find(part), text.rfind(part)) << part;
  return nth_place(text, part, 0);
}

std::string nth_place(const std::string& text, const std::string& part, int n) {
  std::size_t at = text.find(part);
  for (; n > 0 && at != std::string::npos; --n)
    at = text.find(part, at + 1);
  EXPECT_NE(at, std::string::npos) << part;
  const std::string before = text.substr(0, at);
  return fmt::format("kernel.py:{}:{}: ", 1 + std::count(before.begin(), before.end(), '\n'),
                     at - (before.rfind('\n') + 1) + 1);
}

std::string with_rows(std::string text, const std::string& rows) {
  for (const std::string use : {"win: pl.InOut[pld.DistributedTensor[[",
                                "win_buf = pld.alloc_window_buffer([", "pld.window(win_buf, ["})
    text = replaced(text, use + "NR, 64", use + rows + ", 64");
  return text;
}

}  // namespace a2a3::test
