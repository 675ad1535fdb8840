# SPDX-License-Identifier: Apache-2.0
# Loads that overlap, then the stores of what they brought.
import pypto.language as pl
import pypto.language.distributed as pld

N = 1024
T = 16
NR = pl.dynamic("NR")


@pl.jit.incore
def copy(x: pl.Tensor[[T, N], pl.FP32], y: pl.Out[pl.Tensor[[T, N], pl.FP32]]):
    t0 = pl.load(x, [0, 0], [1, N])
    t1 = pl.load(x, [1, 0], [1, N])
    t2 = pl.load(x, [2, 0], [1, N])
    t3 = pl.load(x, [3, 0], [1, N])
    t4 = pl.load(x, [4, 0], [1, N])
    t5 = pl.load(x, [5, 0], [1, N])
    t6 = pl.load(x, [6, 0], [1, N])
    t7 = pl.load(x, [7, 0], [1, N])
    t8 = pl.load(x, [8, 0], [1, N])
    t9 = pl.load(x, [9, 0], [1, N])
    t10 = pl.load(x, [10, 0], [1, N])
    t11 = pl.load(x, [11, 0], [1, N])
    t12 = pl.load(x, [12, 0], [1, N])
    t13 = pl.load(x, [13, 0], [1, N])
    t14 = pl.load(x, [14, 0], [1, N])
    t15 = pl.load(x, [15, 0], [1, N])
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
def chip(x: pl.Tensor[[T, N], pl.FP32], y: pl.Out[pl.Tensor[[T, N], pl.FP32]]):
    y = copy(x, y)
    return y


@pl.jit.host
def host(x: pl.Tensor[[NR, T, N], pl.FP32], y: pl.Out[pl.Tensor[[NR, T, N], pl.FP32]]):
    for r in pl.range(pld.world_size()):
        chip(x[r], y[r], device=r)
    return y
