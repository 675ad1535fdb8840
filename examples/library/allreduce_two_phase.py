# SPDX-License-Identifier: Apache-2.0
"""A library kernel: allreduce in two phases, in place, to be called from a program of your own.

pld.tensor.allreduce offers mesh and ring. This kernel is the third schedule, step 09 made reusable: copy
two_phase_allreduce into your file and call it between the kernel that fills the window and the one that reads it,

    stage(x, data)
    two_phase_allreduce(data, signal)
    publish(data, y)

as the two programs below do. It keeps what the builtin calls promise:

    in place    every rank's window holds the sum when it returns
    any size    SIZE need not be a multiple of anything; pieces of at most 16 KiB pass through the on-chip buffer
    clearing    it takes its two credits per peer back out, so one signal window [nr, 1] serves any number of calls,
                other mesh-layout collectives included

Neither phase needs a barrier behind it. In the first, a rank writes its own slice only, which nobody else reads before
the second barrier. In the second, it writes the slices of others, which nobody reads from it at all; and its own slice,
which they do read, changes only behind the first barrier of the next call.

Cost: N + (P-2) * c_r elements received, c_r being the own slice, 2 * (P-1)/P * N when P divides N; 2 * (P-1) signals and
P-1 clears.

    a2a3sim run examples/library/allreduce_two_phase.py -d 0,1,2,3
    a2a3sim run examples/library/allreduce_two_phase.py -d 0-6 --mode twice --set SIZE=1000
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig

SIZE = 64
DTYPE = pl.FP32  # or pl.FP16
BLOCK = 32 // DTYPE.get_byte()  # elements in 32 bytes, the grain of a tile row
CHUNK = min(16384 // DTYPE.get_byte(), (SIZE + BLOCK - 1) // BLOCK * BLOCK)
NR = pl.dynamic("NR")


@pl.jit.incore
def two_phase_allreduce(
    data: pl.InOut[pld.DistributedTensor[[1, SIZE], DTYPE]],
    signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
):
    ctx = pld.get_comm_ctx(data)
    my_rank = pld.rank(ctx)
    nranks = pld.nranks(ctx)

    # Everybody has staged.
    for peer in pl.range(nranks):
        if peer != my_rank:
            pld.system.notify(signal, peer=peer, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd)
    for src in pl.range(nranks):
        if src != my_rank:
            pld.system.wait(signal, offsets=[src, 0], expected=1, cmp=pld.WaitCmp.Ge)

    # Reduce my slice: mine first, then the others in rank order.
    begin = SIZE * my_rank // nranks
    end = SIZE * (my_rank + 1) // nranks
    for col in pl.range(begin, end, CHUNK):
        width = pl.min(CHUNK, end - col)
        acc = pl.load(data, [0, col], [1, CHUNK], valid_shape=[1, width])
        for peer in pl.range(nranks):
            if peer != my_rank:
                recv = pld.tile.remote_load(
                    data, peer=peer, offsets=[0, col], shape=[1, CHUNK], valid_shape=[1, width]
                )
                acc = pl.add(acc, recv)
        data = pl.store(acc, [0, col], data)

    # Everybody has reduced its slice.
    for peer in pl.range(nranks):
        if peer != my_rank:
            pld.system.notify(signal, peer=peer, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd)
    for src in pl.range(nranks):
        if src != my_rank:
            pld.system.wait(signal, offsets=[src, 0], expected=2, cmp=pld.WaitCmp.Ge)

    # Gather the slices of the others; mine is in place.
    for peer in pl.range(nranks):
        if peer != my_rank:
            first = SIZE * peer // nranks
            last = SIZE * (peer + 1) // nranks
            for col in pl.range(first, last, CHUNK):
                width = pl.min(CHUNK, last - col)
                recv = pld.tile.remote_load(
                    data, peer=peer, offsets=[0, col], shape=[1, CHUNK], valid_shape=[1, width]
                )
                data = pl.store(recv, [0, col], data)

    # Take the credits of this call back out.
    for src in pl.range(nranks):
        if src != my_rank:
            pld.system.notify(signal, peer=my_rank, offsets=[src, 0], value=-2, op=pld.NotifyOp.AtomicAdd)


@pl.jit.incore
def stage(
    x: pl.Tensor[[1, SIZE], DTYPE],
    data: pl.InOut[pld.DistributedTensor[[1, SIZE], DTYPE]],
):
    for col in pl.range(0, SIZE, CHUNK):
        width = pl.min(CHUNK, SIZE - col)
        mine = pl.load(x, [0, col], [1, CHUNK], valid_shape=[1, width])
        data = pl.store(mine, [0, col], data)


@pl.jit.incore
def publish(
    data: pl.InOut[pld.DistributedTensor[[1, SIZE], DTYPE]],
    y: pl.Out[pl.Tensor[[1, SIZE], DTYPE]],
):
    for col in pl.range(0, SIZE, CHUNK):
        width = pl.min(CHUNK, SIZE - col)
        total = pl.load(data, [0, col], [1, CHUNK], valid_shape=[1, width])
        y = pl.store(total, [0, col], y)
    return y


@pl.jit
def once_chip(
    x: pl.Tensor[[1, SIZE], DTYPE],
    y: pl.Out[pl.Tensor[[1, SIZE], DTYPE]],
    data: pl.InOut[pld.DistributedTensor[[1, SIZE], DTYPE]],
    signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
):
    stage(x, data)
    two_phase_allreduce(data, signal)
    y = publish(data, y)
    return y


@pl.jit
def twice_chip(
    x: pl.Tensor[[1, SIZE], DTYPE],
    y: pl.Out[pl.Tensor[[1, SIZE], DTYPE]],
    data: pl.InOut[pld.DistributedTensor[[1, SIZE], DTYPE]],
    signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
):
    stage(x, data)
    two_phase_allreduce(data, signal)
    two_phase_allreduce(data, signal)
    y = publish(data, y)
    return y


@pl.jit.host
def once(
    x: pl.Tensor[[NR, 1, SIZE], DTYPE],
    y: pl.Out[pl.Tensor[[NR, 1, SIZE], DTYPE]],
):
    """The sum of all x, on every rank."""
    data_buf = pld.alloc_window_buffer([1, SIZE], dtype=DTYPE)
    signal_buf = pld.alloc_window_buffer(NR * pl.INT32.get_byte())
    for r in pl.range(pld.world_size()):
        data = pld.window(data_buf, [1, SIZE], dtype=DTYPE)
        signal = pld.window(signal_buf, [NR, 1], dtype=pl.INT32)
        once_chip(x[r], y[r], data, signal, device=r)
    return y


@pl.jit.host
def twice(
    x: pl.Tensor[[NR, 1, SIZE], DTYPE],
    y: pl.Out[pl.Tensor[[NR, 1, SIZE], DTYPE]],
):
    """Two calls on one signal window: the sum of P equal sums."""
    data_buf = pld.alloc_window_buffer([1, SIZE], dtype=DTYPE)
    signal_buf = pld.alloc_window_buffer(NR * pl.INT32.get_byte())
    for r in pl.range(pld.world_size()):
        data = pld.window(data_buf, [1, SIZE], dtype=DTYPE)
        signal = pld.window(signal_buf, [NR, 1], dtype=pl.INT32)
        twice_chip(x[r], y[r], data, signal, device=r)
    return y


MODES = {"once": once, "twice": twice}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1", help="comma separated device ids")
    parser.add_argument("--mode", default="once", choices=sorted(MODES))
    args = parser.parse_args()
    device_ids = [int(d) for d in args.device.split(",")]
    n_ranks = len(device_ids)

    # Small whole numbers: their sums are exact, in whatever order they are added.
    torch_dtype = torch.float16 if DTYPE == pl.FP16 else torch.float32
    x = torch.randint(1, 9, (n_ranks, 1, SIZE)).to(torch_dtype).share_memory_()
    y = torch.zeros(n_ranks, 1, SIZE, dtype=torch_dtype).share_memory_()
    compiled = MODES[args.mode].compile(
        x,
        y,
        config=RunConfig(
            platform=args.platform,
            distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
        ),
    )
    compiled(x, y)

    golden = x.sum(dim=0, keepdim=True) * (n_ranks if args.mode == "twice" else 1)
    assert torch.equal(y, golden.expand_as(y))
    print("OK")


if __name__ == "__main__":
    main()
