"""Each rank's row is dealt to CORES cores in pieces of 64 elements; every core pushes its piece to the right
neighbour, meets the neighbour's core of the same number on a signal cell of their own, and doubles what came."""

import pypto.language as pl
import pypto.language.distributed as pld

CORES = 8
NR = pl.dynamic("NR")


@pl.jit.incore
def shift(
    x: pl.Tensor[[CORES, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[CORES, 64], pl.FP32]],
    inbox: pld.DistributedTensor[[CORES, 64], pl.FP32],
    arrived: pld.DistributedTensor[[CORES, 1], pl.INT32],
    lane: pl.Scalar[pl.INDEX],
):
    c = pld.get_comm_ctx(inbox)
    right = (pld.rank(c) + 1) % pld.nranks(c)
    piece = pl.load(x, [lane, 0], [1, 64])
    inbox = pld.tile.remote_store(piece, target=inbox, peer=right, offsets=[lane, 0])
    pld.system.notify(arrived, peer=right, offsets=[lane, 0], value=1, op=pld.NotifyOp.AtomicAdd)
    pld.system.wait(arrived, offsets=[lane, 0], expected=1, cmp=pld.WaitCmp.Ge)
    got = pl.load(inbox, [lane, 0], [1, 64])
    y = pl.store(pl.add(got, got), [lane, 0], y)
    return y


@pl.jit
def chip(
    x: pl.Tensor[[CORES, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[CORES, 64], pl.FP32]],
    inbox: pld.DistributedTensor[[CORES, 64], pl.FP32],
    arrived: pld.DistributedTensor[[CORES, 1], pl.INT32],
):
    for lane in pl.spmd(CORES):
        shift(x, y, inbox, arrived, lane)


@pl.jit.host
def host(x: pl.Tensor[[NR, CORES, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, CORES, 64], pl.FP32]]):
    inbox_buf = pld.alloc_window_buffer([CORES, 64], dtype=pl.FP32)
    arrived_buf = pld.alloc_window_buffer([CORES, 1], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        inbox = pld.window(inbox_buf, [CORES, 64], dtype=pl.FP32)
        arrived = pld.window(arrived_buf, [CORES, 1], dtype=pl.INT32)
        chip(x[r], y[r], inbox, arrived, device=r)
