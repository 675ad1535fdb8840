// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace a2a3::interp {

inline const std::string kImports =
    "import pypto.language as pl\n"
    "import pypto.language.distributed as pld\n\n";

/// The hand-written allgather of the tutorial, SIZE elements per rank.
inline const std::string kAllgather = kImports + R"(
SIZE = 64
NR = pl.dynamic("NR")

@pl.jit.incore
def hand_step(x: pl.Tensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, NR * SIZE], pl.FP32]],
              data: pld.DistributedTensor[[NR, SIZE], pl.FP32],
              signal: pld.DistributedTensor[[NR, 1], pl.INT32]):
    ctx = pld.get_comm_ctx(data)
    my_rank = pld.rank(ctx)
    nranks = pld.nranks(ctx)
    local = pl.load(x, [0, 0], [1, SIZE])
    data = pl.store(local, [my_rank, 0], data)
    for peer in pl.range(nranks):
        if peer != my_rank:
            pld.system.notify(signal, peer=peer, offsets=[my_rank, 0], value=1,
                              op=pld.NotifyOp.AtomicAdd)
    for src in pl.range(nranks):
        if src != my_rank:
            pld.system.wait(signal, offsets=[src, 0], expected=1, cmp=pld.WaitCmp.Ge)
    for peer in pl.range(nranks):
        recv = pld.tile.remote_load(data, peer=peer, offsets=[peer, 0], shape=[1, SIZE])
        y = pl.store(recv, [0, peer * SIZE], y)
    return y

@pl.jit
def chip(x: pl.Tensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, NR * SIZE], pl.FP32]],
         data: pld.DistributedTensor[[NR, SIZE], pl.FP32],
         signal: pld.DistributedTensor[[NR, 1], pl.INT32]):
    y = hand_step(x, y, data, signal)
    return y

@pl.jit.host
def host(x: pl.Tensor[[NR, 1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, NR * SIZE], pl.FP32]]):
    data_buf = pld.alloc_window_buffer(NR * SIZE * pl.FP32.get_byte())
    signal_buf = pld.alloc_window_buffer([NR, 1], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        data = pld.window(data_buf, [NR, SIZE], dtype=pl.FP32)
        signal = pld.window(signal_buf, [NR, 1], dtype=pl.INT32)
        chip(x[r], y[r], data, signal, device=r)
    return y
)";

/// A program around one kernel body: `x` [rows, cols] in, `y` [rows, cols] out, window `win` of the
/// same shape and INT32 cells `cell` [rows, 1], all of one dtype per rank; `r` is the rank as a
/// scalar parameter. `body` is indented by four blanks.
inline std::string around(const std::string& body, const std::string& rows = "4",
                          const std::string& cols = "64", const std::string& dtype = "FP32") {
  const std::string box = "[[" + rows + ", " + cols + "], pl." + dtype + "]";
  const std::string parameters = "x: pl.Tensor" + box + ", y: pl.InOut[pl.Tensor" + box +
                                 "],\n         win: pl.InOut[" + "pld.DistributedTensor" + box +
                                 "], cell: pl.InOut[pld.DistributedTensor[[" + rows +
                                 ", 1], pl.INT32]],\n         r: pl.Scalar[pl.INT32]";
  return kImports + "NR = pl.dynamic(\"NR\")\n\n@pl.jit.incore\ndef kern(" + parameters + "):\n" +
         body + "\n@pl.jit\ndef chip(" + parameters + "):\n    kern(x, y, win, cell, r)\n" +
         "\n@pl.jit.host\ndef host(x: pl.Tensor[[NR, " + rows + ", " + cols + "], pl." + dtype +
         "], y: pl.InOut[pl.Tensor[[NR, " + rows + ", " + cols + "], pl." + dtype + "]]):\n" +
         "    win_buf = pld.alloc_window_buffer([" + rows + ", " + cols + "], dtype=pl." + dtype +
         ")\n    cell_buf = pld.alloc_window_buffer([" + rows + ", 1], dtype=pl.INT32)\n" +
         "    for r in pl.range(pld.world_size()):\n" + "        win = pld.window(win_buf, [" +
         rows + ", " + cols + "], dtype=pl." + dtype + ")\n" +
         "        cell = pld.window(cell_buf, [" + rows + ", 1], dtype=pl.INT32)\n" +
         "        chip(x[r], y[r], win, cell, r, device=r)\n";
}

}  // namespace a2a3::interp
