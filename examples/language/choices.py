# SPDX-License-Identifier: Apache-2.0
# Choices, early returns, casts, and two results at once.
import pypto.language as pl
import pypto.language.distributed as pld

NR = pl.dynamic("NR")


# Rank 0 keeps its row, the last rank halves it, the others have it doubled.
@pl.jit.incore
def choose(
    x: pl.Tensor[[1, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[1, 64], pl.FP32]],
    token: pld.DistributedTensor[[1, 1], pl.INT32],
):
    ctx = pld.get_comm_ctx(token)
    my_rank = pld.rank(ctx)
    t = pl.load(x, [0, 0], [1, 64])
    if my_rank == 0:
        return pl.store(t, [0, 0], y)
    elif my_rank == pld.nranks(ctx) - 1:
        t = pl.div(t, 2.0)
    else:
        t = pl.mul(t, 2.0)
    y = pl.store(t, [0, 0], y)
    return y


# The larger and the smaller of two halves, element by element, as whole numbers. Both arms of the if hand a tile on.
@pl.jit.incore
def extremes(
    y: pl.Tensor[[1, 64], pl.FP32],
    high: pl.Out[pl.Tensor[[1, 32], pl.INT32]],
    low: pl.Out[pl.Tensor[[1, 32], pl.INT32]],
    scale: pl.Scalar[pl.INT32],
):
    a = pl.load(y, [0, 0], [1, 32])
    b = pl.load(y, [0, 32], [1, 32])
    if scale > 1:
        upper = pl.yield_(pl.mul(pl.maximum(a, b), pl.cast(scale, pl.FP32)))
    else:
        upper = pl.yield_(pl.maximum(a, b))
    high = pl.store(pl.cast(upper, pl.INT32, mode="floor"), [0, 0], high)
    low = pl.store(pl.cast(pl.minimum(a, b), pl.INT32, mode="floor"), [0, 0], low)
    return high, low


@pl.jit
def chip(
    x: pl.Tensor[[1, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[1, 64], pl.FP32]],
    high: pl.Out[pl.Tensor[[1, 32], pl.INT32]],
    low: pl.Out[pl.Tensor[[1, 32], pl.INT32]],
    token: pld.DistributedTensor[[1, 1], pl.INT32],
    scale: pl.Scalar[pl.INT32],
):
    y = choose(x, y, token)
    high, low = extremes(y, high, low, scale)
    return high, low


@pl.jit.host
def choices(
    x: pl.Tensor[[NR, 1, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[NR, 1, 64], pl.FP32]],
    high: pl.Out[pl.Tensor[[NR, 1, 32], pl.INT32]],
    low: pl.Out[pl.Tensor[[NR, 1, 32], pl.INT32]],
):
    token_buf = pld.alloc_window_buffer([1, 1], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        token = pld.window(token_buf, [1, 1], dtype=pl.INT32)
        chip(x[r], y[r], high[r], low[r], token, r, device=r)
