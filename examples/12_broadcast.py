# SPDX-License-Identifier: Apache-2.0
"""Step 12, broadcast: one rank has something, and in the end everybody has it.

    1  stage    the root, and nobody else, writes its x into its own window
    2  barrier  one credit to every peer, one credit from every peer
    3  pull     every rank gets the root's window, the root included

The first collective in which the ranks differ: staging stands under `if my_rank == ROOT_RANK`. Were every rank to
stage its own x, the result would still be right, since only the root's window is ever read; the work would be in vain.
The barrier is not under the `if`. A rank that leaves it out keeps all the others waiting.

Mind the end of the kernel: there is no second barrier. A root that went on to stage something new could overwrite what
a slow peer is still reading.

Cost: N received by everyone but the root, and (P-1) * N served by the root, all through its links. The root's own get
is a local copy.

The builtin call is this kernel without the staging: barrier, one get on every rank, and its credits taken back out. It
works in place, so what it brings lies in the window.

    a2a3sim run examples/12_broadcast.py -d 0,1,2,3
    a2a3sim run examples/12_broadcast.py -d 0,1,2,3 --mode builtin
    a2a3sim diff examples/12_broadcast.py --modes hand,builtin -d 0,1
    a2a3sim run examples/12_broadcast.py -d 0-6 --set ROOT_RANK=5
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig

SIZE = 64
ROOT_RANK = 0
DTYPE = pl.FP32  # or pl.FP16
BLOCK = 32 // DTYPE.get_byte()  # elements in 32 bytes, the grain of a tile row
CHUNK = min(16384 // DTYPE.get_byte(), (SIZE + BLOCK - 1) // BLOCK * BLOCK)
NR = pl.dynamic("NR")


@pl.jit.incore
def hand_kernel(
    x: pl.Tensor[[1, SIZE], DTYPE],
    y: pl.Out[pl.Tensor[[1, SIZE], DTYPE]],
    data: pld.DistributedTensor[[1, SIZE], DTYPE],
    signal: pld.DistributedTensor[[NR, 1], pl.INT32],
):
    ctx = pld.get_comm_ctx(data)
    my_rank = pld.rank(ctx)
    nranks = pld.nranks(ctx)

    # Phase 1: stage, on the root only. At most 16 KiB at a time; the last chunk may be narrower than its tile.
    if my_rank == ROOT_RANK:
        for col in pl.range(0, SIZE, CHUNK):
            width = pl.min(CHUNK, SIZE - col)
            mine = pl.load(x, [0, col], [1, CHUNK], valid_shape=[1, width])
            data = pl.store(mine, [0, col], data)

    # Phase 2: barrier, on every rank.
    for peer in pl.range(nranks):
        if peer != my_rank:
            pld.system.notify(signal, peer=peer, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd)
    for src in pl.range(nranks):
        if src != my_rank:
            pld.system.wait(signal, offsets=[src, 0], expected=1, cmp=pld.WaitCmp.Ge)

    # Phase 3: pull. A get moves any size by itself; chunk_cols is the width of its staging tile.
    y = pld.tensor.get(y, peer=ROOT_RANK, src=data, chunk_rows=1, chunk_cols=CHUNK)
    return y


@pl.jit
def hand_chip(
    x: pl.Tensor[[1, SIZE], DTYPE],
    y: pl.Out[pl.Tensor[[1, SIZE], DTYPE]],
    data: pld.DistributedTensor[[1, SIZE], DTYPE],
    signal: pld.DistributedTensor[[NR, 1], pl.INT32],
):
    y = hand_kernel(x, y, data, signal)
    return y


@pl.jit.host
def hand_host(
    x: pl.Tensor[[NR, 1, SIZE], DTYPE],
    y: pl.Out[pl.Tensor[[NR, 1, SIZE], DTYPE]],
):
    hand_data_buf = pld.alloc_window_buffer([1, SIZE], dtype=DTYPE)
    hand_signal_buf = pld.alloc_window_buffer(NR * pl.INT32.get_byte())
    for r in pl.range(pld.world_size()):
        data = pld.window(hand_data_buf, [1, SIZE], dtype=DTYPE)
        signal = pld.window(hand_signal_buf, [NR, 1], dtype=pl.INT32)
        hand_chip(x[r], y[r], data, signal, device=r)
    return y


@pl.jit.incore
def builtin_kernel(
    x: pl.Tensor[[1, SIZE], DTYPE],
    y: pl.Out[pl.Tensor[[1, SIZE], DTYPE]],
    data: pld.DistributedTensor[[1, SIZE], DTYPE],
    signal: pld.DistributedTensor[[NR, 1], pl.INT32],
):
    ctx = pld.get_comm_ctx(data)
    my_rank = pld.rank(ctx)

    # Stage, on the root only.
    if my_rank == ROOT_RANK:
        for col in pl.range(0, SIZE, CHUNK):
            width = pl.min(CHUNK, SIZE - col)
            mine = pl.load(x, [0, col], [1, CHUNK], valid_shape=[1, width])
            data = pl.store(mine, [0, col], data)

    data = pld.tensor.broadcast(data, signal, root=ROOT_RANK)

    # Now every window holds the root's data: local reads.
    for col in pl.range(0, SIZE, CHUNK):
        width = pl.min(CHUNK, SIZE - col)
        arrived = pl.load(data, [0, col], [1, CHUNK], valid_shape=[1, width])
        y = pl.store(arrived, [0, col], y)
    return y


@pl.jit
def builtin_chip(
    x: pl.Tensor[[1, SIZE], DTYPE],
    y: pl.Out[pl.Tensor[[1, SIZE], DTYPE]],
    data: pld.DistributedTensor[[1, SIZE], DTYPE],
    signal: pld.DistributedTensor[[NR, 1], pl.INT32],
):
    y = builtin_kernel(x, y, data, signal)
    return y


@pl.jit.host
def builtin_host(
    x: pl.Tensor[[NR, 1, SIZE], DTYPE],
    y: pl.Out[pl.Tensor[[NR, 1, SIZE], DTYPE]],
):
    builtin_data_buf = pld.alloc_window_buffer([1, SIZE], dtype=DTYPE)
    builtin_signal_buf = pld.alloc_window_buffer(NR * pl.INT32.get_byte())
    for r in pl.range(pld.world_size()):
        data = pld.window(builtin_data_buf, [1, SIZE], dtype=DTYPE)
        signal = pld.window(builtin_signal_buf, [NR, 1], dtype=pl.INT32)
        builtin_chip(x[r], y[r], data, signal, device=r)
    return y


MODES = {"hand": hand_host, "builtin": builtin_host}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1", help="comma separated device ids")
    parser.add_argument("--mode", default="hand", choices=sorted(MODES))
    args = parser.parse_args()
    device_ids = [int(d) for d in args.device.split(",")]
    n_ranks = len(device_ids)

    torch_dtype = torch.float16 if DTYPE == pl.FP16 else torch.float32
    x = torch.randint(1, 100, (n_ranks, 1, SIZE)).to(torch_dtype).share_memory_()
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

    assert torch.equal(y, x[ROOT_RANK : ROOT_RANK + 1].expand_as(y))
    print("OK")


if __name__ == "__main__":
    main()
