# SPDX-License-Identifier: Apache-2.0
"""Step 05, remote load and remote store: the same exchange pulled and pushed.

Both modes move one row to a neighbour through a window, and differ in who moves it:

    load    I read my right neighbour's window      y[r] = x[r + 1]     stage -> barrier -> remote_load
    store   I write my right neighbour's window     y[r] = x[r - 1]     remote_store -> barrier -> load

Mind the barrier: a pull needs it BEFORE the transfer (the peer must have staged), a push AFTER it (my own window
must have been filled). On the wrong side, the kernel reads the window's old content on some timing or other.

    a2a3sim run examples/05_remote_load_store.py -d 0,1,2 --mode load
    a2a3sim run examples/05_remote_load_store.py -d 0,1,2 --mode store
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
def load_kernel(
    x: pl.Tensor[[1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    data: pld.DistributedTensor[[1, SIZE], pl.FP32],
    signal: pld.DistributedTensor[[NR, 1], pl.INT32],
):
    ctx = pld.get_comm_ctx(data)
    my_rank = pld.rank(ctx)
    nranks = pld.nranks(ctx)
    right = (my_rank + 1) % nranks

    # Stage: my row becomes visible in my own window.
    staged = pl.load(x, [0, 0], [1, COLS], valid_shape=[1, SIZE])
    data = pl.store(staged, [0, 0], data)

    # Barrier: from here on every peer has staged.
    for peer in pl.range(nranks):
        if peer != my_rank:
            pld.system.notify(signal, peer=peer, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd)
    for src in pl.range(nranks):
        if src != my_rank:
            pld.system.wait(signal, offsets=[src, 0], expected=1, cmp=pld.WaitCmp.Ge)

    # Pull.
    recv = pld.tile.remote_load(data, peer=right, offsets=[0, 0], shape=[1, COLS], valid_shape=[1, SIZE])
    y = pl.store(recv, [0, 0], y)
    return y


@pl.jit.incore
def store_kernel(
    x: pl.Tensor[[1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    data: pld.DistributedTensor[[1, SIZE], pl.FP32],
    signal: pld.DistributedTensor[[NR, 1], pl.INT32],
):
    ctx = pld.get_comm_ctx(data)
    my_rank = pld.rank(ctx)
    nranks = pld.nranks(ctx)
    right = (my_rank + 1) % nranks

    # Push.
    mine = pl.load(x, [0, 0], [1, COLS], valid_shape=[1, SIZE])
    pld.tile.remote_store(mine, target=data, peer=right, offsets=[0, 0])

    # Barrier: from here on my left neighbour's row is in my window.
    for peer in pl.range(nranks):
        if peer != my_rank:
            pld.system.notify(signal, peer=peer, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd)
    for src in pl.range(nranks):
        if src != my_rank:
            pld.system.wait(signal, offsets=[src, 0], expected=1, cmp=pld.WaitCmp.Ge)

    recv = pl.load(data, [0, 0], [1, COLS], valid_shape=[1, SIZE])
    y = pl.store(recv, [0, 0], y)
    return y


@pl.jit
def load_chip(
    x: pl.Tensor[[1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    data: pld.DistributedTensor[[1, SIZE], pl.FP32],
    signal: pld.DistributedTensor[[NR, 1], pl.INT32],
):
    y = load_kernel(x, y, data, signal)
    return y


@pl.jit
def store_chip(
    x: pl.Tensor[[1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    data: pld.DistributedTensor[[1, SIZE], pl.FP32],
    signal: pld.DistributedTensor[[NR, 1], pl.INT32],
):
    y = store_kernel(x, y, data, signal)
    return y


@pl.jit.host
def load_host(
    x: pl.Tensor[[NR, 1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]],
):
    load_data_buf = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
    load_signal_buf = pld.alloc_window_buffer(NR * pl.INT32.get_byte())
    for r in pl.range(pld.world_size()):
        data = pld.window(load_data_buf, [1, SIZE], dtype=pl.FP32)
        signal = pld.window(load_signal_buf, [NR, 1], dtype=pl.INT32)
        load_chip(x[r], y[r], data, signal, device=r)
    return y


@pl.jit.host
def store_host(
    x: pl.Tensor[[NR, 1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]],
):
    store_data_buf = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
    store_signal_buf = pld.alloc_window_buffer(NR * pl.INT32.get_byte())
    for r in pl.range(pld.world_size()):
        data = pld.window(store_data_buf, [1, SIZE], dtype=pl.FP32)
        signal = pld.window(store_signal_buf, [NR, 1], dtype=pl.INT32)
        store_chip(x[r], y[r], data, signal, device=r)
    return y


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1", help="comma separated device ids")
    parser.add_argument("--mode", default="load", choices=["load", "store"])
    args = parser.parse_args()
    device_ids = [int(d) for d in args.device.split(",")]
    n_ranks = len(device_ids)

    x = torch.arange(n_ranks * SIZE, dtype=torch.float32).reshape(n_ranks, 1, SIZE).share_memory_()
    y = torch.zeros(n_ranks, 1, SIZE, dtype=torch.float32).share_memory_()
    host = load_host if args.mode == "load" else store_host
    compiled = host.compile(
        x,
        y,
        config=RunConfig(
            platform=args.platform,
            distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
        ),
    )
    compiled(x, y)

    golden = torch.roll(x, shifts=-1 if args.mode == "load" else 1, dims=0)
    assert torch.equal(y, golden)
    print("OK")


if __name__ == "__main__":
    main()
