# SPDX-License-Identifier: Apache-2.0
# Loads from the next rank that overlap: they share one link with each other alone.
import pypto.language as pl
import pypto.language.distributed as pld

N = 1024
T = 16
NR = pl.dynamic("NR")


@pl.jit.incore
def copy(x: pl.Tensor[[T, N], pl.FP32], y: pl.Out[pl.Tensor[[T, N], pl.FP32]], w: pld.DistributedTensor[[T, N], pl.FP32]):
    c = pld.get_comm_ctx(w)
    p = (pld.rank(c) + 1) % pld.nranks(c)
    t0 = pld.tile.remote_load(w, peer=p, offsets=[0, 0], shape=[1, N])
    t1 = pld.tile.remote_load(w, peer=p, offsets=[1, 0], shape=[1, N])
    t2 = pld.tile.remote_load(w, peer=p, offsets=[2, 0], shape=[1, N])
    t3 = pld.tile.remote_load(w, peer=p, offsets=[3, 0], shape=[1, N])
    t4 = pld.tile.remote_load(w, peer=p, offsets=[4, 0], shape=[1, N])
    t5 = pld.tile.remote_load(w, peer=p, offsets=[5, 0], shape=[1, N])
    t6 = pld.tile.remote_load(w, peer=p, offsets=[6, 0], shape=[1, N])
    t7 = pld.tile.remote_load(w, peer=p, offsets=[7, 0], shape=[1, N])
    t8 = pld.tile.remote_load(w, peer=p, offsets=[8, 0], shape=[1, N])
    t9 = pld.tile.remote_load(w, peer=p, offsets=[9, 0], shape=[1, N])
    t10 = pld.tile.remote_load(w, peer=p, offsets=[10, 0], shape=[1, N])
    t11 = pld.tile.remote_load(w, peer=p, offsets=[11, 0], shape=[1, N])
    t12 = pld.tile.remote_load(w, peer=p, offsets=[12, 0], shape=[1, N])
    t13 = pld.tile.remote_load(w, peer=p, offsets=[13, 0], shape=[1, N])
    t14 = pld.tile.remote_load(w, peer=p, offsets=[14, 0], shape=[1, N])
    t15 = pld.tile.remote_load(w, peer=p, offsets=[15, 0], shape=[1, N])
    y = pl.store(t0, [0, 0], y)
    y = pl.store(t1, [1, 0], y)
    y = pl.store(t2, [2, 0], y)
    y = pl.store(t3, [3, 0], y)
    y = pl.store(t4, [4, 0], y)
    y = pl.store(t5, [5, 0], y)
    y = pl.store(t6, [6, 0], y)
    y = pl.store(t7, [7, 0], y)
    y = pl.store(t8, [8, 0], y)
    y = pl.store(t9, [9, 0], y)
    y = pl.store(t10, [10, 0], y)
    y = pl.store(t11, [11, 0], y)
    y = pl.store(t12, [12, 0], y)
    y = pl.store(t13, [13, 0], y)
    y = pl.store(t14, [14, 0], y)
    y = pl.store(t15, [15, 0], y)
    return y


@pl.jit
def chip(x: pl.Tensor[[T, N], pl.FP32], y: pl.Out[pl.Tensor[[T, N], pl.FP32]], w: pld.DistributedTensor[[T, N], pl.FP32]):
    y = copy(x, y, w)
    return y


@pl.jit.host
def host(x: pl.Tensor[[NR, T, N], pl.FP32], y: pl.Out[pl.Tensor[[NR, T, N], pl.FP32]]):
    buffer = pld.alloc_window_buffer(T * N * 4)
    for r in pl.range(pld.world_size()):
        w = pld.window(buffer, [T, N], dtype=pl.FP32)
        chip(x[r], y[r], w, device=r)
    return y
