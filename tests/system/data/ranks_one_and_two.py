"""Dispatched to devices 1 and 2 only, however many there are: a domain of two ranks swaps its rows."""

import pypto.language as pl
import pypto.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def swap(
    x: pl.Tensor[[1, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[1, 64], pl.FP32]],
    inbox: pld.DistributedTensor[[1, 64], pl.FP32],
    arrived: pld.DistributedTensor[[1, 1], pl.INT32],
):
    other = 1 - pld.rank(pld.get_comm_ctx(inbox))
    pld.tensor.put(inbox, other, x)
    pld.system.notify(arrived, peer=other, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
    pld.system.wait(arrived, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)
    pl.store(pl.load(inbox, [0, 0], [1, 64]), [0, 0], y)


@pl.jit
def chip(
    x: pl.Tensor[[1, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[1, 64], pl.FP32]],
    inbox: pld.DistributedTensor[[1, 64], pl.FP32],
    arrived: pld.DistributedTensor[[1, 1], pl.INT32],
):
    swap(x, y, inbox, arrived)


@pl.jit.host
def host(x: pl.Tensor[[NR, 1, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 64], pl.FP32]]):
    inbox_buf = pld.alloc_window_buffer([1, 64], dtype=pl.FP32)
    arrived_buf = pld.alloc_window_buffer(4)
    for r in pl.range(1, 3):
        inbox = pld.window(inbox_buf, [1, 64], dtype=pl.FP32)
        arrived = pld.window(arrived_buf, [1, 1], dtype=pl.INT32)
        chip(x[r], y[r], inbox, arrived, device=r)
