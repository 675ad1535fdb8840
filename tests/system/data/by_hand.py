# SPDX-License-Identifier: Apache-2.0
# The kernel of "By hand" in docs/timing_model.md.
import pypto.language as pl
import pypto.language.distributed as pld

N = 1024
NR = pl.dynamic("NR")


@pl.jit.incore
def exchange(
    x: pl.Tensor[[1, N], pl.FP32],
    y: pl.Out[pl.Tensor[[1, N], pl.FP32]],
    w: pld.DistributedTensor[[1, N], pl.FP32],
    signal: pld.DistributedTensor[[1, 1], pl.INT32],
):
    ctx = pld.get_comm_ctx(w)
    peer = (pld.rank(ctx) + 1) % pld.nranks(ctx)
    row = pl.load(x, [0, 0], [1, N])
    w = pl.store(row, [0, 0], w)
    pld.system.notify(signal, peer=peer, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
    pld.system.wait(signal, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)
    got = pld.tile.remote_load(w, peer=peer, offsets=[0, 0], shape=[1, N])
    y = pl.store(got, [0, 0], y)
    return y


@pl.jit
def chip(
    x: pl.Tensor[[1, N], pl.FP32],
    y: pl.Out[pl.Tensor[[1, N], pl.FP32]],
    w: pld.DistributedTensor[[1, N], pl.FP32],
    signal: pld.DistributedTensor[[1, 1], pl.INT32],
):
    y = exchange(x, y, w, signal)
    return y


@pl.jit.host
def host(x: pl.Tensor[[NR, 1, N], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, N], pl.FP32]]):
    rows = pld.alloc_window_buffer(N * 4)
    cells = pld.alloc_window_buffer(4)
    for r in pl.range(pld.world_size()):
        w = pld.window(rows, [1, N], dtype=pl.FP32)
        signal = pld.window(cells, [1, 1], dtype=pl.INT32)
        chip(x[r], y[r], w, signal, device=r)
    return y
