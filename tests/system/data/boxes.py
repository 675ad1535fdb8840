"""Boxes above kernels: the left and right columns of each rank's rows go through parts of a window to the right
neighbour, and what two kernels make of them goes into the two halves of the result."""

import pypto.language as pl
import pypto.language.distributed as pld

ROWS = 3
COLS = 16
NR = pl.dynamic("NR")


@pl.jit.incore
def shift(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
    inbox: pld.DistributedTensor[[ROWS, COLS], pl.FP32],
    arrived: pld.DistributedTensor[[1, 1], pl.INT32],
):
    c = pld.get_comm_ctx(inbox)
    right = (pld.rank(c) + 1) % pld.nranks(c)
    pld.tensor.put(inbox, right, x)
    pld.system.notify(arrived, peer=right, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
    pld.system.wait(arrived, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)
    got = pl.load(inbox, [0, 0], [ROWS, COLS])
    y = pl.store(pl.add(got, got), [0, 0], y)
    return y


@pl.jit
def chip(
    x: pl.Tensor[[ROWS, 2 * COLS], pl.FP32],
    y: pl.Out[pl.Tensor[[ROWS, 2 * COLS], pl.FP32]],
    inbox: pld.DistributedTensor[[ROWS, 2 * COLS], pl.FP32],
    arrived: pld.DistributedTensor[[2, 1], pl.INT32],
):
    y[:, 0:COLS] = shift(x[:, 0:COLS], y[:, 0:COLS], inbox[:, 0:COLS], arrived[0:1])
    half = pl.create_tensor([ROWS, COLS], dtype=pl.FP32)
    half = shift(pl.slice(x, [ROWS, COLS], [0, COLS]), half, inbox[:, COLS:], arrived[1:2])
    y = pl.assemble(y, half, [0, COLS])
    return y


@pl.jit.host
def host(
    x: pl.Tensor[[NR, ROWS, 2 * COLS], pl.FP32], y: pl.Out[pl.Tensor[[NR, ROWS, 2 * COLS], pl.FP32]]
):
    with pl.at(level=pl.Level.HOST, role=pl.Role.Orchestrator):
        inbox_buf = pld.alloc_window_buffer([ROWS, 2 * COLS], dtype=pl.FP32)
        arrived_buf = pld.alloc_window_buffer([2, 1], dtype=pl.INT32)
        inbox = pld.window(inbox_buf, [ROWS, 2 * COLS], dtype=pl.FP32)
        arrived = pld.window(arrived_buf, [2, 1], dtype=pl.INT32)
        for r in pl.range(pld.world_size()):
            y[r] = chip(x[r], y[r], inbox, arrived, device=r)
    return y
