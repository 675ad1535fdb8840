# Integer literals beside INT32 scalars: rank and loop values become numbers of a tile.
import pypto.language as pl
import pypto.language.distributed as pld

NR = pl.dynamic("NR")
SIZE = 64
STEP = 5


@pl.jit.incore
def kernel(
    x: pl.Tensor[[1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    win: pld.DistributedTensor[[1, SIZE], pl.FP32],
    r: pl.Scalar[pl.INT32],
):
    me = pld.rank(pld.get_comm_ctx(win))
    k = pl.const(3, pl.INT32)
    total = me
    for i in pl.range(4):
        total = total + STEP
    t = pl.load(x, [0, 0], [1, SIZE])
    t = t + pl.cast(k * 10, pl.FP32)
    t = t + pl.cast(100 * (me + 1), pl.FP32)
    t = t + pl.cast(pl.max(r, 2) - 1, pl.FP32)
    t = t + pl.cast(total % 7, pl.FP32)
    y = pl.store(t, [0, 0], y)


@pl.jit
def chip(
    x: pl.Tensor[[1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    win: pld.DistributedTensor[[1, SIZE], pl.FP32],
    r: pl.Scalar[pl.INT32],
):
    kernel(x, y, win, r)


@pl.jit.host
def host(x: pl.Tensor[[NR, 1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]]):
    win_buf = pld.alloc_window_buffer([1, SIZE], dtype=pl.FP32)
    win = pld.window(win_buf, [1, SIZE], dtype=pl.FP32)
    for r in pl.range(pld.world_size()):
        chip(x[r], y[r], win, r, device=r)
