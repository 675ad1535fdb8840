# SPDX-License-Identifier: Apache-2.0
"""Step 03, window buffers: memory that peers can reach.

A window buffer is allocated once by the host function and then exists, with the same size, on every rank that is
given a view of it. There are two ways to say the size, and mixing them up is the classic mistake:

    pld.alloc_window_buffer(2 * SIZE * pl.FP32.get_byte())     BYTES
    pld.alloc_window_buffer([1, SIZE], dtype=pl.FP32)          shape and dtype

pld.window makes a typed view. One buffer may have several: the writer below sees two rows, the reader one long row,
and both mean the same bytes. Buffers start zero-filled: the reader adds one that nobody wrote, and nothing changes.

Still no communication. Each rank works on its own copy; pl.load and pl.store of a window are always local.

    a2a3sim run examples/03_window_buffer.py -d 0,1
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
def write_rows(
    x: pl.Tensor[[1, SIZE], pl.FP32],
    rows: pld.DistributedTensor[[2, SIZE], pl.FP32],
):
    t = pl.load(x, [0, 0], [1, COLS], valid_shape=[1, SIZE])
    rows = pl.store(t, [0, 0], rows)
    rows = pl.store(pl.add(t, t), [1, 0], rows)


@pl.jit.incore
def read_flat(
    flat: pld.DistributedTensor[[1, 2 * SIZE], pl.FP32],
    blank: pld.DistributedTensor[[1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
):
    first = pl.load(flat, [0, 0], [1, COLS], valid_shape=[1, SIZE])
    second = pl.load(flat, [0, SIZE], [1, COLS], valid_shape=[1, SIZE])
    zeros = pl.load(blank, [0, 0], [1, COLS], valid_shape=[1, SIZE])
    total = pl.add(pl.add(first, second), zeros)
    y = pl.store(total, [0, 0], y)
    return y


@pl.jit
def window_chip(
    x: pl.Tensor[[1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    rows: pld.DistributedTensor[[2, SIZE], pl.FP32],
    flat: pld.DistributedTensor[[1, 2 * SIZE], pl.FP32],
    blank: pld.DistributedTensor[[1, SIZE], pl.FP32],
):
    write_rows(x, rows)
    y = read_flat(flat, blank, y)
    return y


@pl.jit.host
def window_buffer(
    x: pl.Tensor[[NR, 1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]],
):
    pair_buf = pld.alloc_window_buffer(2 * SIZE * pl.FP32.get_byte())
    blank_buf = pld.alloc_window_buffer([1, SIZE], dtype=pl.FP32)
    blank = pld.window(blank_buf, [1, SIZE], dtype=pl.FP32)  # a view may be made once, outside of the loop ...
    for r in pl.range(pld.world_size()):
        rows = pld.window(pair_buf, [2, SIZE], dtype=pl.FP32)  # ... or each time inside
        flat = pld.window(pair_buf, [1, 2 * SIZE], dtype=pl.FP32)
        window_chip(x[r], y[r], rows, flat, blank, device=r)
    return y


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1", help="comma separated device ids")
    args = parser.parse_args()
    device_ids = [int(d) for d in args.device.split(",")]
    n_ranks = len(device_ids)

    x = torch.arange(n_ranks * SIZE, dtype=torch.float32).reshape(n_ranks, 1, SIZE).share_memory_()
    y = torch.zeros(n_ranks, 1, SIZE, dtype=torch.float32).share_memory_()
    compiled = window_buffer.compile(
        x,
        y,
        config=RunConfig(
            platform=args.platform,
            distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
        ),
    )
    compiled(x, y)

    assert torch.equal(y, 3 * x)
    print("OK")


if __name__ == "__main__":
    main()
