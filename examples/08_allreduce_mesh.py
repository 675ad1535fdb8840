# SPDX-License-Identifier: Apache-2.0
"""Step 08, allreduce as a mesh: every rank reads all the others and adds.

Every rank ends with x[0] + x[1] + ... + x[P-1]. The mesh is the direct way to it, in three phases:

    1  stage       write my x into my own window
    2  barrier     one credit to every peer, one credit from every peer
    3  accumulate  my x first, then every peer's in rank order, added as it arrives

The sum goes to y and not back into the window: somebody may still be reading there. So one barrier is enough.

Cost: (P-1) * N received and as much served, but one barrier only. That is hard to beat while N is small, and wasteful
when it is large: steps 09 and 10 do with 2 * (P-1)/P * N, for more barriers.

What "in rank order, own first" means for rounding: rank 0 adds 0, 1, 2 and rank 2 adds 2, 0, 1. In floating point
these may differ in the last bit, so ranks need not agree exactly. With values whose sums are exact they do.

N may be larger than the on-chip buffer: the loop over columns moves at most 16 KiB at a time.

    a2a3sim run examples/08_allreduce_mesh.py -d 0,1,2,3
    a2a3sim run examples/08_allreduce_mesh.py -d 0-6 --set SIZE=65537 --set DTYPE=FP16
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
def mesh_kernel(
    x: pl.Tensor[[1, SIZE], DTYPE],
    y: pl.Out[pl.Tensor[[1, SIZE], DTYPE]],
    data: pld.DistributedTensor[[1, SIZE], DTYPE],
    signal: pld.DistributedTensor[[NR, 1], pl.INT32],
):
    ctx = pld.get_comm_ctx(data)
    my_rank = pld.rank(ctx)
    nranks = pld.nranks(ctx)

    # Phase 1: stage. The last chunk may be narrower than its tile; valid_shape says by how much.
    for col in pl.range(0, SIZE, CHUNK):
        width = pl.min(CHUNK, SIZE - col)
        mine = pl.load(x, [0, col], [1, CHUNK], valid_shape=[1, width])
        data = pl.store(mine, [0, col], data)

    # Phase 2: barrier. From here on every window holds its rank's x.
    for peer in pl.range(nranks):
        if peer != my_rank:
            pld.system.notify(signal, peer=peer, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd)
    for src in pl.range(nranks):
        if src != my_rank:
            pld.system.wait(signal, offsets=[src, 0], expected=1, cmp=pld.WaitCmp.Ge)

    # Phase 3: accumulate. acc is rebound in the loop and carries the sum from peer to peer.
    for col in pl.range(0, SIZE, CHUNK):
        width = pl.min(CHUNK, SIZE - col)
        acc = pl.load(x, [0, col], [1, CHUNK], valid_shape=[1, width])
        for peer in pl.range(nranks):
            if peer != my_rank:
                recv = pld.tile.remote_load(
                    data, peer=peer, offsets=[0, col], shape=[1, CHUNK], valid_shape=[1, width]
                )
                acc = pl.add(acc, recv)
        y = pl.store(acc, [0, col], y)
    return y


@pl.jit
def mesh_chip(
    x: pl.Tensor[[1, SIZE], DTYPE],
    y: pl.Out[pl.Tensor[[1, SIZE], DTYPE]],
    data: pld.DistributedTensor[[1, SIZE], DTYPE],
    signal: pld.DistributedTensor[[NR, 1], pl.INT32],
):
    y = mesh_kernel(x, y, data, signal)
    return y


@pl.jit.host
def allreduce_mesh(
    x: pl.Tensor[[NR, 1, SIZE], DTYPE],
    y: pl.Out[pl.Tensor[[NR, 1, SIZE], DTYPE]],
):
    data_buf = pld.alloc_window_buffer([1, SIZE], dtype=DTYPE)
    signal_buf = pld.alloc_window_buffer(NR * pl.INT32.get_byte())
    for r in pl.range(pld.world_size()):
        data = pld.window(data_buf, [1, SIZE], dtype=DTYPE)
        signal = pld.window(signal_buf, [NR, 1], dtype=pl.INT32)
        mesh_chip(x[r], y[r], data, signal, device=r)
    return y


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1", help="comma separated device ids")
    args = parser.parse_args()
    device_ids = [int(d) for d in args.device.split(",")]
    n_ranks = len(device_ids)

    # Small whole numbers: their sums are exact, in whatever order they are added.
    torch_dtype = torch.float16 if DTYPE == pl.FP16 else torch.float32
    x = torch.randint(1, 100, (n_ranks, 1, SIZE)).to(torch_dtype).share_memory_()
    y = torch.zeros(n_ranks, 1, SIZE, dtype=torch_dtype).share_memory_()
    compiled = allreduce_mesh.compile(
        x,
        y,
        config=RunConfig(
            platform=args.platform,
            distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
        ),
    )
    compiled(x, y)

    assert torch.equal(y, x.sum(dim=0, keepdim=True).expand_as(y))
    print("OK")


if __name__ == "__main__":
    main()
