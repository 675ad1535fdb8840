# SPDX-License-Identifier: Apache-2.0
# Rank 1 waits for exactly 1. Between its two signals rank 0 is busy for longer than rank 1 before the wait, in
# microseconds, but not in instructions: when cores take turns the cell is at 2 already.
import pypto.language as pl
import pypto.language.distributed as pld
NR = pl.dynamic("NR")
SIZE = 64


@pl.program
class Program:
    @pl.function(type=pl.FunctionType.InCore)
    def step(self, x: pl.Tensor[[4, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[4, SIZE], pl.FP32]],
             signal: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]]):
        tile = pl.load(x, [0, 0], [4, SIZE])
        y = pl.store(tile, [0, 0], y)
        if pld.rank(pld.get_comm_ctx(signal)) == 0:
            pld.system.notify(signal, peer=1, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
            for i in pl.range(20):
                y = pl.store(tile, [0, 0], y)
            pld.system.notify(signal, peer=1, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
        else:
            for i in pl.range(24):
                other = pl.add(tile, tile)
            pld.system.wait(signal, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Eq)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, x: pl.Tensor[[4, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[4, SIZE], pl.FP32]],
             signal: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]]):
        self.step(x, y, signal)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[NR, 4, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[NR, 4, SIZE], pl.FP32]]):
        signal_buf = pld.alloc_window_buffer([1, 1], dtype=pl.INT32)
        signal = pld.window(signal_buf, [1, 1], dtype=pl.INT32)
        for r in pl.range(pld.world_size()):
            self.chip(x[r], y[r], signal, device=r)
