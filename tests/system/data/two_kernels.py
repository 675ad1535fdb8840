# SPDX-License-Identifier: Apache-2.0
"""Rank 0 runs another kernel than rank 1; each signals the other."""
import pypto.language as pl
import pypto.language.distributed as pld


@pl.jit.incore
def sender(x: pl.Tensor[[1, 8], pl.FP32],
           y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
           s: pld.DistributedTensor[[1, 1], pl.INT32]):
    t = pl.load(x, [0, 0], [1, 8])
    y = pl.store(t, [0, 0], y)
    pld.system.notify(s, peer=1, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
    pld.system.wait(s, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)
    y = pl.store(t, [0, 0], y)
    return y


@pl.jit.incore
def receiver(x: pl.Tensor[[1, 8], pl.FP32],
             y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
             s: pld.DistributedTensor[[1, 1], pl.INT32]):
    pld.system.wait(s, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)
    pld.system.notify(s, peer=0, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
    t = pl.load(x, [0, 0], [1, 8])
    y = pl.store(t, [0, 0], y)
    return y


@pl.jit
def chip_a(x: pl.Tensor[[1, 8], pl.FP32],
           y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
           s: pld.DistributedTensor[[1, 1], pl.INT32]):
    y = sender(x, y, s)
    return y


@pl.jit
def chip_b(x: pl.Tensor[[1, 8], pl.FP32],
           y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
           s: pld.DistributedTensor[[1, 1], pl.INT32]):
    y = receiver(x, y, s)
    return y


@pl.jit.host
def host(x: pl.Tensor[[2, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[2, 1, 8], pl.FP32]]):
    sb = pld.alloc_window_buffer(4)
    s = pld.window(sb, [1, 1], dtype=pl.INT32)
    chip_a(x[0], y[0], s, device=0)
    chip_b(x[1], y[1], s, device=1)
    return y
