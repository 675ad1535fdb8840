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

std::string place(const std::string& text, const std::string& part) {
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  EXPECT_EQ(at, text.rfind(part)) << part;
  const std::string before = text.substr(0, at);
  return fmt::format("kernel.py:{}:{}: ", 1 + std::count(before.begin(), before.end(), '\n'),
                     at - (before.rfind('\n') + 1) + 1);
}

}  // namespace a2a3::test
