# SPDX-License-Identifier: Apache-2.0
"""Step 07, dynamic rank count: one source for any number of devices.

NR = pl.dynamic("NR") is a dimension whose value comes with the call: from the host tensors, and so from the number
of devices. It can stand in annotations, in sizes and shapes, and in the code. Nothing below says how many ranks
there are, and only -d changes between these:

    a2a3sim run examples/07_dynamic_rank_count.py -d 0,1
    a2a3sim run examples/07_dynamic_rank_count.py -d 0,1,2,3,4
    a2a3sim run examples/07_dynamic_rank_count.py -d 0-15

Every rank adds its left neighbour's row to its own. Neighbours wrap around, and here lies the trap: in a kernel, %
truncates as C does, so (my_rank - 1) % nranks is -1 on rank 0. Add nranks first.

The second trap shows from three ranks on: notify the rank that reads YOU (right), wait for the rank that YOU read
(left). With two ranks, left and right are the same, and the mistake goes unnoticed.
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig

SIZE = 64
COLS = (SIZE + 7) // 8 * 8  # tile rows are whole 32-byte blocks
NR = pl.dynamic("NR")


@pl.jit.incore
def neighbour_kernel(
    x: pl.Tensor[[1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    data: pld.DistributedTensor[[1, SIZE], pl.FP32],
    signal: pld.DistributedTensor[[NR, 1], pl.INT32],
):
    ctx = pld.get_comm_ctx(data)
    my_rank = pld.rank(ctx)
    nranks = pld.nranks(ctx)
    right = (my_rank + 1) % nranks
    left = (my_rank + nranks - 1) % nranks

    mine = pl.load(x, [0, 0], [1, COLS], valid_shape=[1, SIZE])
    data = pl.store(mine, [0, 0], data)

    pld.system.notify(signal, peer=right, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd)
    pld.system.wait(signal, offsets=[left, 0], expected=1, cmp=pld.WaitCmp.Ge)

    theirs = pld.tile.remote_load(data, peer=left, offsets=[0, 0], shape=[1, COLS], valid_shape=[1, SIZE])
    y = pl.store(pl.add(mine, theirs), [0, 0], y)
    return y


@pl.jit
def neighbour_chip(
    x: pl.Tensor[[1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    data: pld.DistributedTensor[[1, SIZE], pl.FP32],
    signal: pld.DistributedTensor[[NR, 1], pl.INT32],
):
    y = neighbour_kernel(x, y, data, signal)
    return y


@pl.jit.host
def neighbour_sum(
    x: pl.Tensor[[NR, 1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]],
):
    data_buf = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
    signal_buf = pld.alloc_window_buffer(NR * pl.INT32.get_byte())
    for r in pl.range(pld.world_size()):
        data = pld.window(data_buf, [1, SIZE], dtype=pl.FP32)
        signal = pld.window(signal_buf, [NR, 1], dtype=pl.INT32)
        neighbour_chip(x[r], y[r], data, signal, device=r)
    return y


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1,2", help="comma separated device ids")
    args = parser.parse_args()
    device_ids = [int(d) for d in args.device.split(",")]
    n_ranks = len(device_ids)

    x = torch.arange(n_ranks * SIZE, dtype=torch.float32).reshape(n_ranks, 1, SIZE).share_memory_()
    y = torch.zeros(n_ranks, 1, SIZE, dtype=torch.float32).share_memory_()
    compiled = neighbour_sum.compile(
        x,
        y,
        config=RunConfig(
            platform=args.platform,
            distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
        ),
    )
    compiled(x, y)

    assert torch.equal(y, x + torch.roll(x, shifts=1, dims=0))
    print("OK")


if __name__ == "__main__":
    main()
