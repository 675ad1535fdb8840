# Only a part of a window is reduced: slices with a valid_shape, among them one whose extents only
# the run knows. What lies outside stays as it is.
import pypto.language as pl
import pypto.language.distributed as pld

NR = pl.dynamic("NR")
DTYPE = pl.FP32
ROWS = 4
COLS = 64


@pl.jit.incore
def kernel(
    x: pl.Tensor[[ROWS, COLS], DTYPE],
    y: pl.Out[pl.Tensor[[ROWS, COLS], DTYPE]],
    win: pld.DistributedTensor[[ROWS, COLS], DTYPE],
    sig: pld.DistributedTensor[[NR, 1], pl.INT32],
    part: pl.Scalar[pl.INT32],
):
    win = pl.store(pl.load(x, [0, 0], [ROWS, COLS]), [0, 0], win)
    known = pl.slice(win, [3, 32], [1, 32], valid_shape=[2, 17])
    known = pld.tensor.allreduce(known, sig)
    rows = part + 1
    open_part = pl.slice(win, [2, 32], [0, 0], valid_shape=[rows, part * 3])
    pld.tensor.allreduce(open_part, sig, op=pld.ReduceOp.Max)
    one = pl.slice(win, [1, 32], [3, 0], valid_shape=[1, 1])
    t = pl.load(one, [0, 0], [1, 16], valid_shape=[1, 1])
    one = pl.store(pl.add(t, t), [0, 0], one)
    y = pl.store(pl.load(win, [0, 0], [ROWS, COLS]), [0, 0], y)


@pl.jit
def chip(
    x: pl.Tensor[[ROWS, COLS], DTYPE],
    y: pl.Out[pl.Tensor[[ROWS, COLS], DTYPE]],
    win: pld.DistributedTensor[[ROWS, COLS], DTYPE],
    sig: pld.DistributedTensor[[NR, 1], pl.INT32],
    part: pl.Scalar[pl.INT32],
):
    kernel(x, y, win, sig, part)


@pl.jit.host
def host(
    x: pl.Tensor[[NR, ROWS, COLS], DTYPE],
    y: pl.Out[pl.Tensor[[NR, ROWS, COLS], DTYPE]],
    part: pl.Scalar[pl.INT32],
):
    win_buf = pld.alloc_window_buffer([ROWS, COLS], dtype=DTYPE)
    sig_buf = pld.alloc_window_buffer([NR, 1], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        win = pld.window(win_buf, [ROWS, COLS], dtype=DTYPE)
        sig = pld.window(sig_buf, [NR, 1], dtype=pl.INT32)
        chip(x[r], y[r], win, sig, part, device=r)
